"""Mars: planning past steep terrain that only an overhead image shows (Section 4.2 of the paper)."""

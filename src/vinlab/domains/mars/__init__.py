"""Mars: find a way past steep ground that only an overhead image shows (Section 4.2 of the paper)."""

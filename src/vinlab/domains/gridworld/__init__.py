"""The grid-world: find a way past obstacles (Section 4.1 of the paper)."""

"""The grid-world: find a path around obstacles (Section 4.1 of the paper)."""

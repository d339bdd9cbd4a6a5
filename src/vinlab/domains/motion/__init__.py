"""Robots with a heading, and other states with layers: find a path by the moves of a table."""

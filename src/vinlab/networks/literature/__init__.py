"""Planners of the literature in the frame of this package, each written from its paper's equations."""

"""Figures: maps of reward and value, paths, learning curves; a module for each kind."""

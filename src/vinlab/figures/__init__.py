"""Figures: maps of reward and value, paths, learning curves."""

from vinlab.figures.curves import curves_figure
from vinlab.figures.paths import paths_figure
from vinlab.figures.plans import plan_figure
from vinlab.figures.save import save_figure

__all__ = ["curves_figure", "paths_figure", "plan_figure", "save_figure"]

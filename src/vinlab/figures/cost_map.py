"""Maps with costs or heights: a colour for each cell, and paths over them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Num
from matplotlib.figure import Figure

from vinlab.figures import maps, style
from vinlab.figures.maps import Position

MARGIN, GAP, CAPTION, STRIP = 0.2, 0.3, 0.32, 0.8
"""Inches: around all panels, between them, above each, and below for colour scale and legend."""
LONGEST_SIDE = 3.6


@dataclass(frozen=True)
class CostView:
    """One panel."""

    values: Num[np.ndarray, "H W"]
    hidden: Bool[np.ndarray, "H W"]
    """Blocked cells, which are pale."""
    caption: str
    start: Position
    goals: Sequence[Position]
    paths: Mapping[str, Num[np.ndarray, "_ 2"]] = field(default_factory=dict)
    """By their names in the legend."""
    colours: str = "cividis"


def cost_figure(views: Sequence[CostView]) -> Figure:
    """Panels side by side, each with the scale of its colours and a legend of its paths."""
    rows, cols = views[0].values.shape
    scale = LONGEST_SIDE / max(rows, cols)
    width, height = max(cols * scale, 1.8), rows * scale
    figure = style.new_figure(len(views) * (width + GAP) - GAP + 2 * MARGIN, CAPTION + height + STRIP + 0.05)
    for index, view in enumerate(views):
        _draw(figure, view, MARGIN + index * (width + GAP), width, height)
    return figure


def _draw(figure: Figure, view: CostView, left: float, width: float, height: float) -> None:
    maps.require_map("values", view.values)
    maps.require_map("hidden", view.hidden, view.values.shape)
    panel = style.place(figure, left, CAPTION, width, height)
    panel.set_title(view.caption, size=style.LABEL_SIZE, color=style.INK, pad=5)
    image = maps.draw_field(panel, view.values, view.colours, hidden=view.hidden)
    shape = (view.values.shape[0], view.values.shape[1])
    for number, (name, path) in enumerate(view.paths.items()):
        colour, broad = ((style.SKY, 3.2), (style.VERMILION, 1.4), (style.PURPLE, 0.8))[number % 3]
        maps.draw_line(panel, path, colour, broad, 0.8, label=name)
    for goal in view.goals:
        maps.draw_ends(panel, shape, view.start, goal)
    strip = style.place(figure, left + 0.15 * width, CAPTION + height + 0.1, 0.7 * width, 0.08)
    style.colour_scale(strip, image, ticks=5)
    if view.paths:
        place = (0.5, -0.42 / height)
        panel.legend(loc="upper center", bbox_to_anchor=place, ncols=2, columnspacing=1.2, **style.LEGEND)

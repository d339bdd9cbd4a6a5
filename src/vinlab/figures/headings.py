"""A map with the path of a robot that has a heading: an arrow in every state."""

import numpy as np
from jaxtyping import Int, Shaped
from matplotlib.figure import Figure

from vinlab.figures import maps, style
from vinlab.types import InputError

MARGIN, HEADING, LARGEST = 0.2, 0.35, 5.0
"""Inches: around the map, above it for the title, and its longer side."""


def headings_figure(
    obstacles: Shaped[np.ndarray, "H W"],
    states: Int[np.ndarray, "T 3"],
    directions: Int[np.ndarray, "L 2"] | None,
    *,
    goal: Int[np.ndarray, " 3"],
    title: str = "",
) -> Figure:
    """The states ``(row, col, layer)`` of a path, with an arrow for the heading of each; the goal with its own.

    ``directions`` are the ``(rows down, columns right)`` of each layer; without them no arrows are drawn.
    """
    maps.require_map("obstacles", obstacles)
    if not len(states):
        raise InputError("states: expected at least one, got none.")
    rows, cols = obstacles.shape
    scale = LARGEST / max(rows, cols)
    figure = style.new_figure(cols * scale + 2 * MARGIN, rows * scale + HEADING + MARGIN)
    style.write_title(figure, title, 0.12)
    axes = style.place(figure, MARGIN, HEADING, cols * scale, rows * scale)
    maps.draw_map(axes, obstacles)
    maps.draw_paths(axes, (rows, cols), states[:, :2], None)
    if directions is not None:
        drawn = states if goal[2] < 0 else np.concatenate([states, goal[None]])
        ahead = directions[drawn[:, 2]] / np.linalg.norm(directions[drawn[:, 2]], axis=1, keepdims=True)
        arrows = (drawn[:, 1], drawn[:, 0], ahead[:, 1], ahead[:, 0])
        look = {"angles": "xy", "scale_units": "xy", "scale": 1.6, "width": 0.006}
        axes.quiver(*arrows, **look, color=style.BLUE, zorder=4)
    maps.draw_ends(axes, (rows, cols), states[0, :2], goal[:2])
    return figure

"""The particle's domains on paper: obstacles, trajectories of several policies, and a moving picture."""

import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float64
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from matplotlib.ticker import MaxNLocator

from vinlab.figures import style
from vinlab.recording.files import write_bytes
from vinlab.types import InputError

MARGIN, GAP, CAPTION, HEADING, LEGEND = 0.2, 0.2, 0.3, 0.4, 0.35

Ways = Float64[np.ndarray, "B T 2"]
"""Positions (row, col) of one particle per domain over time."""


def trajectories_figure(
    boxes: Float64[np.ndarray, "B O 4"],
    starts: Float64[np.ndarray, "B 2"],
    goals: Float64[np.ndarray, "B 2"],
    ways: Mapping[str, Ways],
    *,
    columns: int = 4,
    title: str = "",
) -> Figure:
    """A panel per domain with the way that each policy took; a caption says how far from the goal it ended."""
    if not len(boxes) or not ways:
        raise InputError("at least one domain and one policy are wanted, but none came.")
    columns = min(columns, len(boxes))
    rows, side = math.ceil(len(boxes) / columns), 1.75
    width = columns * side + (columns - 1) * GAP + 2 * MARGIN
    figure = style.new_figure(width, HEADING + rows * (side + CAPTION) + LEGEND)
    style.write_title(figure, title, 0.12)
    axes: Axes | None = None
    for index in range(len(boxes)):
        row, col = divmod(index, columns)
        axes = style.place(figure, MARGIN + col * (side + GAP), HEADING + row * (side + CAPTION), side, side)
        draw_domain(axes, boxes[index], starts[index], goals[index])
        ends = []
        for colour, (name, way) in zip(style.LINES, ways.items(), strict=False):
            axes.plot(way[index, :, 1], way[index, :, 0], color=colour, linewidth=1.3, label=name, zorder=3)
            axes.plot(*way[index, -1, ::-1], marker="x", markersize=4, color=colour, zorder=4)
            ends.append(f"{name} {np.linalg.norm(way[index, -1] - goals[index]):.2f}")
        axes.set_xlabel(", ".join(ends), size=style.TICK_SIZE - 1, color=style.INK, labelpad=3)
    assert axes is not None
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="lower center", ncols=len(labels), fontsize=style.TICK_SIZE, frameon=False
    )
    return figure


def draw_domain(
    axes: Axes,
    boxes: Float64[np.ndarray, "O 4"],
    start: Float64[np.ndarray, " 2"],
    goal: Float64[np.ndarray, " 2"],
    *,
    half_side: float = 1.0,
) -> None:
    """The square with its obstacles, a disc at the start and a star at the goal; rows run downwards."""
    axes.set(
        xlim=(-half_side, half_side), ylim=(half_side, -half_side), xticks=[], yticks=[], facecolor=style.FREE
    )
    for row, col, height, width in boxes:
        if min(height, width) > 0:
            corner = (col - width, row - height)
            axes.add_patch(
                Rectangle(corner, 2 * width, 2 * height, color=style.OBSTACLE, linewidth=0, zorder=2)
            )
    look = {"linestyle": "none", "markeredgecolor": style.INK, "markeredgewidth": 0.7, "zorder": 5}
    axes.plot(start[1], start[0], marker="o", markersize=5, markerfacecolor="white", **look)
    axes.plot(goal[1], goal[0], marker="*", markersize=9, markerfacecolor=style.GOAL, **look)
    for spine in axes.spines.values():
        spine.set(color=style.FRAME, linewidth=0.8)


def progress_figure(histories: Sequence[Sequence[float]], *, title: str = "") -> Figure:
    """The mean distance over the iterations of the local search, a thin line for each seed."""
    figure = style.new_figure(4.2, 2.8)
    style.write_title(figure, title, 0.12)
    axes = style.place(figure, 0.7, 0.5, 3.3, 1.75)
    for distances in histories:
        axes.plot(distances, color=style.SKY, linewidth=1, zorder=2)
    mean = np.mean(np.array(histories), axis=0)
    axes.plot(mean, color=style.BLUE, linewidth=1.8, marker="o", markersize=3, zorder=3)
    for index, ha in ((0, "left"), (len(mean) - 1, "right")):
        axes.annotate(
            f"{mean[index]:.2f}",
            (index, mean[index]),
            (0, 6),
            textcoords="offset points",
            ha=ha,
            size=style.TICK_SIZE,
        )
    axes.set_ylim(0, None)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("improvements", size=style.LABEL_SIZE, color=style.INK)
    axes.set_ylabel("mean final distance", size=style.LABEL_SIZE, color=style.INK)
    axes.tick_params(labelsize=style.TICK_SIZE, length=2.5, color=style.FRAME, labelcolor=style.INK)
    axes.grid(color=style.CELL_LINE, linewidth=0.6)
    for side, spine in axes.spines.items():
        spine.set(color=style.FRAME, visible=side in ("left", "bottom"))
    return figure


def save_animation(
    path: Path,
    boxes: Float64[np.ndarray, "B O 4"],
    starts: Float64[np.ndarray, "B 2"],
    goals: Float64[np.ndarray, "B 2"],
    ways: Mapping[str, Ways],
    *,
    radius: float,
    every: int = 3,
) -> Path:
    """A GIF in which the particles of all policies move at once, one panel per domain."""
    from PIL import Image

    side = 2.1
    figure = style.new_figure(len(boxes) * (side + 0.1) + 0.1, side + 0.45)
    panels = [style.place(figure, 0.1 + index * (side + 0.1), 0.1, side, side) for index in range(len(boxes))]
    for panel, *domain in zip(panels, boxes, starts, goals, strict=True):
        draw_domain(panel, *domain)
    movers = _movers(panels, ways, radius)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="lower center", ncols=len(labels), fontsize=style.TICK_SIZE, frameon=False
    )
    length = next(iter(ways.values())).shape[1]
    frames = []
    for moment in [*range(0, length, every), *[length - 1] * 8]:
        for disc, trail, way in movers:
            disc.center = (way[moment, 1], way[moment, 0])
            trail.set_data(way[: moment + 1, 1], way[: moment + 1, 0])
        frames.append(_frame(figure))
    buffer = io.BytesIO()
    images = [Image.fromarray(frame).quantize(64) for frame in frames]
    images[0].save(buffer, "GIF", save_all=True, append_images=images[1:], duration=60 * every // 2, loop=0)
    write_bytes(path, buffer.getvalue())
    return path


def _movers(panels: Sequence[Axes], ways: Mapping[str, Ways], radius: float) -> list[tuple]:
    """A disc with a trail for each policy in each panel, and the way that it goes."""
    movers = []
    for index, panel in enumerate(panels):
        for colour, (name, way) in zip(style.LINES, ways.items(), strict=False):
            (trail,) = panel.plot([], [], color=colour, linewidth=1.2, label=name, zorder=3)
            disc = panel.add_patch(Circle((0, 0), radius, color=colour, zorder=6))
            movers.append((disc, trail, way[index]))
    return movers


def _frame(figure: Figure) -> np.ndarray:
    figure.set_dpi(100)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()

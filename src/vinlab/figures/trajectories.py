"""Trajectories of a particle between boxes: several controllers side by side, an animation, and a search's progress."""

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float64
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle

from vinlab.figures import style
from vinlab.figures.maps import frame
from vinlab.recording.files import write_bytes
from vinlab.types import Batch, InputError

MARGIN, GAP, CAPTION, HEADING, LEGEND_HEIGHT = 0.2, 0.2, 0.3, 0.4, 0.35
EVERY = 3
"""Time steps between two frames of an animation."""

Positions = Float64[np.ndarray, "B T 2"]
"""The (row, col) of one particle per domain over time."""


@dataclass(frozen=True)
class Domains(Batch):
    """Squares with boxes, a start and a goal."""

    boxes: Float64[np.ndarray, "B O 4"]
    """(row, col) of the centre, half the height and half the width; a box of size zero is absent."""
    starts: Float64[np.ndarray, "B 2"]
    goals: Float64[np.ndarray, "B 2"]


def trajectories_figure(
    domains: Domains,
    trajectories: Mapping[str, Positions],
    colours: Mapping[str, str],
    *,
    columns: int = 4,
    title: str = "",
) -> Figure:
    """A panel per domain with the trajectory of each controller; the caption gives the final distances."""
    if not len(domains) or not trajectories:
        raise InputError(
            "expected at least one domain and one trajectory, "
            f"got {len(domains)} domains and {len(trajectories)} trajectories."
        )
    columns = min(columns, len(domains))
    rows, side = math.ceil(len(domains) / columns), 1.75
    width = columns * side + (columns - 1) * GAP + 2 * MARGIN
    figure = style.new_figure(width, HEADING + rows * (side + CAPTION) + LEGEND_HEIGHT)
    style.write_title(figure, title, 0.12)
    for index in range(len(domains)):
        row, col = divmod(index, columns)
        axes = style.place(figure, MARGIN + col * (side + GAP), HEADING + row * (side + CAPTION), side, side)
        draw_domain(axes, domains, index)
        ends = []
        for name, positions in trajectories.items():
            path = positions[index]
            axes.plot(path[:, 1], path[:, 0], color=colours[name], linewidth=1.3, label=name, zorder=3)
            axes.plot(*path[-1, ::-1], marker="x", markersize=4, color=colours[name], zorder=4)
            ends.append(f"{name} {np.linalg.norm(path[-1] - domains.goals[index]):.2f}")
        axes.set_xlabel(", ".join(ends), size=style.TICK_SIZE - 1, color=style.INK, labelpad=3)
    style.legend_below(figure, figure.axes[:1], columns=len(trajectories) + 2)
    return figure


def draw_domain(axes: Axes, domains: Domains, index: int) -> None:
    """The square with its obstacles, start and goal; rows run downwards."""
    axes.set(xlim=(-1.0, 1.0), ylim=(1.0, -1.0), facecolor=style.FREE)
    for row, col, height, width in domains.boxes[index]:
        if min(height, width) > 0:
            corner = (col - width, row - height)
            axes.add_patch(
                Rectangle(corner, 2 * width, 2 * height, color=style.OBSTACLE, linewidth=0, zorder=2)
            )
    style.mark_start(axes, *domains.starts[index], size=5.0)
    style.mark_goal(axes, *domains.goals[index], size=9.0)
    frame(axes)


def progress_figure(histories: Sequence[Sequence[float]], *, title: str = "") -> Figure:
    """The mean distance over the iterations of a search: a thin line for each seed, a thick one for their mean."""
    figure = style.new_figure(4.2, 2.8)
    style.write_title(figure, title, 0.12)
    axes = style.place(figure, 0.7, 0.5, 3.3, 1.75)
    for distances in histories:
        axes.plot(distances, color=style.SKY, linewidth=1, zorder=2)
    mean = np.mean(np.array(histories), axis=0)
    axes.plot(mean, color=style.BLUE, linewidth=1.8, marker="o", markersize=3, zorder=3)
    for index, ha in ((0, "left"), (len(mean) - 1, "right")):
        look = {"textcoords": "offset points", "ha": ha, "size": style.TICK_SIZE}
        axes.annotate(f"{mean[index]:.2f}", (index, mean[index]), (0, 6), **look)
    axes.set_ylim(0, None)
    style.dress(axes, across="iterations", up="mean final distance")
    return figure


def save_animation(
    path: Path,
    domains: Domains,
    trajectories: Mapping[str, Positions],
    colours: Mapping[str, str],
    *,
    radius: float,
) -> Path:
    """A GIF in which the particles of all controllers move at once, each with a trail, one panel per domain."""
    from PIL import Image

    side = 2.1
    figure = style.new_figure(len(domains) * (side + 0.1) + 0.1, side + 0.45)
    panels = [
        style.place(figure, 0.1 + index * (side + 0.1), 0.1, side, side) for index in range(len(domains))
    ]
    movers: list[tuple[Circle, Line2D, np.ndarray]] = []
    for index, panel in enumerate(panels):
        draw_domain(panel, domains, index)
        for name, positions in trajectories.items():
            (trail,) = panel.plot([], [], color=colours[name], linewidth=1.2, label=name, zorder=3)
            disc = Circle((0, 0), radius, color=colours[name], zorder=6)
            panel.add_patch(disc)
            movers.append((disc, trail, positions[index]))
    style.legend_below(figure, panels[:1], columns=len(trajectories) + 2)
    length = next(iter(trajectories.values())).shape[1]
    figure.set_dpi(100)
    canvas, frames = FigureCanvasAgg(figure), []
    for time in [*range(0, length, EVERY), *[length - 1] * 8]:
        for disc, trail, positions in movers:
            disc.center = (positions[time, 1], positions[time, 0])
            trail.set_data(positions[: time + 1, 1], positions[: time + 1, 0])
        canvas.draw()
        frames.append(np.asarray(canvas.buffer_rgba())[..., :3].copy())
    buffer = io.BytesIO()
    images = [Image.fromarray(image).quantize(64) for image in frames]
    images[0].save(buffer, "GIF", save_all=True, append_images=images[1:], duration=60 * EVERY // 2, loop=0)
    write_bytes(path, buffer.getvalue())
    return path

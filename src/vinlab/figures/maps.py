"""Maps: cells, obstacles, paths, start and goal, a number per cell."""

from collections.abc import Sequence
from typing import SupportsInt

import numpy as np
from jaxtyping import Bool, Num, Shaped
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.image import AxesImage
from matplotlib.patheffects import Normal, Stroke

from vinlab.figures import style
from vinlab.types import InputError

MOST_CELLS_SHOWN = 2048
"""Cells along a side of a map that are drawn one by one."""

Position = Sequence[SupportsInt] | Num[np.ndarray, " 2"]


def draw_map(axes: Axes, obstacles: Shaped[np.ndarray, "H W"]) -> None:
    """Dark obstacles on light cells; lines between the cells where these are large enough."""
    colours = ListedColormap([style.FREE, style.OBSTACLE])
    shown, extent = _reduced(obstacles != 0)
    axes.imshow(shown, cmap=colours, vmin=0, vmax=1, interpolation="nearest", extent=extent)
    if cell_points(axes, obstacles.shape) >= 5:
        rows, cols = obstacles.shape
        lines = [[(-0.5, row - 0.5), (cols - 0.5, row - 0.5)] for row in range(1, rows)]
        lines += [[(col - 0.5, -0.5), (col - 0.5, rows - 0.5)] for col in range(1, cols)]
        axes.add_collection(LineCollection(lines, colors=style.CELL_LINE, linewidths=0.4, zorder=1))
    frame(axes)


def draw_field(
    axes: Axes,
    field: Num[np.ndarray, "H W"],
    colours: str,
    hidden: Bool[np.ndarray, "H W"] | None = None,
    span: tuple[float, float] | None = None,
) -> AxesImage:
    """One colour per cell by its number; hidden cells and numbers that are not finite are pale.

    The colours span the numbers that are shown, or ``span``.
    """
    field, extent = _reduced(field)
    pale = ~np.isfinite(field) if hidden is None else _reduced(hidden)[0] | ~np.isfinite(field)
    colour_map = colormaps[colours].with_extremes(bad=style.HIDDEN)
    low, high = (None, None) if span is None else span
    shown = np.ma.masked_array(field, pale)
    image = axes.imshow(shown, cmap=colour_map, interpolation="nearest", extent=extent, vmin=low, vmax=high)
    frame(axes)
    return image


def _reduced(cells: np.ndarray) -> tuple[np.ndarray, tuple[float, float, float, float] | None]:
    """Cells of large maps by blocks, as a figure has fewer pixels, and the axes that they span.

    A block is an obstacle, or hidden, if one of its cells is; of numbers the first is shown.
    """
    factor = -(-max(cells.shape) // MOST_CELLS_SHOWN)
    if factor == 1:
        return cells, None
    if cells.dtype != bool:
        return cells[::factor, ::factor], extent_of(cells.shape)
    rows, cols = (np.arange(0, side, factor) for side in cells.shape)
    reduced = np.logical_or.reduceat(np.logical_or.reduceat(cells, rows, axis=0), cols, axis=1)
    return reduced, extent_of(cells.shape)


def extent_of(shape: tuple[int, ...]) -> tuple[float, float, float, float]:
    """The axes that a map of cells spans; whole numbers are the centres of cells."""
    return -0.5, shape[1] - 0.5, shape[0] - 0.5, -0.5


def draw_paths(
    axes: Axes,
    shape: tuple[int, int],
    predicted: Num[np.ndarray, "T 2"],
    shortest: Num[np.ndarray, "S 2"] | None,
    *,
    names: tuple[str, str] = ("predicted path", "shortest path"),
) -> None:
    """The predicted path as a thin line over the broad shortest one, so that both can be seen."""
    cell = cell_points(axes, shape)
    if shortest is not None:
        broad = float(np.clip(0.45 * cell, 2.6, 6))
        draw_line(axes, shortest, style.SHORTEST, broad, 1.0, label=names[1])
    thin = float(np.clip(0.15 * cell, 0.9, 1.8))
    draw_line(axes, predicted, style.PREDICTED, thin, 0.4, label=names[0])
    if len(predicted) < 2 or (predicted == predicted[0]).all():  # a path that never leaves its start
        look = {"color": style.PREDICTED, "markeredgewidth": 1.6, "zorder": 6}
        size = float(np.clip(0.6 * cell, 5, 12))  # larger than the disc of the start
        axes.plot(float(predicted[0, 1]), float(predicted[0, 0]), marker="x", markersize=size, **look)


def draw_ends(axes: Axes, shape: tuple[int, int], start: Position | None, goal: Position) -> None:
    """A disc at the start and a star at the goal."""
    size = float(np.clip(0.7 * cell_points(axes, shape), 4.5, 10))
    if start is not None:
        style.mark_start(axes, *as_cell(start), size=size * 0.8)
    style.mark_goal(axes, *as_cell(goal), size=size * 1.4)


def frame(axes: Axes, colour: str = style.FRAME, width: float = 0.8) -> None:
    """A thin frame and no ticks."""
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set(color=colour, linewidth=width)


def cell_points(axes: Axes, shape: tuple[int, ...]) -> float:
    """The side of a cell on paper, in points."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    width, height = figure.get_size_inches() * axes.get_position().size * 72
    return float(min(height / shape[0], width / shape[1]))


def as_cell(position: Position) -> tuple[int, int]:
    """Row and column as plain numbers."""
    row, col = position
    return int(row), int(col)


def require_map(name: str, array: np.ndarray, shape: tuple[int, ...] | None = None) -> None:
    """The array must be a map, of the given shape if there is one."""
    if array.ndim != 2 or array.size == 0:
        raise InputError(f"{name}: expected a map of rows and columns, got the shape {array.shape}.")
    if shape is not None and array.shape != shape:
        raise InputError(f"{name}: expected the shape {shape} of the obstacles, got {array.shape}.")


def draw_line(axes: Axes, path: np.ndarray, colour: str, width: float, rim: float, *, label: str) -> None:
    """A path with a white rim, under a name for the legend."""
    halo = [Stroke(linewidth=width + rim, foreground="white"), Normal()]
    ends = {"solid_joinstyle": "round", "solid_capstyle": "round", "path_effects": halo}
    axes.plot(path[:, 1], path[:, 0], color=colour, linewidth=width, label=label, zorder=3, **ends)

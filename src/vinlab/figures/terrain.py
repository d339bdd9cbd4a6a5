"""Figures of terrain from above: its steep cells, paths on it, and a learned reward."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float32, Num, Shaped, UInt8
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, to_rgb
from matplotlib.figure import Figure

from vinlab.figures import maps, style
from vinlab.figures.maps import Position
from vinlab.types import CELL

PANEL = 2.5
MARGIN, GAP, HEADING, CAPTION, LEGEND = 0.15, 0.12, 0.3, 0.25, 0.5
STEEP = to_rgb(style.ORANGE)
"""The colour of cells that are too steep, here and on the page; vermilion is the network's path."""
COVER = 0.42
"""Opacity of a colour laid over an image."""
STEEPEST = 30.0
"""Degrees that are white on a map of slopes."""
PANELS = {"too steep": "obstacles", "paths": "predicted", "learned reward": "reward"}
"""The panels of a row, and what of a view each draws."""


@dataclass(frozen=True)
class TerrainView:
    """A piece of terrain and a path on it, all in cells but the image; what is None is not drawn."""

    image: UInt8[np.ndarray, "h w"]
    start: Position
    goal: Position
    predicted: Num[np.ndarray, "T 2"]
    shortest: Num[np.ndarray, "S 2"] | None = None
    obstacles: Shaped[np.ndarray, "H W"] | None = None
    """True where a cell is too steep."""
    reward: Num[np.ndarray, "H W"] | None = None
    """The learned reward of each cell."""
    caption: str = ""
    """Written above the paths."""


def terrain_figure(views: Sequence[TerrainView], *, title: str = "") -> Figure:
    """A row for each view: the steep cells on the image, the paths, the learned reward laid over the image."""
    columns = [
        name for name, field in PANELS.items() if all(getattr(view, field) is not None for view in views)
    ]
    heading = HEADING if title else 0.05
    heights = [PANEL * view.image.shape[0] / view.image.shape[1] for view in views]
    width = len(columns) * PANEL + (len(columns) - 1) * GAP + 2 * MARGIN
    figure = style.new_figure(width, heading + sum(heights) + len(views) * CAPTION + LEGEND)
    style.write_title(figure, title, 0.1)
    top = heading
    for row, (view, height) in enumerate(zip(views, heights, strict=True)):
        top += CAPTION
        for column, name in enumerate(columns):
            axes = style.place(figure, MARGIN + column * (PANEL + GAP), top, PANEL, height)
            _draw_panel(axes, view, name)
            caption = view.caption if name == "paths" else ""
            words = ", ".join(part for part in (name if row == 0 else "", caption) if part)
            axes.set_title(words, size=style.LABEL_SIZE, color=style.INK, pad=4)
        top += height
    style.legend_below(figure, [figure.axes[columns.index("paths")]])
    if "learned reward" in columns:
        _draw_scale(figure, MARGIN + columns.index("learned reward") * (PANEL + GAP), top + 0.06)
    return figure


def _draw_scale(figure: Figure, left: float, top: float) -> None:
    """The colours of the reward, from low to high; each row has a range of its own."""
    axes = style.place(figure, left + 0.35, top, PANEL - 0.7, 0.08)
    axes.imshow(np.linspace(0, 1, 256)[None], cmap=style.VALUE_COLOURS, aspect="auto", alpha=COVER + 0.1)
    maps.frame(axes)
    for text, place, side in (("low", -0.03, "right"), ("high", 1.03, "left")):
        axes.text(place, 0.5, text, transform=axes.transAxes, ha=side, va="center", size=style.TICK_SIZE)


def _draw_panel(axes: Axes, view: TerrainView, name: str) -> None:
    """The image, what the panel lays over it, and the ends; the reward has no start."""
    shape = view.image.shape[0] // CELL, view.image.shape[1] // CELL
    look: dict[str, Any] = {"extent": maps.extent_of(shape), "interpolation": "nearest"}
    axes.imshow(view.image, cmap="gray", vmin=0, vmax=255, **look)
    if name == "paths":
        maps.draw_paths(axes, shape, view.predicted, view.shortest)
    else:
        axes.imshow(_steep_cover(view) if name == "too steep" else _reward_cover(view), **look)
    maps.draw_ends(axes, shape, None if name == "learned reward" else view.start, view.goal)
    maps.frame(axes)


def _steep_cover(view: TerrainView) -> np.ndarray:
    assert view.obstacles is not None
    cover = np.zeros((*view.obstacles.shape, 4))
    cover[..., :3] = STEEP
    cover[..., 3] = COVER * (view.obstacles != 0)
    return cover


def _reward_cover(view: TerrainView) -> np.ndarray:
    """The reward as a colour over the image; the range of colours leaves out the goal's, which is far higher."""
    assert view.reward is not None
    low, high = np.percentile(view.reward, [2, 97])
    colours = colormaps[style.VALUE_COLOURS](Normalize(low, max(high, low + 1e-9), clip=True)(view.reward))
    colours[..., 3] = COVER + 0.1
    return colours


def terrains_figure(
    images: Mapping[str, Sequence[UInt8[np.ndarray, "side side"]]],
    slopes: Mapping[str, Sequence[Float32[np.ndarray, "side side"]]],
    pixels: Mapping[str, Float32[np.ndarray, " N"]],
) -> Figure:
    """Terrains below each other: squares of each with their slopes, and the share that is steeper than a slope."""
    count = max(len(squares) for squares in images.values())
    panel = 1.15
    width = 2 * MARGIN + 0.25 + 2 * count * (panel + GAP) + 2.9
    figure = style.new_figure(width, CAPTION + len(images) * (panel + GAP) + 0.15)
    for row, name in enumerate(images):
        top = CAPTION + row * (panel + GAP)
        for column in range(count):
            left = MARGIN + 0.25 + 2 * column * (panel + GAP)
            squares = (images, "gray", 255, "image"), (slopes, "magma", STEEPEST, f"slope, 0–{STEEPEST:.0f}°")
            for side, (shown, colours, most, title) in enumerate(squares):
                axes = style.place(figure, left + side * (panel + GAP), top, panel, panel)
                axes.imshow(shown[name][column], cmap=colours, vmin=0, vmax=most)
                maps.frame(axes)
                if column == side == 0:
                    axes.set_ylabel(name, size=style.LABEL_SIZE, color=style.INK)
                if row == 0:
                    axes.set_title(title, size=style.LABEL_SIZE, color=style.INK, pad=4)
    height = len(images) * (panel + GAP) - GAP
    _draw_shares(style.place(figure, width - MARGIN - 2.35, CAPTION, 2.3, height - 0.3), pixels)
    return figure


def _draw_shares(axes: Axes, pixels: Mapping[str, np.ndarray]) -> None:
    """For each slope the share of terrain that is steeper."""
    degrees = np.linspace(0, 40, 161)
    for colour, (name, slope) in zip(style.LINES, pixels.items(), strict=False):
        steeper = 1 - np.searchsorted(np.sort(slope), degrees) / len(slope)
        axes.semilogy(degrees, np.maximum(steeper, 1e-5), color=colour, linewidth=1.4, label=name)
    axes.set(xlim=(0, 40), ylim=(1e-4, 1.1))
    axes.axvline(10.0, color=style.FRAME, linewidth=0.8, linestyle=":")
    axes.set_xlabel("slope in degrees", size=style.LABEL_SIZE, color=style.INK)
    axes.set_title("share of the terrain that is steeper", size=style.LABEL_SIZE, color=style.INK, pad=4)
    axes.tick_params(labelsize=style.TICK_SIZE, color=style.FRAME, labelcolor=style.INK)
    axes.legend(fontsize=style.TICK_SIZE, frameon=False)

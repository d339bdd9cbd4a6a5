"""Routes over images of ground, with the learned cost of each cell beside them, and the true one where it is known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float32, Num
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from vinlab.figures import maps, style
from vinlab.figures.axes import legend_below
from vinlab.types import InputError

PANEL, GAP, MARGIN, CAPTION, STRIP = 2.3, 0.2, 0.15, 0.3, 0.45


@dataclass(frozen=True)
class GroundView:
    """One problem."""

    image: Float32[np.ndarray, "h w 3"]
    """Colours from 0 to 1."""
    route: Num[np.ndarray, "T 2"]
    """That of the policy, in cells."""
    demonstrated: Num[np.ndarray, "S 2"] | None = None
    learned: Float[np.ndarray, "H W"] | None = None
    """The learned cost of each cell."""
    true: Float[np.ndarray, "_ _"] | None = None
    pixels: int = 1
    goal: tuple[int, int] | None = None
    """Where the route does not reach it."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of cells."""
        return self.image.shape[0] // self.pixels, self.image.shape[1] // self.pixels


def colours_of(image: Float32[np.ndarray, "C h w"]) -> Float32[np.ndarray, "h w 3"]:
    """An image to look at: its first three channels as colours, or its first one as grey; brightness as it is."""
    shown = image[:3] if len(image) >= 3 else image[:1].repeat(3, axis=0)
    is_brightness = shown.min() >= 0 and 0.2 < shown.max() <= 1
    low, high = (0.0, 1.0) if is_brightness else np.percentile(shown, [1, 99])
    return np.clip((shown - low) / max(high - low, 1e-9), 0, 1).transpose(1, 2, 0).astype(np.float32)


def ground_figure(views: Sequence[GroundView], *, title: str = "") -> Figure:
    """A row for each problem: the image with the routes, the learned cost, the true cost."""
    if not views:
        raise InputError("expected at least one problem to draw, got none.")
    panels = ["routes"]
    panels += ["learned cost"] if any(view.learned is not None for view in views) else []
    panels += ["true cost"] if any(view.true is not None for view in views) else []
    heading = 0.35 if title else 0.05
    heights = [PANEL * view.shape[0] / max(view.shape) for view in views]
    width = 2 * MARGIN + len(panels) * (PANEL + GAP) - GAP
    figure = style.new_figure(width, heading + CAPTION + sum(heights) + GAP * (len(views) - 1) + STRIP)
    style.write_title(figure, title, 0.12)
    top, first = heading + CAPTION, []
    for view, height in zip(views, heights, strict=True):
        for column, panel in enumerate(panels):
            wide = PANEL * view.shape[1] / max(view.shape)
            left = MARGIN + column * (PANEL + GAP) + (PANEL - wide) / 2
            axes = style.place(figure, left, top, wide, height)
            _draw(axes, view, panel)
            if view is views[0]:
                axes.set_title(panel, size=style.LABEL_SIZE, color=style.INK, pad=4)
                first.append(axes)
        top += height + GAP
    legend_below(figure, [first[0]])
    return figure


def _draw(axes: Axes, view: GroundView, panel: str) -> None:
    rows, cols = view.shape
    extent = (-0.5, cols - 0.5, rows - 0.5, -0.5)
    costs = {"learned cost": view.learned, "true cost": view.true}.get(panel)
    if panel == "routes":
        axes.imshow(view.image, extent=extent, interpolation="nearest")
        _draw_routes(axes, view)
    elif costs is not None:
        low = max(float(costs.min()), 1e-6)
        norm = LogNorm(low, max(float(costs.max()), 1.001 * low))
        shown = np.maximum(costs, low)
        axes.imshow(shown, cmap=style.VALUE_COLOURS, norm=norm, extent=extent, interpolation="nearest")
    maps.frame(axes)


def _draw_routes(axes: Axes, view: GroundView) -> None:
    """The demonstrated path below the policy's, so that both can be seen."""
    maps.draw_paths(
        axes, view.shape, view.route, view.demonstrated, names=("planned route", "demonstrated path")
    )
    last = view.route if view.demonstrated is None else view.demonstrated
    maps.draw_ends(axes, view.shape, view.route[0], view.goal or last[-1])

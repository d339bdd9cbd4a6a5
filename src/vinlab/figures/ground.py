"""Routes over images of ground, with the learned cost of each cell beside them, and the true one where it is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Float32, Num
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from vinlab.figures import maps, style
from vinlab.types import InputError

PANEL, GAP, MARGIN, CAPTION, STRIP, SCALE = 2.3, 0.2, 0.15, 0.3, 0.4, 0.35
"""Inches; the strips below are for the legend and for the scales of colours."""
COSTS = {"learned cost": lambda view: view.learned, "true cost": lambda view: view.true}


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
    spans = {name: _shared_span([of(view) for view in views]) for name, of in COSTS.items()}
    panels = ["routes", *(name for name, span in spans.items() if span is not None)]
    heading = 0.35 if title else 0.05
    heights = [PANEL * view.shape[0] / max(view.shape) for view in views]
    width = 2 * MARGIN + len(panels) * (PANEL + GAP) - GAP
    below = STRIP + SCALE * (len(panels) > 1)
    figure = style.new_figure(width, heading + CAPTION + sum(heights) + GAP * (len(views) - 1) + below)
    style.write_title(figure, title, 0.12)
    top, first = heading + CAPTION, []
    for view, height in zip(views, heights, strict=True):
        for column, panel in enumerate(panels):
            wide = PANEL * view.shape[1] / max(view.shape)
            left = MARGIN + column * (PANEL + GAP) + (PANEL - wide) / 2
            axes = style.place(figure, left, top, wide, height)
            _draw(axes, view, panel, spans.get(panel))
            if view is views[0]:
                axes.set_title(panel, size=style.LABEL_SIZE, color=style.INK, pad=4)
                first.append(axes)
        top += height + GAP
    for column, panel in enumerate(panels):
        if span := spans.get(panel):
            strip = style.place(
                figure, MARGIN + column * (PANEL + GAP) + 0.15 * PANEL, top - 0.1, 0.7 * PANEL, 0.08
            )
            _cost_scale(strip, span)
    style.legend_below(figure, [first[0]])
    return figure


def _shared_span(costs: Sequence[np.ndarray | None]) -> tuple[float, float] | None:
    """One scale for all problems of a column, so that a colour means one cost; None where there are no costs."""
    known = [one for one in costs if one is not None]
    if not known:
        return None
    low = max(min(float(one.min()) for one in known), 1e-6)
    return low, max(*(float(one.max()) for one in known), 1.001 * low)


def _cost_scale(strip: Axes, span: tuple[float, float]) -> None:
    """The colours of the costs, with the numbers at both ends and in the middle."""
    scale = style.colour_scale(strip, ScalarMappable(LogNorm(*span), style.VALUE_COLOURS))
    ticks = np.geomspace(*span, 3)
    scale.set_ticks(ticks, labels=[f"{tick:.3g}" for tick in ticks])
    scale.ax.minorticks_off()


def _draw(axes: Axes, view: GroundView, panel: str, span: tuple[float, float] | None) -> None:
    place: dict[str, Any] = {"extent": maps.extent_of(view.shape), "interpolation": "nearest"}
    costs = COSTS[panel](view) if panel in COSTS else None
    if panel == "routes":
        axes.imshow(view.image, **place)
        _draw_routes(axes, view)
    elif costs is not None and span is not None:
        axes.imshow(np.maximum(costs, span[0]), cmap=style.VALUE_COLOURS, norm=LogNorm(*span), **place)
    maps.frame(axes)


def _draw_routes(axes: Axes, view: GroundView) -> None:
    """The demonstrated path below the policy's, so that both can be seen."""
    maps.draw_paths(
        axes, view.shape, view.route, view.demonstrated, names=("planned route", "demonstrated path")
    )
    last = view.route if view.demonstrated is None else view.demonstrated
    maps.draw_ends(axes, view.shape, view.route[0], view.goal or last[-1])

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

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of cells."""
        return self.image.shape[0] // self.pixels, self.image.shape[1] // self.pixels


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
        maps.draw_paths(axes, view.shape, view.route, None)
        if view.demonstrated is not None:
            style_of = {"color": style.SHORTEST, "linewidth": 2.2, "linestyle": (0, (1, 1)), "zorder": 4}
            axes.plot(view.demonstrated[:, 1], view.demonstrated[:, 0], label="demonstrated path", **style_of)
        maps.draw_ends(
            axes,
            view.shape,
            view.route[0],
            (view.demonstrated if view.demonstrated is not None else view.route)[-1],
        )
    elif costs is not None:
        low = max(float(costs.min()), 1e-6)
        norm = LogNorm(low, max(float(costs.max()), 1.001 * low))
        axes.imshow(
            np.maximum(costs, low),
            cmap=style.VALUE_COLOURS,
            norm=norm,
            extent=extent,
            interpolation="nearest",
        )
    maps.frame(axes)

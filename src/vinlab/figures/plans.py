"""One plan in three panels: the map with its paths, the learned reward, the value."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Num, Shaped
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from vinlab.figures import maps, style
from vinlab.figures.maps import Position

MARGIN, GAP, HEADING, CAPTION, STRIP = 0.2, 0.3, 0.35, 0.28, 0.5
"""Inches; the strip below each panel is for the legend, or for the scale of its colours."""


@dataclass(frozen=True)
class _Layout:
    """Where the panels go, in inches: side by side, or one below the other where maps are wide."""

    panel_width: float
    panel_height: float
    slot_width: float
    stacked: bool
    heading: float

    @property
    def slot_height(self) -> float:
        return CAPTION + self.panel_height + STRIP

    @property
    def sheet(self) -> tuple[float, float]:
        across, down = (1, 3) if self.stacked else (3, 1)
        width = across * self.slot_width + (across - 1) * GAP + 2 * MARGIN
        return width, self.heading + down * self.slot_height

    def corner(self, index: int) -> tuple[float, float]:
        """The left and upper edge of a panel."""
        aside = (self.slot_width - self.panel_width) / 2
        if self.stacked:
            return MARGIN + aside, self.heading + index * self.slot_height + CAPTION
        return MARGIN + aside + index * (self.slot_width + GAP), self.heading + CAPTION


def plan_figure(
    obstacles: Shaped[np.ndarray, "H W"],
    reward: Num[np.ndarray, "H W"],
    value: Num[np.ndarray, "H W"],
    *,
    predicted: Num[np.ndarray, "T 2"],
    shortest: Num[np.ndarray, "S 2"] | None,
    start: Position,
    goal: Position,
    reward_range: tuple[float, float] | None = None,
    title: str = "",
) -> Figure:
    """The map with the predicted and the shortest path, the learned reward, the value of each free cell.

    Rewards outside ``reward_range`` have the colours of its ends, and the scale of colours shows that there are some.
    """
    maps.require_map("obstacles", obstacles)
    for name, field in (("reward", reward), ("value", value)):
        maps.require_map(name, field, obstacles.shape)
    layout = _layout(*obstacles.shape, heading=HEADING if title else 0.05)
    figure = style.new_figure(*layout.sheet)
    style.write_title(figure, title, 0.12)
    shape = (obstacles.shape[0], obstacles.shape[1])

    panel = _panel(figure, layout, 0, "map and paths")
    maps.draw_map(panel, obstacles)
    maps.draw_paths(panel, shape, predicted, shortest)
    maps.draw_ends(panel, shape, start, goal)
    # The legend stands below the map, where it covers nothing.
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "ncols": 4 if layout.stacked else 2}
    panel.legend(**place, columnspacing=1.2, borderaxespad=0.4, **style.LEGEND)
    fields = (("learned reward", reward, style.REWARD_COLOURS), ("value", value, style.VALUE_COLOURS))
    for index, (caption, field, colours) in enumerate(fields, start=1):
        panel = _panel(figure, layout, index, caption)
        hidden, span = (obstacles != 0, None) if caption == "value" else (None, reward_range)
        image = maps.draw_field(panel, field, colours, hidden=hidden, span=span)
        maps.draw_ends(panel, shape, None, goal)
        _colour_scale(figure, layout, index, image)
    return figure


def _layout(rows: int, cols: int, heading: float) -> _Layout:
    stacked = cols >= 3 * rows
    widest, highest = (6.0, 2.0) if stacked else (2.6, 3.6)
    scale = min(widest / cols, highest / rows)
    # The legend needs some width beside a narrow map.
    return _Layout(cols * scale, rows * scale, max(cols * scale, 2.2), stacked, heading)


def _panel(figure: Figure, layout: _Layout, index: int, caption: str) -> Axes:
    left, top = layout.corner(index)
    axes = style.place(figure, left, top, layout.panel_width, layout.panel_height)
    axes.set_title(caption, size=style.LABEL_SIZE, color=style.INK, pad=5)
    return axes


def _colour_scale(figure: Figure, layout: _Layout, index: int, image: AxesImage) -> None:
    left, top = layout.corner(index)
    width = min(max(layout.panel_width, 1.4), 2.6)
    left += (layout.panel_width - width) / 2
    axes = style.place(figure, left, top + layout.panel_height + 0.12, width, 0.09)
    shown, (low, high) = image.get_array(), image.get_clim()
    assert shown is not None
    # The ends of the scale show where there are numbers beyond it.
    below, above = bool(shown.min() < low), bool(shown.max() > high)
    extend = "both" if below and above else "min" if below else "max" if above else "neither"
    style.colour_scale(axes, image, extend=extend)

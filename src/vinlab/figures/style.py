"""The look of all figures: one palette that colour-blind readers can tell apart, one set of sizes, of axes and legends.

Nothing here changes matplotlib's global settings.
"""

from collections.abc import Sequence
from typing import Any, Final, SupportsFloat

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

# The palette of Okabe and Ito.
BLUE: Final = "#0072B2"
SKY: Final = "#56B4E9"
GREEN: Final = "#009E73"
ORANGE: Final = "#E69F00"
VERMILION: Final = "#D55E00"
PURPLE: Final = "#CC79A7"
INK: Final = "#262626"
LINES: Final = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
"""The colours of several lines in one panel, in order."""

PREDICTED: Final = VERMILION
SHORTEST: Final = SKY
OBSTACLE: Final = "#4D4D4D"
FREE: Final = "#FAFAFA"
GOAL: Final = PURPLE
HIDDEN: Final = "#D9D9D9"
CELL_LINE: Final = "#E6E6E6"
FRAME: Final = "#8C8C8C"

VALUE_COLOURS: Final = "viridis"
REWARD_COLOURS: Final = "cividis"

TITLE_SIZE: Final = 11.0
LABEL_SIZE: Final = 9.0
TICK_SIZE: Final = 8.0
DOTS_PER_INCH: Final = 200

LEGEND: Final[dict[str, Any]] = {"fontsize": TICK_SIZE, "frameon": False, "handlelength": 1.6}
"""The look of every legend."""


def new_figure(width: float, height: float) -> Figure:
    """An empty white figure, its sides in inches."""
    return Figure(figsize=(width, height), dpi=DOTS_PER_INCH, facecolor="white")


def place(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes on the figure, in inches from its left and upper edges."""
    across, down = figure.get_size_inches()
    return figure.add_axes((left / across, (down - top - height) / down, width / across, height / down))


def write_title(figure: Figure, title: str, top: float) -> None:
    """The title of the whole figure, so many inches below its upper edge."""
    height = figure.get_size_inches()[1]
    figure.text(0.5, 1 - top / height, title, ha="center", va="top", size=TITLE_SIZE, color=INK)


_MARKER: Final = {"linestyle": "none", "markeredgecolor": INK, "markeredgewidth": 0.7, "zorder": 5}


def mark_start(axes: Axes, row: SupportsFloat, col: SupportsFloat, *, size: float) -> None:
    """A white disc."""
    look = {"marker": "o", "markersize": size, "markerfacecolor": "white", "label": "start", **_MARKER}
    axes.plot(float(col), float(row), **look)


def mark_goal(axes: Axes, row: SupportsFloat, col: SupportsFloat, *, size: float) -> None:
    """A star."""
    look = {"marker": "*", "markersize": size, "markerfacecolor": GOAL, "label": "goal", **_MARKER}
    axes.plot(float(col), float(row), **look)


def dress(axes: Axes, *, across: str, up: str, ticks: int = 6) -> None:
    """Labels, a light grid behind the lines, no box, and whole numbers across."""
    axes.set_xlabel(across, size=LABEL_SIZE, color=INK)
    axes.set_ylabel(up, size=LABEL_SIZE, color=INK)
    axes.tick_params(which="both", labelsize=TICK_SIZE, length=2.5, color=FRAME, labelcolor=INK)
    axes.grid(color=CELL_LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.xaxis.set_major_locator(MaxNLocator(ticks, integer=True))
    for side, spine in axes.spines.items():
        spine.set(color=FRAME, linewidth=0.8, visible=side in ("left", "bottom"))


def colour_scale(strip: Axes, colours: ScalarMappable, *, ticks: int = 4, extend: str = "neither") -> Any:
    """A horizontal scale of colours, with few numbers, that fills its axes."""
    scale = strip.figure.colorbar(colours, cax=strip, orientation="horizontal", extend=extend)
    scale.outline.set_visible(False)  # pyright: ignore
    scale.ax.xaxis.set_major_locator(MaxNLocator(ticks))
    scale.ax.tick_params(labelsize=TICK_SIZE, length=2, color=FRAME, labelcolor=INK)
    return scale


def legend_below(figure: Figure, panels: Sequence[Axes], *, columns: int = 4) -> None:
    """One legend for all panels, at the lower edge of the figure; each label once."""
    entries = {}
    for panel in panels:
        handles, labels = panel.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    place = {"loc": "lower center", "bbox_to_anchor": (0.5, 0.0), "ncols": columns}
    figure.legend(list(entries.values()), list(entries), **place, columnspacing=1.4, **LEGEND)

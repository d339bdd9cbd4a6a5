"""The look of all figures: one palette that colour-blind readers can tell apart, one set of sizes.

Nothing here changes matplotlib's global settings.
"""

from typing import Final, SupportsFloat

from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
    axes.plot(
        float(col), float(row), marker="o", markersize=size, markerfacecolor="white", label="start", **_MARKER
    )


def mark_goal(axes: Axes, row: SupportsFloat, col: SupportsFloat, *, size: float) -> None:
    """A star."""
    axes.plot(
        float(col), float(row), marker="*", markersize=size, markerfacecolor=GOAL, label="goal", **_MARKER
    )

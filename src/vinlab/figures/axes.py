"""What all charts share: labels, grid and spines of their axes, and legends."""

from collections.abc import Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from vinlab.figures import style

LEGEND: Final[dict[str, Any]] = {"fontsize": style.TICK_SIZE, "frameon": False, "handlelength": 1.6}
"""The look of every legend."""


def dress(axes: Axes, *, across: str, up: str, ticks: int = 6) -> None:
    """Labels, a light grid behind the lines, no box, and whole numbers across."""
    axes.set_xlabel(across, size=style.LABEL_SIZE, color=style.INK)
    axes.set_ylabel(up, size=style.LABEL_SIZE, color=style.INK)
    axes.tick_params(
        which="both", labelsize=style.TICK_SIZE, length=2.5, color=style.FRAME, labelcolor=style.INK
    )
    axes.grid(color=style.CELL_LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.xaxis.set_major_locator(MaxNLocator(ticks, integer=True))
    for side, spine in axes.spines.items():
        spine.set(color=style.FRAME, linewidth=0.8, visible=side in ("left", "bottom"))


def colour_scale(strip: Axes, colours: ScalarMappable, *, ticks: int = 4, extend: str = "neither") -> Any:
    """A horizontal scale of colours, with few numbers, that fills its axes."""
    scale = strip.figure.colorbar(colours, cax=strip, orientation="horizontal", extend=extend)
    scale.outline.set_visible(False)  # pyright: ignore
    scale.ax.xaxis.set_major_locator(MaxNLocator(ticks))
    scale.ax.tick_params(labelsize=style.TICK_SIZE, length=2, color=style.FRAME, labelcolor=style.INK)
    return scale


def legend_below(figure: Figure, panels: Sequence[Axes], *, columns: int = 4) -> None:
    """One legend for all panels, at the lower edge of the figure; each label once."""
    entries = {}
    for panel in panels:
        handles, labels = panel.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="lower center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=columns,
        columnspacing=1.4,
        **LEGEND,
    )

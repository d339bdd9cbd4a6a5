"""Learning curves from the records of a run."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from vinlab.figures import style
from vinlab.types import InputError

Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Panel:
    """A kind of metric, drawn on one axis."""

    label: str
    names: str
    """A regular expression for the full name of a metric."""
    is_share: bool = False
    may_be_log: bool = False
    """Whether the axis is logarithmic where the values span more than a decade."""


PANELS: Final = (
    Panel("loss", r"(.*_)?loss", may_be_log=True),
    Panel("share of problems or states", r"(.*_)?(accuracy|success|success_rate)", is_share=True),
    Panel("distance", r"(.*_)?distance"),
    Panel("learning rate", r"(learning_)?rate|lr"),
)
CLOCKS: Final = ("epoch", "iteration", "step")
"""The metrics that count the records; the first one in the last record is the horizontal axis."""

PANEL_WIDTH, PANEL_HEIGHT = 2.7, 2.1
LEFT, BELOW, RIGHT = 0.75, 0.5, 0.15


def curves_figure(records: Records, *, title: str = "") -> Figure:
    """Loss, success, distance and learning rate by epoch, one panel for each that was recorded.

    Records with another counter than the last one are of another stage and left out.
    """
    if not records:
        raise InputError("records: expected at least one record of a run, got none.")
    panels = [(panel, names) for panel in PANELS if (names := _names(records, panel))]
    if not panels:
        raise InputError(
            f"records: expected a loss, accuracy, success, distance or rate, got {_all_names(records)}."
        )
    heading = 0.4 if title else 0.15
    figure = style.new_figure(len(panels) * (LEFT + PANEL_WIDTH + RIGHT), heading + PANEL_HEIGHT + BELOW)
    style.write_title(figure, title, 0.1)
    for index, (panel, names) in enumerate(panels):
        left = LEFT + index * (LEFT + PANEL_WIDTH + RIGHT)
        axes = style.place(figure, left, heading, PANEL_WIDTH, PANEL_HEIGHT)
        _draw_panel(axes, panel, names, records)
    return figure


def _draw_panel(axes: Axes, panel: Panel, names: Sequence[str], records: Records) -> None:
    clock = _clock(records)
    for colour, name in zip(style.LINES * len(names), names, strict=False):
        xs, ys = zip(*_points(records, clock, name), strict=True)
        # Few points get markers; a single point has no line.
        marker, label = "o" if len(xs) <= 20 else "", name.replace("_", " ")
        axes.plot(
            xs, ys, color=colour, linewidth=1.4, marker=marker, markersize=3, label=label, clip_on=False
        )
    style.dress(axes, across=clock or "record", up=panel.label)
    if panel.is_share:
        # No more digits than needed, and few numbers: long ones would run into the panel on the left.
        axes.yaxis.set_major_locator(MaxNLocator(6))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{round(100 * share, 6):g}%"))
        axes.set_ylim(top=min(axes.get_ylim()[1], 1.0))
    elif panel.may_be_log and _spans_decades(axes):
        axes.set_yscale("log")
    if len(names) > 1:
        axes.legend(**style.LEGEND)
    else:
        axes.set_ylabel(names[0].replace("_", " "), size=style.LABEL_SIZE, color=style.INK)


def _spans_decades(axes: Axes) -> bool:
    heights = [float(y) for line in axes.get_lines() for y in line.get_ydata()]  # type: ignore[union-attr]
    return min(heights) > 0 and max(heights) > 10 * min(heights)


def _names(records: Records, panel: Panel) -> list[str]:
    """The metrics of the panel that have a point to draw."""
    names = [name for name in _all_names(records) if re.fullmatch(panel.names, name)]
    return [name for name in names if _points(records, _clock(records), name)]


def _all_names(records: Records) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record))


def _clock(records: Records) -> str | None:
    return next((name for name in CLOCKS if _is_number(records[-1].get(name))), None)


def _points(records: Records, clock: str | None, name: str) -> list[tuple[float, float]]:
    """The finite values of a metric, which need not be measured in every epoch."""
    times = (record.get(clock) if clock else index for index, record in enumerate(records, start=1))
    pairs = zip(times, (record.get(name) for record in records), strict=True)
    return [(float(time), float(number)) for time, number in pairs if _is_number(time) and _is_number(number)]


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)

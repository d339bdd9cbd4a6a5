"""Curves of several seeds: their mean, and the range between the lowest and the highest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from vinlab.figures import style
from vinlab.types import InputError

WIDTH, HEIGHT = 4.2, 2.7
LEFT, TOP, BELOW = 0.75, 0.45, 0.55
KEY, LETTER = 0.55, 0.068
"""The width of a legend in inches: its line sample, and each letter of its text."""

DASHES = ("-", "--", ":")
"""Of the first curves, and of those for which no colour is left."""

Points = Mapping[int, float] | Mapping[float, float]
"""The values of y by x."""


@dataclass(frozen=True)
class Curve:
    """One quantity over another, for several seeds."""

    label: str
    seeds: Sequence[Points]
    """The points of each seed."""


def seeds_figure(
    curves: Sequence[Curve], *, across: str, up: str, title: str = "", is_share: bool = True
) -> Figure:
    """The mean over the seeds as a line, and their range as a band."""
    if not curves:
        raise InputError("curves: expected at least one curve, got none.")
    legend = KEY + LETTER * max(len(curve.label) for curve in curves)
    figure = style.new_figure(LEFT + WIDTH + legend, TOP + HEIGHT + BELOW)
    style.write_title(figure, title, 0.12)
    axes = style.place(figure, LEFT, TOP, WIDTH, HEIGHT)
    looks = [(dashes, colour) for dashes in DASHES for colour in style.LINES]
    if len(curves) > len(looks):
        raise InputError(f"curves: expected at most {len(looks)} curves, got {len(curves)}.")
    for (dashes, colour), curve in zip(looks, curves, strict=False):
        # Only values of x that all seeds have can be compared.
        xs = sorted(set.intersection(*(set(seed) for seed in curve.seeds)))
        ys = np.array([[seed[x] for x in xs] for seed in curve.seeds])
        line = {"color": colour, "linestyle": dashes, "linewidth": 1.5}
        axes.plot(xs, ys.mean(axis=0), **line, label=curve.label, clip_on=False)
        if len(ys) > 1:
            axes.fill_between(xs, ys.min(axis=0), ys.max(axis=0), color=colour, alpha=0.18, linewidth=0)
    style.dress(axes, across=across, up=up, ticks=7)
    if is_share:
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), **style.LEGEND)  # where it covers no line
    return figure

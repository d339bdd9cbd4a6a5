"""How often policies succeed: over their training, and by the difficulty of the problems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from vinlab.figures import style
from vinlab.figures.axes import dress, legend_beside
from vinlab.types import InputError

WIDTH, HEIGHT = 4.2, 2.7
LEFT, TOP, BELOW = 0.75, 0.45, 0.55
KEY, LETTER = 0.55, 0.068
"""Inches that a legend takes beside its words, and that a letter of them takes."""


@dataclass(frozen=True)
class Curve:
    """A quantity over another, one line for each seed."""

    label: str
    seeds: Sequence[Mapping[int, float]]
    """For each seed the heights by their places."""


def seeds_figure(
    curves: Sequence[Curve], *, across: str, up: str, title: str = "", is_share: bool = True
) -> Figure:
    """The mean over the seeds as a line, and all seeds as the band between the lowest and the highest."""
    if not curves:
        raise InputError("curves must hold at least one curve, but none came.")
    legend = KEY + LETTER * max(len(curve.label) for curve in curves)
    figure = style.new_figure(LEFT + WIDTH + legend, TOP + HEIGHT + BELOW)
    style.write_title(figure, title, 0.12)
    axes = style.place(figure, LEFT, TOP, WIDTH, HEIGHT)
    for colour, curve in zip(style.LINES * len(curves), curves, strict=False):
        _draw(axes, curve, colour)
    _dress(axes, across, up, is_share)
    return figure


def _draw(axes: Axes, curve: Curve, colour: str) -> None:
    # Only places that all seeds have can be compared.
    places = sorted(set.intersection(*(set(seed) for seed in curve.seeds)))
    heights = np.array([[seed[place] for place in places] for seed in curve.seeds])
    axes.plot(places, heights.mean(axis=0), color=colour, linewidth=1.5, label=curve.label)
    if len(heights) > 1:
        axes.fill_between(
            places, heights.min(axis=0), heights.max(axis=0), color=colour, alpha=0.18, linewidth=0
        )


def _dress(axes: Axes, across: str, up: str, is_share: bool) -> None:
    dress(axes, across=across, up=up, ticks=7)
    if is_share:
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    legend_beside(axes)

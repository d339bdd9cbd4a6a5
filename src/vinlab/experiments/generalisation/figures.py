"""How success falls with the distance to the goal, from finished runs."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, ScalarFormatter

from vinlab.experiments.any_map.evaluate import DISTANCES
from vinlab.experiments.generalisation.settings import MODELS
from vinlab.figures.save import save_figure
from vinlab.figures.seeds import Curve, seeds_figure
from vinlab.recording.finished_run import FinishedRun

FIGURES = {
    "generalisation_mazes.png": ("mazes 101", "Perfect mazes of 101 × 101 cells"),
    "generalisation_open_mazes.png": ("mazes 101, 10 % open", "Mazes of 101 × 101 cells, 10 % open"),
    "generalisation_scattered.png": ("scattered 100, 25 %", "Scattered obstacles, 100 × 100 cells"),
}
"""The maps with the longest paths, by the name of their figure."""


def draw_generalisation(runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    """Draw the share of cells that reach the goal over their distance; the files come back."""
    ordered = sorted(runs, key=lambda run: list(MODELS).index(run.manifest.id))
    return [
        save_figure(distance_figure(ordered, kind, title), out / name)
        for name, (kind, title) in FIGURES.items()
        if any(kind in run.result["scores"] for run in ordered)
    ]


def distance_figure(runs: Sequence[FinishedRun], kind: str, title: str) -> Figure:
    """A line for each model, over classes of distance of which each is twice as far as the one before."""
    curves = [
        Curve(
            run.manifest.config["model"],
            [{one["up_to"]: one["reached_share"] for one in run.result["scores"][kind]["by_distance"]}],
        )
        for run in runs
        if kind in run.result["scores"]
    ]
    across, up = "length of the shortest path to the goal, up to", "cells that reach the goal"
    figure = seeds_figure(curves, across=across, up=up, title=title)
    (axes,) = figure.axes
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(DISTANCES[1:-1]))
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.minorticks_off()
    return figure

"""Figures of the arena: one path, and success over training maps and over the length of the path."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from vinlab.domains.motion.problem import MotionProblems, cost_to_go
from vinlab.experiments.arena.data import ArenaData, make_test_sets
from vinlab.experiments.arena.evaluate import LENGTHS
from vinlab.experiments.arena.settings import RIVALS
from vinlab.experiments.base import recorded_data, require_problem
from vinlab.figures.headings import headings_figure
from vinlab.figures.save import save_figure
from vinlab.figures.seeds import Curve, seeds_figure
from vinlab.models import Model
from vinlab.navigation.motion import actions_everywhere, follow_actions
from vinlab.planning.moves import LayeredMoves, motion_named
from vinlab.recording.finished_run import FinishedRun

NETWORKS = ("best", *RIVALS)
"""In the order of the legends."""

UPPER: dict[int, int] = dict(pairwise(LENGTHS))
"""Where each class of path length ends."""


def draw_path(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """Draw the network's path on a test maze of its benchmark, from the state that is farthest from the goal."""
    settings = recorded_data(ArenaData, model.config)
    moves = motion_named(settings.motion)
    problems = next(iter(make_test_sets(settings).values()))
    chosen = problems[[require_problem(problem or 0, len(problems))]]
    start = farthest(chosen, moves)
    problem_there = MotionProblems(chosen.obstacles, start[None], chosen.goals)
    actions = actions_everywhere(model.network, problem_there, moves)
    states, made, reached = follow_actions(actions[0], problem_there, moves)
    words = f"{len(made)} moves" if reached else f"goal not reached after {len(made)} moves"
    figure = headings_figure(
        chosen.obstacles[0], states, moves.directions, goal=chosen.goals[0], title=f"{model.id}: {words}"
    )
    return [save_figure(figure, out / f"{model.prefix}path.png")]


def farthest(problem: MotionProblems, moves: LayeredMoves) -> np.ndarray:
    """The state ``(row, col, layer)`` with the longest of all shortest paths to the goal."""
    lengths = cost_to_go(problem, moves)[0]
    lengths = np.where(np.isfinite(lengths), lengths, -1.0)
    layer, row, col = np.unravel_index(int(lengths.argmax()), lengths.shape)
    return np.array([row, col, layer])


def draw_curves(runs: Sequence[FinishedRun], out: Path) -> list[Path]:
    """Draw success over the number of training maps and over the length of the path, as far as there are runs."""
    figures = {
        "arena_training_maps.png": maps_figure(runs),
        "arena_path_length.png": length_figure(
            curves_by_network(runs, "gppn-15"), "GPPN's mazes 15 × 15, four moves, 10,000 training maps"
        ),
        "arena_perfect_mazes.png": length_figure(_perfect(runs), "Perfect mazes"),
    }
    return [save_figure(figure, out / name) for name, figure in figures.items() if figure is not None]


def maps_figure(runs: Sequence[FinishedRun]) -> Figure | None:
    """Success on GPPN's mazes after training on 100, 1,000 and 10,000 maps."""
    points: dict[str, dict[int, dict[int, float]]] = {}
    for run in runs:
        _, benchmark, name = run.manifest.id.split("/")
        network = name.removesuffix("-1k").removesuffix("-100")
        if benchmark == "gppn-15" and network in NETWORKS:
            (scores,) = run.result["scores"].values()
            seeds = points.setdefault(network, {}).setdefault(run.manifest.seed, {})
            seeds[run.result["training_maps"]] = scores["percent_success"] / 100
    several = {name: [seed for seed in points.get(name, {}).values() if len(seed) > 1] for name in NETWORKS}
    curves = [Curve(network, found) for network, found in several.items() if found]
    if not curves:
        return None
    up, title = "success from all free cells", "GPPN's mazes 15 × 15, four moves"
    figure = seeds_figure(curves, across="training maps", up=up, title=title)
    _logarithmic(figure, sorted({count for curve in curves for seed in curve.seeds for count in seed}))
    return figure


def length_figure(curves: Sequence[Curve], title: str) -> Figure | None:
    """Success over the length of the shortest path; classes are up to twice as long as the one before."""
    if not curves:
        return None
    figure = seeds_figure(
        curves, across="length of the shortest path, up to", up="states that reach the goal", title=title
    )
    _logarithmic(figure, sorted({length for curve in curves for seed in curve.seeds for length in seed}))
    return figure


def curves_by_network(runs: Sequence[FinishedRun], benchmark: str) -> list[Curve]:
    """A curve for each network on a benchmark with one set of test mazes."""
    return [
        Curve(network, [_lengths(next(iter(run.result["scores"].values()))) for run in found])
        for network in NETWORKS
        if (found := [run for run in runs if run.manifest.id == f"arena/{benchmark}/{network}"])
    ]


def _perfect(runs: Sequence[FinishedRun]) -> list[Curve]:
    """The curves of perfect mazes, on the largest that each network was tested on."""
    curves = []
    for id, trained in (("arena/perfect-101/best", "up to 101 × 101"), ("arena/mazes-9/best", "9 × 9")):
        found = [run for run in runs if run.manifest.id == id]
        if found:
            *_, largest = found[0].result["scores"]
            label = f"trained on {trained}, tested on {largest.removeprefix('perfect ')}"
            curves.append(Curve(label, [_lengths(run.result["scores"][largest]) for run in found]))
    return curves


def _lengths(scores: Mapping[str, Any]) -> dict[int, float]:
    """Success by the end of each class of length; that of the last class is the longest path there is."""
    found = [one for one in scores["by_length"] if one["states"]]
    return {_end(one["above"], scores): one["percent_success"] / 100 for one in found}


def _end(low: int, scores: Mapping[str, Any]) -> int:
    last = UPPER[low] == LENGTHS[-1]
    return round(scores.get("longest", 2 * low)) if last else UPPER[low]


def _logarithmic(figure: Figure, ticks: Sequence[int | float]) -> None:
    (axes,) = figure.axes
    axes.set_xscale("log")
    apart = [tick for tick, following in pairwise([*ticks, 10 * ticks[-1]]) if following >= 1.6 * tick]
    axes.xaxis.set_major_locator(FixedLocator(apart))  # labels that are closer would overlap
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))

"""Tables of how models do on sets of maps, from finished runs."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from vinlab.experiments.any_map.evaluate import DISTANCES
from vinlab.experiments.tables import Column, interval_text, markdown_table, minutes_of, render, train_command
from vinlab.recording.finished_run import FinishedRun

MapSet = tuple[str, Mapping[str, Any]]
"""The name of a set of maps, and the scores on it."""

LEGEND = """\
*Success*: share of the problems whose rollout reaches the goal in at most twice the states of the shortest path.
*Success from all cells*: share of all cells with a path to the goal from which the network reaches it, and *optimally*
by a shortest path (the measures of Gated Path Planning Networks). *K*: backups, doubled from K scaled to the side of
the map as long as more cells reach the goal. *paper*: the obstacles of the paper; *blocks*: fewer and larger ones;
*scattered*: each cell blocked by chance; *mazes*: perfect ones, or with some of their walls taken away.
"""


def map_sets_table(
    title: str, legend: str, columns: Sequence[Column[MapSet]], runs: Sequence[FinishedRun]
) -> str:
    """A table for each run, a line for each set of maps."""
    ordered = sorted(runs, key=lambda run: (run.manifest.id, run.manifest.recipe, run.manifest.seed))
    parts = [f"# {title}", "", legend]
    for run in ordered:
        manifest, (minutes,) = run.manifest, minutes_of([run])
        recipe = "" if manifest.recipe == "default" else f", recipe {manifest.recipe}"
        budget = "" if manifest.budget == "paper" else f", budget {manifest.budget}"
        command = f"{train_command(manifest.id, manifest.recipe, manifest.budget)} --seed {manifest.seed}"
        threads = f"{manifest.threads} thread{'s' if manifest.threads > 1 else ''}"
        commit = (manifest.commit or "unknown")[:10]
        parts.append(f"## {manifest.id}{recipe}{budget}, seed {manifest.seed}\n")
        parts.append(f"`{command}`, {minutes:.1f} minutes with {threads}, commit {commit}.\n")
        parts.append(render(columns, run.result["scores"].items()))
    return "\n".join(parts)


def percent(share: float, digits: int = 2) -> str:
    """A share as a percentage."""
    return f"{100 * share:.{digits}f} %"


def column(heading: str, measure: str, form: Callable[[Any], str]) -> Column[MapSet]:
    """The column of a measure."""
    return Column(heading, lambda one: form(one[1][measure]))


COLUMNS: tuple[Column[MapSet], ...] = (
    Column("maps", lambda one: one[0]),
    column("problems", "num_problems", str),
    column("success", "success_rate", lambda share: percent(share, 1)),
    Column("95 % interval", lambda one: interval_text([one[1]], 1)),
    column("success from all cells", "reached_share", percent),
    column("optimally", "optimally_reached_share", percent),
    Column("K, mean", lambda one: f"{one[1]['mean_iterations']:.0f}" if one[1]["most_iterations"] else "∞"),
    column("K, most", "most_iterations", lambda most: str(most or "∞")),
)


def table(runs: Sequence[FinishedRun]) -> str:
    """How each model does on each set of maps."""
    return map_sets_table("One planner for any map", LEGEND, COLUMNS, runs)


def distance_table(scores: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """The share of cells that reach the goal, by distance: a line for each model and set of maps."""
    ends = list(pairwise(DISTANCES))
    headers = ["model", "maps", *(f"{low}–{high}" for low, high in ends)]
    rows = []
    for model, kinds in scores.items():
        for name, one in kinds.items():
            shares = {part["above"]: part["reached_share"] for part in one["by_distance"]}
            cells = [f"{100 * shares[low]:.1f}" if low in shares else "–" for low, _ in ends]
            rows.append([model, name, *cells])
    return markdown_table(headers, rows)

"""Tables of how models do on sets of maps, from finished runs."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from vinlab.evaluation.statistics import wilson_interval
from vinlab.experiments.any_map.evaluate import DISTANCES
from vinlab.experiments.tables import markdown_table, minutes_of, train_command
from vinlab.recording.finished_run import FinishedRun

HEADERS = (
    "maps",
    "problems",
    "success",
    "95 % interval",
    "success from all cells",
    "optimally",
    "K, mean",
    "K, most",
)

LEGEND = """\
*Success*: share of the problems whose rollout reaches the goal in at most twice the states of the shortest path.
*Success from all cells*: share of all cells with a path to the goal from which the network reaches it, and *optimally*
by a shortest path (the measures of Gated Path Planning Networks). *K*: backups, doubled from K scaled to the side of
the map as long as more cells reach the goal. *paper*: the obstacles of the paper; *blocks*: fewer and larger ones;
*scattered*: each cell blocked by chance; *mazes*: perfect ones, or with some of their walls taken away.
"""


def map_sets_table(title: str, runs: Sequence[FinishedRun]) -> str:
    """A table for each run, a line for each set of maps."""
    ordered = sorted(runs, key=lambda run: (run.manifest.id, run.manifest.recipe, run.manifest.seed))
    parts = [f"# {title}", "", LEGEND]
    for run in ordered:
        rows = markdown_table(HEADERS, [_row(name, one) for name, one in run.result["scores"].items()])
        parts.append(f"## {_name(run)}\n\n{about_run(run)}\n\n{rows}")
    return "\n".join(parts)


def _name(run: FinishedRun) -> str:
    manifest = run.manifest
    recipe = "" if manifest.recipe == "default" else f", recipe {manifest.recipe}"
    budget = "" if manifest.budget == "paper" else f", budget {manifest.budget}"
    return f"{manifest.id}{recipe}{budget}, seed {manifest.seed}"


def about_run(run: FinishedRun) -> str:
    """By which command the run was trained, how long and from which commit."""
    manifest, (minutes,) = run.manifest, minutes_of([run])
    command = f"{train_command(manifest.id, manifest.recipe, manifest.budget)} --seed {manifest.seed}"
    return (
        f"`{command}`, {minutes:.1f} minutes with {manifest.threads} thread"
        f"{'s' if manifest.threads > 1 else ''}, commit {(manifest.commit or 'unknown')[:10]}."
    )


def _row(name: str, scores: Mapping[str, Any]) -> list[str]:
    total = scores["num_problems"]
    low, high = wilson_interval(round(scores["success_rate"] * total), total)
    return [
        name,
        str(total),
        percent(scores["success_rate"], 1),
        f"{100 * low:.1f}–{100 * high:.1f}",
        percent(scores["reached_share"]),
        percent(scores["optimally_reached_share"]),
        f"{scores['mean_iterations']:.0f}" if scores["most_iterations"] else "∞",
        str(scores["most_iterations"] or "∞"),
    ]


def percent(share: float, digits: int = 2) -> str:
    """A share as a percentage."""
    return f"{100 * share:.{digits}f} %"


def distance_table(scores: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """The share of cells that reach the goal, by distance: a line for each model and set of maps."""
    ends = list(pairwise(DISTANCES))
    headers = ["model", "maps", *(f"{low}–{high}" for low, high in ends)]
    rows = [
        [model, name, *_by_distance(one["by_distance"])]
        for model, kinds in scores.items()
        for name, one in kinds.items()
    ]
    return markdown_table(headers, rows)


def _by_distance(classes: Sequence[Mapping[str, Any]]) -> list[str]:
    shares = {one["above"]: one["reached_share"] for one in classes}
    return [f"{100 * shares[low]:.1f}" if low in shares else "–" for low in DISTANCES[:-1]]

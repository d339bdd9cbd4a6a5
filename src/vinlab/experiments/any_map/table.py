"""Tables of how models do on kinds of maps, from recorded runs."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from vinlab.experiments.any_map.evaluate import DISTANCES
from vinlab.recording.finished_run import RecordedRun
from vinlab.recording.markdown import markdown_table, wilson_interval

HEADERS = (
    "maps",
    "problems",
    "success",
    "95 % interval",
    "cells that arrive",
    "optimally",
    "K, mean",
    "K, most",
)

LEGEND = """\
*Success*: share of the problems whose rollout reaches the goal in at most twice the states of the shortest way. *Cells
that arrive*: share of all cells with a way to the goal from which the network comes to it, and *optimally* by a
shortest way (the measures of Gated Path Planning Networks). *K*: backups, doubled from K scaled to the side of the map
as long as more cells came to the goal. *paper*: the obstacles of the paper; *blocks*: fewer and larger ones;
*scattered*: each cell blocked by chance; *mazes*: perfect ones, or with some of their walls taken away.
"""


def kinds_table(title: str, runs: Sequence[RecordedRun]) -> str:
    """A table for each run, a line for each kind of map."""
    ordered = sorted(runs, key=lambda run: (run.manifest.id, run.manifest.recipe, run.manifest.seed))
    parts = [f"# {title}", "", LEGEND]
    parts += [f"## {_name(run)}\n\n{_about(run)}\n\n{_kinds(run.result['scores'])}" for run in ordered]
    return "\n".join(parts)


def _name(run: RecordedRun) -> str:
    manifest = run.manifest
    recipe = "" if manifest.recipe == "default" else f", recipe {manifest.recipe}"
    budget = "" if manifest.budget == "paper" else f", budget {manifest.budget}"
    return f"{manifest.id}{recipe}{budget}, seed {manifest.seed}"


def _about(run: RecordedRun) -> str:
    manifest, minutes = run.manifest, run.result["training_seconds"] / 60
    recipe = "" if manifest.recipe == "default" else f" --recipe {manifest.recipe}"
    budget = "" if manifest.budget == "paper" else f" --budget {manifest.budget}"
    command = f"vinlab train {manifest.id}{recipe}{budget} --seed {manifest.seed}"
    return (
        f"`{command}`, {minutes:.1f} minutes with {manifest.threads} thread"
        f"{'s' if manifest.threads > 1 else ''}, commit {(manifest.commit or 'unknown')[:10]}."
    )


def _kinds(scores: Mapping[str, Mapping[str, Any]]) -> str:
    return markdown_table(HEADERS, [_row(name, one) for name, one in scores.items()])


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
        f"{scores['mean_iterations']:.0f}",
        str(scores["most_iterations"]),
    ]


def percent(share: float, digits: int = 2) -> str:
    """A share as a percentage."""
    return f"{100 * share:.{digits}f} %"


def distance_table(scores: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """The share of cells that arrive, by distance to the goal: a line for each model and kind of map."""
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

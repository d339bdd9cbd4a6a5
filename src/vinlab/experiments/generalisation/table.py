"""The table of generalisation from finished runs."""

from collections.abc import Callable, Sequence
from typing import Any

from vinlab.experiments.any_map.table import LEGEND, distance_table, percent
from vinlab.experiments.generalisation.settings import MODELS
from vinlab.experiments.tables import commits_line, markdown_table
from vinlab.recording.finished_run import FinishedRun

FAR = ("scattered 100, 25 %", "mazes 31", "mazes 101", "mazes 101, 10 % open")
"""The sets of maps by which success is shown over the distance."""


def table(runs: Sequence[FinishedRun]) -> str:
    """Success of every model on every kind of map, from all cells too, and by distance."""
    ordered = sorted(runs, key=lambda run: list(MODELS).index(run.manifest.id))
    scores = {_name(run): run.result["scores"] for run in ordered}
    far = {model: {name: kinds[name] for name in FAR if name in kinds} for model, kinds in scores.items()}
    commands = [f"`vinlab evaluate {MODELS[run.manifest.id]} --suite generalisation`" for run in ordered]
    parts = [
        "# Generalisation of the shipped VINs (beyond the paper)\n",
        "## Success\n",
        _matrix(scores, lambda one: percent(one["success_rate"], 1)),
        "## Success from all cells, and by a shortest path\n",
        _matrix(
            scores, lambda one: f"{percent(one['reached_share'])}, {percent(one['optimally_reached_share'])}"
        ),
        "## Backups: mean and most\n",
        _matrix(scores, _backups),
        "## By the distance to the goal\n",
        "Share of the cells from which the goal is reached, in percent, by the length of their shortest path.\n",
        distance_table(far),
        LEGEND,
        f"{commits_line(ordered)} {', '.join(commands)}.\n",
    ]
    return "\n".join(parts)


def _name(run: FinishedRun) -> str:
    budget = "" if run.manifest.budget == "paper" else f" ({run.manifest.budget})"
    return f"{run.manifest.config['model']}{budget}"


def _backups(one: dict[str, Any]) -> str:
    """A planner to the fixed point has no number of backups."""
    return f"{one['mean_iterations']:.0f}, {one['most_iterations']}" if one["most_iterations"] else "∞"


def _matrix(scores: dict[str, dict[str, Any]], cell: Callable[[dict[str, Any]], str]) -> str:
    """A line for each kind of maps, a column for each model."""
    kinds = list(dict.fromkeys(name for one in scores.values() for name in one))
    rows = [[name, *(cell(one[name]) if name in one else "–" for one in scores.values())] for name in kinds]
    return markdown_table(["maps", *scores], rows)

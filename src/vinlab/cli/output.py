"""What the commands print: progress bars, scores beside the paper's and routes in words."""

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vinlab.maps import Frame, write_route
from vinlab.models import Model
from vinlab.recording.serialization import standard_json, to_plain

if TYPE_CHECKING:  # rich is imported where something is printed with it, so that a plan starts sooner
    from rich.progress import Progress
    from rich.table import Table

    from vinlab.learners.callbacks import Progress as ReportProgress

CornerCutting = Literal["auto", "allow", "forbid"]
"""Whether a diagonal move may pass an obstacle's corner."""


REACHED, NOT_REACHED, NO_ROUTE = 0, 3, 4
"""Exit codes, by which a script sees: the goal is reached; a route exists and is not found; no route exists."""


@dataclass(frozen=True)
class Measure:
    """How a measure is printed."""

    heading: str
    form: str
    in_groups: bool = True
    """Whether it is printed where several sets of problems stand side by side."""


MEASURES = {
    "success_rate": Measure("success", "{:.1%}"),
    "cost_ratio_mean": Measure("cost / cheapest, mean", "{:.4f}"),
    "cost_ratio_median": Measure("median", "{:.4f}"),
    "trajectory_difference": Measure("extra steps, mean", "{:.3f}"),
    "optimal_action_accuracy": Measure("optimal moves", "{:.2%}", in_groups=False),
    "prediction_loss": Measure("0–1 loss vs expert *", "{:.3f}", in_groups=False),
    "reached_share": Measure("success from all cells", "{:.1%}"),
    "optimally_reached_share": Measure("by a shortest path", "{:.1%}"),
    "move_agreement": Measure("demonstrated moves", "{:.1%}"),
    "demonstrated_ratio_mean": Measure("the same of the demonstrations", "{:.3f}"),
    "straight_ratio_mean": Measure("the same of the shortest routes", "{:.3f}"),
    "train_distance": Measure("final distance, training domains", "{:.3f}"),
    "test_distance": Measure("final distance, unseen domains", "{:.3f}"),
    "test_failed": Measure("goal not reached", "{:.1%}"),
    "successes": Measure("successes", "{}"),
    "any_successes": Measure("by any path", "{}"),
    "top1_error": Measure("top-1 error", "{:.3f}"),
    "top4_error": Measure("top-4 error", "{:.3f}"),
    "average_reward": Measure("reward", "{:.3f}"),
    "arrival_rate": Measure("goal reached", "{:.1%}"),
    "percent_optimal": Measure("% optimal, all free states", "{:.3f}"),
    "percent_success": Measure("% success, all free states", "{:.3f}"),
    "exact": Measure("the label's own path", "{:.1%}"),
    "any_shortest": Measure("any shortest path", "{:.1%}"),
    "finished": Measure("finished", "{:.1%}"),
    "shortest_paths": Measure("by a shortest path", "{:.1%}"),
    "clicks": Measure("clicks", "{:.2f}"),
    "shortest": Measure("shortest", "{:.2f}"),
}
"""Every measure that is printed, in this order."""

FOOTNOTE = "* where several moves are optimal, the expert makes one of them"

MAX_NAMED = 8
"""The most unsolvable problems that are named in a table; --json names all."""


def progress_bars() -> "Progress":
    """Bars with the time left and a note, on the standard error."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(file=sys.stderr),
    )


@contextmanager
def watched(title: str, *, visible: bool = True) -> "Iterator[ReportProgress]":
    """A progress bar with the time left."""
    if not visible:
        yield lambda done, total, note: None
        return
    with progress_bars() as bar:
        task = bar.add_task(title, total=None, note="")
        yield lambda done, total, note: bar.update(task, completed=done, total=total, note=note)


def print_scores(id: str, scores: Mapping[str, Any]) -> None:
    """The scores of one set of problems beside the paper's, or of several sets side by side."""
    from rich.console import Console

    Console().print(_scores_table(id, scores) if "num_problems" in scores else _groups_table(id, scores))


def _scores_table(id: str, scores: Mapping[str, Any]) -> "Table":
    from rich.table import Table

    from vinlab.experiments.paper import numbers_of

    paper = numbers_of(id)
    shown = {name: measure for name, measure in MEASURES.items() if name in scores}
    # Data of one's own and experiments beyond the paper have no numbers of it.
    compared = not paper.keys().isdisjoint(shown)
    columns = ("ours", "paper") if compared else ("score",)
    title = f"{id} on {scores['num_problems']} unseen problems"
    table = Table("measure", *columns, title=title, min_width=len(id))  # a narrower one would break the id
    for name, measure in shown.items():
        numbers = (_number(scores[name], measure), _number(paper.get(name), measure))
        table.add_row(measure.heading, *numbers[: len(columns)])
    if count := scores.get("num_unsolvable"):  # those that have no path to the goal, and the first of them
        named = [str(problem) for problem in scores.get("unsolvable", ())]
        more = ", …" if len(named) > MAX_NAMED else ""
        names = f" (problem {', '.join(named[:MAX_NAMED])}{more})" if named else ""
        table.add_row("unsolvable problems", *(f"{count}{names}", "–")[: len(columns)])
    if "prediction_loss" in scores:
        table.caption = FOOTNOTE
    return table


def _groups_table(id: str, groups: Mapping[str, Mapping[str, Any]]) -> "Table":
    """A row for each set of problems."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    first = next(iter(groups.values()))
    measures = {name: measure for name, measure in MEASURES.items() if measure.in_groups and name in first}
    table = Table(title=f"{id} on unseen problems", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("set", no_wrap=True)
    for heading in ("problems", *(measure.heading for measure in measures.values())):
        table.add_column(heading, justify="right")
    for group, scores in groups.items():
        shown = [_number(scores[name], measure) for name, measure in measures.items()]
        count = scores["num_games"] if "num_games" in scores else scores["num_problems"]
        table.add_row(group, str(count), *shown)
    return table


def _number(amount: float | int | None, measure: Measure) -> str:
    return "–" if amount is None or math.isnan(amount) else measure.form.format(amount)


def print_settings(settings: Mapping[str, Any], model: Model) -> None:
    """The settings of an evaluation in one line."""
    others = {name: entry for name, entry in settings.items() if name not in ("model", "iterations")}
    shown = [f"{name.replace('_', ' ')} {entry}" for name, entry in others.items()]
    if settings.get("iterations") is not None:
        shown.append(_backups(settings["iterations"], model))
    print(f"Evaluated with {', '.join(shown)}.")


def _backups(used: int | Sequence[int], model: Model) -> str:
    own = model.network.iterations
    if not model.size:  # a graph has no side, and its first iteration reads the reward itself
        return f"iterations {used}" if used == own else f"iterations {used} (its own are {own})"
    return f"K = {used}" if used == own else f"K = {used} (its own is {own} on side {model.size})"


def print_json(record: Mapping[str, Any]) -> None:
    """One object on one line; what is not a number is null."""
    print(json.dumps(standard_json(to_plain(record))))


def corner_rule(choice: CornerCutting) -> bool | None:
    """Whether corners may be cut; None where the map or the model decides."""
    return {"auto": None, "allow": True, "forbid": False}[choice]


def steps_of(path: Sized) -> str:
    """The number of steps of a path, in words."""
    steps = len(path) - 1
    return f"{steps} step{'' if steps == 1 else 's'}"


def write_path(options: Any, cells: np.ndarray, frame: Frame, summary: Mapping[str, Any]) -> str | None:
    """Write the path, if a file is named and it reaches the goal or is wanted all the same; where it is, in words."""
    if options.path_out is None:
        return None
    if not (summary["reached"] or options.partial):
        return f"No path is written to {options.path_out}, as the goal is not reached; --partial writes what there is."
    write_route(options.path_out, cells, frame, summary)
    return f"The path is in {options.path_out}."


def planned_with(model: Model, used: int | Sequence[int] | None) -> str:
    """The model, K, and that of its training where it differs."""
    depth = "" if used is None else f", {_backups(used, model)}"
    return f"Planned with {model.folder or model.id}{depth}."

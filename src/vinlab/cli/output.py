"""What people see in the terminal: progress bars, scores beside the paper's, and words for a route."""

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from vinlab.experiments import EXPERIMENTS, paper_numbers
from vinlab.learners import distributed
from vinlab.learners.callbacks import Progress as Watcher
from vinlab.learners.callbacks import no_progress
from vinlab.models import Model
from vinlab.navigation.routes import Route
from vinlab.types import InputError

MEASURES = {
    "success_rate": ("reaches the goal", "{:.1%}"),
    "trajectory_difference": ("extra steps, mean", "{:.3f}"),
    "optimal_action_accuracy": ("moves that are optimal", "{:.2%}"),
    "prediction_loss": ("moves unlike the expert's *", "{:.3f}"),
    "train_distance": ("final distance, training domains", "{:.3f}"),
    "test_distance": ("final distance, unseen domains", "{:.3f}"),
    "test_failed": ("ends far from the goal", "{:.1%}"),
}
"""What is shown of one set of problems."""

GROUP_MEASURES = {
    "success_rate": ("arrives", "{:.1%}"),
    "trajectory_difference": ("extra steps", "{:.3f}"),
    "reached_share": ("arrives from all cells", "{:.1%}"),
    "optimally_reached_share": ("by a shortest way", "{:.1%}"),
    "successes": ("successes", "{}"),
    "any_successes": ("by any path", "{}"),
    "top1_error": ("top-1 error", "{:.3f}"),
    "top4_error": ("top-4 error", "{:.3f}"),
    "average_reward": ("reward", "{:.3f}"),
    "arrival_rate": ("arrives", "{:.1%}"),
}
"""What is shown of several sets side by side."""

MOST_NAMED = 8
"""So many unsolvable problems are named on the screen; --json names them all."""


@contextmanager
def watched(title: str) -> Iterator[Watcher]:
    """A progress bar with the time left, on the screen of the first process alone."""
    if distributed.rank() > 0:
        yield no_progress
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(file=sys.stderr)) as bar:
        task = bar.add_task(title, total=None, note="")
        yield lambda done, total, note: bar.update(task, completed=done, total=total, note=note)


def print_scores(id: str, scores: Mapping[str, Any]) -> None:
    """The scores in a table, beside the paper's where it has them."""
    if "num_problems" not in scores:
        _print_groups(id, scores)
        return
    paper = {name: numbers for one in EXPERIMENTS for name, numbers in paper_numbers(one.name).items()}.get(
        id, {}
    )
    table = Table("measure", "ours", "paper", title=f"{id} on {scores['num_problems']} unseen problems")
    for name, (words, form) in MEASURES.items():
        if name not in scores:
            continue
        table.add_row(words, _number(scores[name], form), _number(paper.get(name), form))
    if "prediction_loss" in scores:
        table.caption = "* where several moves are optimal, the expert makes one of them"
    if scores["num_unsolvable"]:
        table.add_row("of them without any route", _counted(scores), "–")
    Console().print(table)


def _counted(scores: Mapping[str, Any]) -> str:
    """How many problems no route solves, and which, as far as a line holds them."""
    named = [str(problem) for problem in scores.get("unsolvable", ())]
    more = ", …" if len(named) > MOST_NAMED else ""
    names = f" (problem {', '.join(named[:MOST_NAMED])}{more})" if named else ""
    return f"{scores['num_unsolvable']}{names}"


def _print_groups(id: str, groups: Mapping[str, Mapping[str, Any]]) -> None:
    """Several sets of problems, a line for each."""
    measures = [name for name in GROUP_MEASURES if name in next(iter(groups.values()))]
    table = Table(title=f"{id} on unseen problems", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("set", no_wrap=True)
    for words in ("problems", *(GROUP_MEASURES[name][0] for name in measures)):
        table.add_column(words, justify="right")
    for group, scores in groups.items():
        shown = [_number(scores[name], GROUP_MEASURES[name][1]) for name in measures]
        table.add_row(group, str(scores["num_problems"]), *shown)
    Console().print(table)


def _number(amount: float | int | None, form: str) -> str:
    return "–" if amount is None or math.isnan(amount) else form.format(amount)


def require_at_least(least: int, number: int, name: str) -> int:
    """The number, if it is large enough."""
    if number < least:
        raise InputError(f"{name} must be at least {least}, but {number} came.")
    return number


def require_device(name: str) -> str:
    """The device, if PyTorch can compute there."""
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(
            f"--device must be one that PyTorch has here, such as cpu, but '{name}' came."
        ) from error
    return name


def print_json(record: Mapping[str, Any]) -> None:
    """One object on one line; what is not a number is null."""
    print(json.dumps({key: None if _is_nan(entry) else entry for key, entry in record.items()}))


def _is_nan(entry: Any) -> bool:
    return isinstance(entry, float) and math.isnan(entry)


def describe(route: Route) -> str:
    """One sentence about a route."""
    if not route.exists:
        return "No route exists: the goal cannot be reached from the start."
    if not route.reached:
        return (
            f"The network's route fails after {len(route.path) - 1} steps; "
            f"the shortest one has length {route.optimal_cost:.2f}."
        )
    gap = route.cost / route.optimal_cost - 1 if route.optimal_cost else 0.0
    return (
        f"Reached in {len(route.path) - 1} steps of length {route.cost:.2f}; the shortest route has length "
        f"{route.optimal_cost:.2f} ({'the same' if gap < 1e-9 else f'{gap:.1%} shorter'})."
    )


def format_iterations(shape: Sequence[int], used: int | Sequence[int] | None, model: Model) -> str:
    """Which K was used, and why."""
    size = f"maps of {shape[0]} x {shape[1]} cells"
    own = model.network.iterations
    if used is None:
        return size
    if used == own:
        return f"{size}, K = {used}"
    return f"{size}, K = {used} (its own is {own} on side {model.size})"

"""What the tables of all experiments share: grouping of runs, columns, commands, the line of commits."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.markdown import markdown_table

Key = TypeVar("Key")
Row = TypeVar("Row")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table: its heading, and the text of its cell in a row."""

    heading: str
    cell: Callable[[Row], str]


def render(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    return markdown_table(
        [column.heading for column in columns], [[column.cell(row) for column in columns] for row in rows]
    )


def group_runs(
    runs: Iterable[FinishedRun], key: Callable[[FinishedRun], Key]
) -> dict[Key, list[FinishedRun]]:
    """Runs with the same key, in the order in which keys first occur."""
    groups: dict[Key, list[FinishedRun]] = defaultdict(list)
    for run in runs:
        groups[key(run)].append(run)
    return dict(groups)


def scores_of(runs: Iterable[FinishedRun]) -> list[Mapping[str, Any]]:
    """The scores of each run."""
    return [run.result["scores"] for run in runs]


def minutes_of(runs: Iterable[FinishedRun]) -> list[float]:
    """The training time of each run."""
    return [run.result["training_seconds"] / 60 for run in runs]


def commits_line(runs: Iterable[FinishedRun]) -> str:
    """The commits that the runs were made with, as the last words of a table."""
    commits = sorted({(run.manifest.commit or "unknown")[:10] for run in runs})
    return f"Commits: {', '.join(commits)}."


def train_command(id: str, recipe: str = "default", budget: str = "paper") -> str:
    """The command that trains a setting, with the options that differ from the defaults."""
    options = "" if recipe == "default" else f" --recipe {recipe}"
    options += "" if budget == "paper" else f" --budget {budget}"
    return f"vinlab train {id}{options}"

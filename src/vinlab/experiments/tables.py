"""What the tables of all experiments share: rows, columns, commands, the line of commits."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from vinlab.evaluation.statistics import mean_text, wilson_interval
from vinlab.experiments.paper import numbers_of
from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.manifest import Manifest
from vinlab.types import InputError

Key = TypeVar("Key")
Made = TypeVar("Made")
Line = TypeVar("Line")

NONE = "–"
"""The cell of what was not measured."""

ODD = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
"""What a result with odd or missing numbers leads to."""


@dataclass(frozen=True)
class Column(Generic[Line]):
    """A column of a table: its heading, and the text of its cell in a row."""

    heading: str
    cell: Callable[[Line], str]


@dataclass(frozen=True)
class Row:
    """Runs of one setting, recipe and budget, which differ in the seed alone."""

    runs: Sequence[FinishedRun]

    @property
    def manifest(self) -> Manifest:
        """That of the first run."""
        return self.runs[0].manifest

    @property
    def paper(self) -> dict[str, float]:
        """The paper's numbers."""
        return numbers_of(self.manifest.id)

    def values(self, measure: str, scale: float = 1.0) -> list[float]:
        """A measure of each run, where it has one: without any success there are no extra steps."""
        return [scale * scores[measure] for scores in scores_of(self.runs) if scores[measure] is not None]

    def mean(self, measure: str, digits: int = 3) -> str:
        """Mean and deviation of a measure."""
        return mean_or_none(self.values(measure), digits)

    def percent(self, measure: str, digits: int = 2) -> str:
        """Mean and deviation of a share."""
        return f"{mean_text(self.values(measure, 100.0), digits=digits)} %"

    def interval(self, digits: int) -> str:
        """The 95 % interval of the success over all runs."""
        return interval_text(scores_of(self.runs), digits)

    def difference(self, digits: int) -> str:
        """Our mean success minus the paper's, in points."""
        if not self.paper:
            return NONE
        ours = self.values("success_rate", 100.0)
        return f"{sum(ours) / len(ours) - 100 * self.paper['success_rate']:+.{digits}f}"


SETTING = Column[Row]("setting", lambda row: row.manifest.id)
SEEDS = Column[Row]("seeds", lambda row: str(len(row.runs)))
PAPER_SUCCESS = Column[Row](
    "success, paper", lambda row: f"{100 * row.paper['success_rate']:.1f} %" if row.paper else NONE
)
OUR_SUCCESS = Column[Row]("success, ours", lambda row: row.percent("success_rate"))
MINUTES = Column[Row]("minutes", lambda row: mean_text(minutes_of(row.runs), digits=1))
CPU_MINUTES = Column[Row]("CPU minutes", lambda row: mean_text(cpu_minutes_of(row.runs), digits=1))
COMMAND = Column[Row]("command", lambda row: f"`{run_command(row.manifest)}`")


def rows_of(runs: Iterable[FinishedRun], order: Iterable[str]) -> list[Row]:
    """The rows, with the settings in this order."""
    place = {id: number for number, id in enumerate(order)}
    groups = group_runs(runs, lambda run: (run.manifest.id, run.manifest.recipe, run.manifest.budget))
    return [Row(groups[key]) for key in sorted(groups, key=lambda key: (place[key[0]], *key[1:]))]


def document(title: str, *parts: str, runs: Iterable[FinishedRun]) -> str:
    """A heading, the parts below it and the commits of the runs, as Markdown."""
    return "\n".join([f"# {title}", "", *parts, f"{commits_line(runs)}\n"])


def render(columns: Sequence[Column[Line]], rows: Iterable[Line]) -> str:
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


def mean_or_none(values: Sequence[float] | None, digits: int = 3) -> str:
    """Mean and deviation, where anything was measured."""
    return mean_text(values, digits=digits) if values else NONE


def interval_text(scores: Iterable[Mapping[str, Any]], digits: int) -> str:
    """The 95 % interval of the success over all problems of some scores, in percent."""
    counts = [(one["success_rate"], one["num_problems"]) for one in scores]
    total = sum(problems for _, problems in counts)
    low, high = wilson_interval(sum(round(rate * problems) for rate, problems in counts), total)
    return f"{100 * low:.{digits}f}–{100 * high:.{digits}f}"


def minutes_of(runs: Iterable[FinishedRun]) -> list[float]:
    """The training time of each run, by the clock."""
    return [run.result["training_seconds"] / 60 for run in runs]


def cpu_minutes_of(runs: Iterable[FinishedRun]) -> list[float]:
    """The processor time of each training, which other work on the machine hardly disturbs."""
    return [sum(line.get("cpu_seconds", 0.0) for line in run.metrics()) / 60 for run in runs]


def counts_text(counts: Iterable[int]) -> str:
    """The different numbers of problems that runs were tested on, in words for a legend."""
    return " or ".join(f"{count:,}" for count in sorted(set(counts)))


def tested_on(runs: Iterable[FinishedRun]) -> str:
    """How many test problems the runs had."""
    return counts_text(scores["num_problems"] for scores in scores_of(runs))


def commits_line(runs: Iterable[FinishedRun]) -> str:
    """The commits that the runs were made with, as the last words of a table."""
    commits = sorted({(run.manifest.commit or "unknown")[:10] for run in runs})
    return f"Commits: {', '.join(commits)}."


def run_command(manifest: Manifest) -> str:
    """The command that repeats a run, with any seed."""
    data = f" --data FOLDER/{manifest.source}" if manifest.source else ""
    return train_command(manifest.id, manifest.recipe, manifest.budget) + data


def train_command(id: str, recipe: str = "default", budget: str = "paper") -> str:
    """The command that trains a setting, with the options that differ from the defaults."""
    options = "" if recipe == "default" else f" --recipe {recipe}"
    options += "" if budget == "paper" else f" --budget {budget}"
    return f"vinlab train {id}{options}"


def made_from_usable(
    make: Callable[[Sequence[FinishedRun]], Made],
    runs: Sequence[FinishedRun],
    on_unusable: Callable[[str], None],
) -> Made:
    """A table or figures of the runs; a run whose result is odd is named and left out."""
    with suppress(*ODD):
        return make(runs)
    usable = []
    for run in runs:
        try:
            make([run])
            usable.append(run)
        except ODD as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:120]
            on_unusable(
                f"{run.folder}: expected a result with the numbers of its table, got an odd one ({reason})."
            )
    if not usable or len(usable) == len(runs):
        raise InputError(f"expected runs whose results fit together, got {len(runs)} that do not.")
    return make(usable)


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table with aligned columns; it ends with a newline."""
    for row in rows:
        if len(row) != len(headers):
            raise InputError(f"expected rows of {len(headers)} cells, got {len(row)}: {list(row)}.")
    cells = [[str(value).replace("|", "\\|").replace("\n", " ") for value in row] for row in (headers, *rows)]
    widths = [max(3, *(len(text) for text in column)) for column in zip(*cells, strict=True)]
    lines = [[text.ljust(width) for text, width in zip(row, widths, strict=True)] for row in cells]
    lines.insert(1, ["-" * width for width in widths])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)

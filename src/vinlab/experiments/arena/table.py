"""One table a benchmark: published figures with their source, ours beside them, and what each network is given."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from vinlab.evaluation.statistics import mean_text
from vinlab.experiments.arena.settings import BENCHMARKS, SETTINGS
from vinlab.experiments.tables import (
    NONE,
    Row,
    cpu_minutes_of,
    document,
    markdown_table,
    rows_of,
    run_command,
)
from vinlab.recording.finished_run import FinishedRun

LEGEND = """\
*%optimal*, *%success*: the measure of Gated Path Planning Networks, a mean over mazes of the share of **all** free
states from which the path is a shortest one (states without any path count as optimal), or reaches the goal (those
count as failures, so the most that is possible is slightly below 100). *exact*: the path from the start is the label's
own; *any shortest*: it is a shortest one. *longest path*: moves of the longest shortest path in the test mazes. *CPU
minutes*: processor time of all epochs; *in all*: with data, validation and test. *GB*: the most memory of a whole run.
*given*: what a network need not learn. Rows named *-1k* and *-100* are trained on fewer maps.
"""


def published() -> dict[str, list[dict[str, Any]]]:
    """The published figures of each benchmark."""
    text = resources.files("vinlab.experiments.arena").joinpath("published.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def table(runs: Sequence[FinishedRun]) -> str:
    """A table for each benchmark that has runs."""
    rows = rows_of(runs, SETTINGS)
    known, parts = published(), [LEGEND]
    for benchmark in BENCHMARKS:
        ours = [row for row in rows if row.manifest.id.split("/")[1] == benchmark]
        if ours:
            entries = [
                [str(entry.get(name, NONE)) for _, name, _ in COLUMNS] for entry in known.get(benchmark, [])
            ]
            lines = entries + [[cell(line) for _, _, cell in COLUMNS] for row in ours for line in _lines(row)]
            parts += [f"## {benchmark}", "", markdown_table(*_filled(lines)), ""]
    return document("The arena", *parts, runs=runs)


def _filled(lines: Sequence[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Headings and lines, with the columns that have an entry in at least one line."""
    kept = [index for index in range(len(COLUMNS)) if any(line[index] != NONE for line in lines)]
    return [COLUMNS[index][0] for index in kept], [[line[index] for index in kept] for line in lines]


@dataclass(frozen=True)
class Line:
    """What the runs of a setting measured on one set of test mazes."""

    row: Row
    maps: str
    """The set of mazes, where there are several."""
    scores: Sequence[Mapping[str, Any]]

    def mean(self, measure: str, digits: int, factor: float = 1.0) -> str:
        """The mean of a score over the seeds, where all of them have it."""
        return _mean(self.scores, measure, digits, factor)

    def minutes(self) -> str:
        """With data, validation and test; of a resumed run only the last process is known, so nothing is said."""
        whole = [run.result.get("process_cpu_seconds", 0.0) / 60 for run in self.row.runs]
        epochs = cpu_minutes_of(self.row.runs)
        known = all(total >= part for total, part in zip(whole, epochs, strict=True))
        return mean_text(whole, digits=2) if known else NONE

    def longest(self) -> str:
        """The longest of the shortest paths."""
        known = "longest" in self.scores[0]
        return f"{max(one['longest'] for one in self.scores):,.0f}" if known else NONE


def _lines(row: Row) -> list[Line]:
    """A line for each set of test mazes."""
    sets = row.runs[0].result["scores"]
    scores = {name: [run.result["scores"][name] for run in row.runs] for name in sets}
    return [Line(row, f" on {name}" if len(sets) > 1 else "", found) for name, found in scores.items()]


def _mean(scores: Sequence[Mapping[str, Any]], name: str, digits: int, factor: float = 1.0) -> str:
    """The mean over the seeds, where all of them have the measure."""
    if any(name not in one for one in scores):
        return NONE
    return mean_text([factor * one[name] for one in scores], digits=digits)


GIVEN: Final = {
    "motion-vin": "moves, that costs are positive and belong to the cell that is left, K = ∞",
    "plain-vin": "K, moves at the start, that values spread to neighbours",
    "gated-planner": "K, and that a step reads a neighbourhood",
    "dynamic-transition-vin": "K, that values spread to neighbours",
    "value-propagation": "K, moves at the start, that values spread to neighbours and fall on the way",
    "implicit-vin": "moves at the start, that values spread to neighbours",
    "equivariant-vin": "K, moves at the start, the symmetries of the grid",
    "reactive-resnet": "nothing but convolutions",
    "recurrent-resnet": "K, and nothing but convolutions",
}


COLUMNS: tuple[tuple[str, str, Callable[[Line], str]], ...] = (
    ("network", "network", lambda line: f"{line.row.manifest.id.split('/')[2]}{line.maps}"),
    ("%optimal", "optimal", lambda line: line.mean("percent_optimal", 3)),
    ("%success", "success", lambda line: line.mean("percent_success", 3)),
    ("exact", "exact", lambda line: line.mean("exact", 2, 100.0)),
    ("any shortest", "any_shortest", lambda line: line.mean("any_shortest", 2, 100.0)),
    ("longest path", "longest", Line.longest),
    ("parameters", "parameters", lambda line: f"{line.row.runs[0].result['parameters']:,}"),
    ("training maps", "maps", lambda line: f"{line.row.runs[0].result['training_maps']:,}"),
    ("CPU minutes", "minutes", lambda line: mean_text(cpu_minutes_of(line.row.runs), digits=2)),
    ("in all", "all_minutes", Line.minutes),
    ("GB", "gb", lambda line: _mean([run.result for run in line.row.runs], "peak_memory_gb", 2)),
    ("seeds", "seeds", lambda line: str(len(line.row.runs))),
    ("given", "given", lambda line: GIVEN[line.row.manifest.config["network"]["kind"]]),
    ("source", "source", lambda line: f"`{run_command(line.row.manifest)}`"),
)
"""The heading of each column, the name of a published figure there, and the text of ours."""

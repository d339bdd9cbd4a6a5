"""One table a benchmark: published figures with their source, ours beside them, and what each network is given."""

import tomllib
from collections.abc import Mapping, Sequence
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

HEADERS = (
    "network",
    "%optimal",
    "%success",
    "exact",
    "any shortest",
    "longest path",
    "parameters",
    "training maps",
    "CPU minutes",
    "in all",
    "GB",
    "seeds",
    "given",
    "source",
)

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
            lines = [_published(entry) for entry in known.get(benchmark, [])]
            lines += [line for row in ours for line in _ours(row)]
            parts += [f"## {benchmark}", "", markdown_table(*_filled(HEADERS, lines)), ""]
    return document("The arena", *parts, runs=runs)


def _filled(headers: Sequence[str], lines: Sequence[list[str]]) -> tuple[list[str], list[list[str]]]:
    """The columns that have an entry in at least one line."""
    kept = [index for index in range(len(headers)) if any(line[index] != NONE for line in lines)]
    return [headers[index] for index in kept], [[line[index] for index in kept] for line in lines]


def _published(entry: Mapping[str, Any]) -> list[str]:
    def text(name: str) -> str:
        return str(entry[name]) if name in entry else NONE

    names = ("network", "optimal", "success", "exact", "any_shortest", "longest", "parameters", "maps")
    cost = [text("minutes"), text("all_minutes"), text("gb")]
    return [*map(text, names), *cost, NONE, text("given"), text("source")]


def _ours(row: Row) -> list[list[str]]:
    """A line for each set of test mazes."""
    results = [run.result for run in row.runs]
    sets = results[0]["scores"]
    lines = []
    for name in sets:
        scores = [result["scores"][name] for result in results]
        minutes = cpu_minutes_of(row.runs)
        tested = f" on {name}" if len(sets) > 1 else ""
        lines.append(
            [
                f"{row.manifest.id.split('/')[2]}{tested}",
                _mean(scores, "percent_optimal", 3),
                _mean(scores, "percent_success", 3),
                _mean(scores, "exact", 2, 100.0),
                _mean(scores, "any_shortest", 2, 100.0),
                f"{max(one['longest'] for one in scores):,.0f}" if "longest" in scores[0] else NONE,
                f"{results[0]['parameters']:,}",
                f"{results[0]['training_maps']:,}",
                mean_text(minutes, digits=2),
                _all_minutes(results, minutes),
                _mean(results, "peak_memory_gb", 2),
                str(len(row.runs)),
                GIVEN[row.manifest.config["network"]["kind"]],
                f"`{run_command(row.manifest)}`",
            ]
        )
    return lines


def _all_minutes(results: Sequence[Mapping[str, Any]], minutes: Sequence[float]) -> str:
    """With data, validation and test; of a run that was resumed only the last process is known, so nothing is said."""
    whole = [result.get("process_cpu_seconds", 0.0) / 60 for result in results]
    if any(total < epochs for total, epochs in zip(whole, minutes, strict=True)):
        return NONE
    return mean_text(whole, digits=2)


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


def _mean(scores: Sequence[Mapping[str, Any]], name: str, digits: int, factor: float = 1.0) -> str:
    """The mean over the seeds, where all of them have the measure."""
    if any(name not in one for one in scores):
        return NONE
    return mean_text([factor * one[name] for one in scores], digits=digits)

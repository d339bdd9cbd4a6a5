"""The table of grid-world scores from finished runs, beside the paper's numbers."""

import statistics
from collections.abc import Sequence
from typing import Any

from vinlab.experiments import tables
from vinlab.experiments.paper import paper_numbers
from vinlab.experiments.tables import Column, Row
from vinlab.recording.finished_run import FinishedRun

LEGEND = """\
*Success*: share of test problems whose rollout reaches the goal. *Loss*: share of the states on the expert's paths in
which the network's move is not the expert's own; where several moves are optimal even a perfect planner differs.
*Extra steps*: mean of steps taken beyond the expert's, over the successes. *Optimal moves*: share of those states in
which the move is one of the optimal ones (the paper does not give it). Ours is the mean ± deviation over the seeds, on
the same {problems} unseen maps for all; *CPU minutes* is the processor time of one training, *epoch* the seconds of one
pass over all training data.
"""

RECIPE = Column[Row]("recipe", lambda row: row.manifest.recipe)
OPTIMAL = Column[Row]("optimal moves", lambda row: row.percent("optimal_action_accuracy"))


def epoch_seconds(row: Row) -> str:
    """Processor time of an epoch, where it was counted."""
    counted = [run.result["epoch_cpu_seconds"] for run in row.runs if "epoch_cpu_seconds" in run.result]
    return f"{statistics.median(counted):.1f}" if counted else tables.NONE


COLUMNS: tuple[Column[Row], ...] = (
    tables.SETTING,
    RECIPE,
    tables.SEEDS,
    tables.PAPER_SUCCESS,
    tables.OUR_SUCCESS,
    Column("every seed", lambda row: ", ".join(f"{rate:.1f}" for rate in row.values("success_rate", 100.0))),
    Column("95 % interval", lambda row: row.interval(2)),
    Column("difference", lambda row: row.difference(2)),
    Column("loss, paper", lambda row: str(row.paper["prediction_loss"])),
    Column("loss, ours", lambda row: row.mean("prediction_loss")),
    Column("extra steps, paper", lambda row: str(row.paper["trajectory_difference"])),
    Column("extra steps, ours", lambda row: row.mean("trajectory_difference")),
    OPTIMAL,
    tables.CPU_MINUTES,
    Column("epoch", epoch_seconds),
    tables.COMMAND,
)
TRIPLE = 3
"""Starts of which one is kept, in the table of starts."""

STARTS_LEGEND = """\
The runs above, where training can be repeated: of each three seeds in turn (0 to 2, 3 to 5, …) the one with the most
success on the validation maps at the end of its training, and of equal ones that with the most optimal moves there.
The test maps have no part in the choice. It takes the time of three trainings.
"""


def best_starts(row: Row) -> list[FinishedRun]:
    """Of each three seeds in turn the run that does best on the validation maps with its last weights."""
    runs = sorted(row.runs, key=lambda run: run.manifest.seed)
    whole = range(0, len(runs) - TRIPLE + 1, TRIPLE)
    return [max(runs[first : first + TRIPLE], key=_last_validation) for first in whole]


def keeps_last(row: Row) -> bool:
    """Whether training ends with its last weights, as the authors' does, so that validation has chosen nothing yet."""
    return all(run.manifest.config["learning"].get("keep") == "last" for run in row.runs)


def _last_validation(run: FinishedRun) -> tuple[Any, ...]:
    last = run.metrics()[-1]
    return last["validation_success"], last["validation_optimal"]


STARTS_COLUMNS: tuple[Column[Row], ...] = (
    tables.SETTING,
    RECIPE,
    Column("kept seeds", lambda row: ", ".join(str(run.manifest.seed) for run in row.runs)),
    tables.PAPER_SUCCESS,
    tables.OUR_SUCCESS,
    Column("difference", lambda row: row.difference(2)),
)


def starts_table(rows: Sequence[Row]) -> list[str]:
    """What the best of three starts reaches where there are so many and the last weights are kept."""
    kept = [Row(best_starts(row)) for row in rows if keeps_last(row) and len(row.runs) >= TRIPLE]
    heading = "## Best of three starts by validation, recipe `paper`"
    return [heading, "", STARTS_LEGEND, tables.render(STARTS_COLUMNS, kept)] if kept else []


AUTHORS_LEGEND = """\
The same recipe on the rows of the authors' own files instead of generated maps (`--data`), tested on the same unseen
maps as above. Seed 0 is their run: their rows, their initial weights, their order of the updates. Their public
repository has no training file for 28 × 28.
"""


BRIEF = (*COLUMNS[:5], OPTIMAL, tables.CPU_MINUTES, tables.COMMAND)
"""The columns that README shows."""


def scores_table(title: str, experiment: str, runs: Sequence[FinishedRun]) -> str:
    """The table as Markdown, with a line for each setting, recipe and budget that was run, in the paper's order."""
    order = paper_numbers(experiment)
    rows = tables.rows_of(on_generated(runs), order)
    authors = tables.rows_of((run for run in runs if run.manifest.source), order)
    legend = LEGEND.format(problems=tables.tested_on(runs))
    more = starts_table(rows)
    if authors:
        more += ["## On the authors' own files", "", AUTHORS_LEGEND, tables.render(COLUMNS, authors)]
    return tables.document(title, tables.render(COLUMNS, rows), legend, *more, runs=runs)


def on_generated(runs: Sequence[FinishedRun]) -> list[FinishedRun]:
    """The runs on generated maps, which are those of the main table."""
    return [run for run in runs if run.manifest.source is None]


def brief_table(experiment: str, runs: Sequence[FinishedRun]) -> str:
    """The columns that matter most."""
    return tables.render(BRIEF, tables.rows_of(on_generated(runs), paper_numbers(experiment)))

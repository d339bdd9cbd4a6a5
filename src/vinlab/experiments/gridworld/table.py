"""The table of grid-world scores from finished runs, beside the paper's numbers."""

import statistics
from collections.abc import Sequence

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
BRIEF = (*COLUMNS[:5], OPTIMAL, tables.CPU_MINUTES, tables.COMMAND)
"""The columns that README shows."""


def scores_table(title: str, experiment: str, runs: Sequence[FinishedRun]) -> str:
    """The table as Markdown, with a line for each setting, recipe and budget that was run, in the paper's order."""
    rows = tables.render(COLUMNS, tables.rows_of(runs, paper_numbers(experiment)))
    return tables.document(title, rows, LEGEND.format(problems=tables.tested_on(runs)), runs=runs)


def brief_table(experiment: str, runs: Sequence[FinishedRun]) -> str:
    """The columns that matter most."""
    return tables.render(BRIEF, tables.rows_of(runs, paper_numbers(experiment)))

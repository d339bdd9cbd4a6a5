"""The table of ablations from finished runs."""

from collections.abc import Sequence

from vinlab.experiments import tables
from vinlab.experiments.ablations.settings import ABLATIONS, SETTINGS
from vinlab.experiments.tables import Column, Row
from vinlab.recording.finished_run import FinishedRun

COLUMNS: tuple[Column[Row], ...] = (
    Column("what is changed", lambda row: ABLATIONS[row.manifest.id.removeprefix("guide/")][0]),
    tables.SEEDS,
    Column("success", lambda row: row.percent("success_rate", 1)),
    Column("optimal moves", lambda row: row.percent("optimal_action_accuracy")),
    Column("extra steps", lambda row: row.mean("trajectory_difference")),
    tables.CPU_MINUTES,
    tables.COMMAND,
)


def table(runs: Sequence[FinishedRun]) -> str:
    """A line for each ablation, in the order of the settings."""
    legend = f"On {tables.tested_on(runs)} unseen maps; the measures are those of the grid-world."
    title = "# What moves the numbers (16 x 16, beyond the paper)"
    rows = tables.render(COLUMNS, tables.rows_of(runs, SETTINGS))
    return "\n".join([title, "", rows, f"{legend} {tables.commits_line(runs)}\n"])

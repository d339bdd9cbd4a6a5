"""The table of ablations from finished runs."""

from collections.abc import Sequence

from vinlab.evaluation.statistics import mean_text
from vinlab.experiments.ablations.settings import ABLATIONS, SETTINGS
from vinlab.experiments.gridworld.table import tested_on
from vinlab.experiments.tables import (
    Column,
    commits_line,
    group_runs,
    minutes_of,
    render,
    scores_of,
    train_command,
)
from vinlab.recording.finished_run import FinishedRun

Runs = Sequence[FinishedRun]
"""Runs of one ablation and budget."""


def _mean(runs: Runs, measure: str, scale: float, digits: int) -> str:
    return mean_text([scale * scores[measure] for scores in scores_of(runs)], digits=digits)


COLUMNS: tuple[Column[Runs], ...] = (
    Column("what is changed", lambda runs: ABLATIONS[runs[0].manifest.id.removeprefix("guide/")][0]),
    Column("seeds", lambda runs: str(len(runs))),
    Column("success", lambda runs: f"{_mean(runs, 'success_rate', 100.0, 1)} %"),
    Column("optimal moves", lambda runs: f"{_mean(runs, 'optimal_action_accuracy', 100.0, 2)} %"),
    Column("extra steps", lambda runs: _mean(runs, "trajectory_difference", 1.0, 3)),
    Column("minutes", lambda runs: mean_text(minutes_of(runs), digits=1)),
    Column("command", lambda runs: f"`{train_command(runs[0].manifest.id, budget=runs[0].manifest.budget)}`"),
)


def table(runs: Runs) -> str:
    """A line for each ablation, in the order of the settings."""
    groups = group_runs(runs, lambda run: (run.manifest.budget, list(SETTINGS).index(run.manifest.id)))
    legend = (
        f"On {tested_on(runs)} unseen maps; the measures are those of the grid-world. {commits_line(runs)}\n"
    )
    rows = [groups[key] for key in sorted(groups)]
    return "\n".join(
        ["# What moves the numbers (16 x 16, beyond the paper)", "", render(COLUMNS, rows), legend]
    )

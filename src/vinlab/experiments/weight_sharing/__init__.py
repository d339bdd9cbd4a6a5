"""Tied and untied kernels by size of the data: the appendix's table of weight sharing."""

from collections.abc import Sequence
from dataclasses import replace

from vinlab.experiments.gridworld import EXPERIMENT as GRIDWORLD
from vinlab.experiments.gridworld.table import on_generated, scores_table
from vinlab.experiments.weight_sharing.settings import SETTINGS, TABLE_1
from vinlab.recording.finished_run import FinishedRun


def table(runs: Sequence[FinishedRun]) -> str:
    """The table, in which the tied network with all data is that of Table 1 in the recipe ``paper`` alone."""
    shown = [
        run for run in on_generated(runs) if run.manifest.id != TABLE_1 or run.manifest.recipe == "paper"
    ]
    return scores_table("Weight sharing on 16 × 16 maps (appendix)", "weight_sharing", shown)


EXPERIMENT = replace(
    GRIDWORLD,
    name="weight_sharing",
    paper="Appendix, Weight Sharing",
    settings=SETTINGS,
    table=table,
)

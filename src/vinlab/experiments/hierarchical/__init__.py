"""Hierarchical VINs, which plan on a coarse map first: a table of the appendix."""

from collections.abc import Sequence
from dataclasses import replace

from vinlab.experiments.gridworld import EXPERIMENT as GRIDWORLD
from vinlab.experiments.gridworld.table import on_generated, scores_table
from vinlab.experiments.hierarchical.settings import SETTINGS
from vinlab.recording.finished_run import FinishedRun


def table(runs: Sequence[FinishedRun]) -> str:
    """The hierarchical VINs beside those of Table 1."""
    return scores_table("Hierarchical VIN (appendix)", "hierarchical", on_generated(runs))


EXPERIMENT = replace(
    GRIDWORLD,
    name="hierarchical",
    paper="Appendix, Hierarchical VI Modules",
    settings=SETTINGS,
    table=table,
)

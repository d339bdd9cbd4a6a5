"""Hierarchical VINs, which plan on a coarse map first: a table of the appendix."""

from dataclasses import replace
from functools import partial

from vinlab.experiments.gridworld import EXPERIMENT as GRIDWORLD
from vinlab.experiments.gridworld.table import scores_table
from vinlab.experiments.hierarchical.settings import SETTINGS

EXPERIMENT = replace(
    GRIDWORLD,
    name="hierarchical",
    paper="Appendix, Hierarchical VI Modules",
    settings=SETTINGS,
    table=partial(scores_table, "Hierarchical VIN (appendix)", "hierarchical"),
)

"""Tied and untied kernels by size of the data: the appendix's table of weight sharing."""

from dataclasses import replace
from functools import partial

from vinlab.experiments.gridworld import EXPERIMENT as GRIDWORLD
from vinlab.experiments.gridworld.table import scores_table
from vinlab.experiments.weight_sharing.settings import SETTINGS

EXPERIMENT = replace(
    GRIDWORLD,
    name="weight_sharing",
    paper="Appendix, Weight Sharing",
    settings=SETTINGS,
    table=partial(scores_table, "Weight sharing on 16 × 16 maps (appendix)", "weight_sharing"),
)

"""What moves the numbers: one choice of the recipe changed at a time, on 16 x 16 maps."""

from dataclasses import replace

from vinlab.experiments.ablations.settings import SETTINGS
from vinlab.experiments.ablations.table import table
from vinlab.experiments.base import BEYOND_PAPER
from vinlab.experiments.gridworld import EXPERIMENT as GRIDWORLD

EXPERIMENT = replace(GRIDWORLD, name="ablations", paper=BEYOND_PAPER, settings=SETTINGS, table=table)

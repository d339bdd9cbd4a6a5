"""One module per table or figure of the paper."""

from vinlab.experiments.control import CONTROL
from vinlab.experiments.experiment import (
    BUDGETS,
    RECIPES,
    Experiment,
    TrainingRequest,
    experiment_named,
    experiment_of,
    paper_numbers,
)
from vinlab.experiments.gridworld import GRIDWORLD
from vinlab.experiments.mars import MARS
from vinlab.experiments.rl import RL
from vinlab.experiments.web import WEB

EXPERIMENTS: tuple[Experiment, ...] = (GRIDWORLD, RL, WEB, CONTROL, MARS)

__all__ = [
    "BUDGETS",
    "CONTROL",
    "EXPERIMENTS",
    "GRIDWORLD",
    "MARS",
    "RECIPES",
    "RL",
    "WEB",
    "Experiment",
    "TrainingRequest",
    "experiment_named",
    "experiment_of",
    "paper_numbers",
]

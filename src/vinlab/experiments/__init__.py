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
from vinlab.experiments.hierarchical import HIERARCHICAL
from vinlab.experiments.rl import RL
from vinlab.experiments.web import WEB
from vinlab.experiments.weight_sharing import WEIGHT_SHARING

EXPERIMENTS: tuple[Experiment, ...] = (GRIDWORLD, WEIGHT_SHARING, HIERARCHICAL, RL, WEB, CONTROL)

__all__ = [
    "BUDGETS",
    "CONTROL",
    "EXPERIMENTS",
    "GRIDWORLD",
    "HIERARCHICAL",
    "RECIPES",
    "RL",
    "WEB",
    "WEIGHT_SHARING",
    "Experiment",
    "TrainingRequest",
    "experiment_named",
    "experiment_of",
    "paper_numbers",
]

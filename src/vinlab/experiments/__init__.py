"""One module per table or figure of the paper."""

from vinlab.experiments.any_map import ANY_MAP
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
from vinlab.experiments.generalisation import GENERALISATION
from vinlab.experiments.gridworld import GRIDWORLD
from vinlab.experiments.guide import GUIDE
from vinlab.experiments.rl import RL
from vinlab.experiments.web import WEB

EXPERIMENTS: tuple[Experiment, ...] = (GRIDWORLD, RL, WEB, CONTROL, ANY_MAP, GENERALISATION, GUIDE)

__all__ = [
    "ANY_MAP",
    "BUDGETS",
    "CONTROL",
    "EXPERIMENTS",
    "GENERALISATION",
    "GRIDWORLD",
    "GUIDE",
    "RECIPES",
    "RL",
    "WEB",
    "Experiment",
    "TrainingRequest",
    "experiment_named",
    "experiment_of",
    "paper_numbers",
]

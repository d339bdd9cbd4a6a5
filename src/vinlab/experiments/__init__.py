"""One module per table or figure of the paper."""

from vinlab.experiments.ablations import GUIDE
from vinlab.experiments.any_map import ANY_MAP
from vinlab.experiments.base import (
    BUDGETS,
    RECIPES,
    Experiment,
    TrainingRequest,
    experiment_named,
    experiment_of,
    paper_numbers,
)
from vinlab.experiments.control import CONTROL
from vinlab.experiments.generalisation import GENERALISATION
from vinlab.experiments.gridworld import GRIDWORLD
from vinlab.experiments.hierarchical import HIERARCHICAL
from vinlab.experiments.mars import MARS
from vinlab.experiments.rl import RL
from vinlab.experiments.web import WEB
from vinlab.experiments.weight_sharing import WEIGHT_SHARING

EXPERIMENTS: tuple[Experiment, ...] = (
    GRIDWORLD,
    WEIGHT_SHARING,
    HIERARCHICAL,
    ANY_MAP,
    GENERALISATION,
    GUIDE,
    RL,
    MARS,
    CONTROL,
    WEB,
)

__all__ = [
    "ANY_MAP",
    "BUDGETS",
    "CONTROL",
    "EXPERIMENTS",
    "GENERALISATION",
    "GRIDWORLD",
    "GUIDE",
    "HIERARCHICAL",
    "MARS",
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

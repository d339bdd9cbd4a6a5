"""What moves the numbers: one choice of the recipe changed at a time, on 16 x 16 maps."""

from vinlab.experiments.ablations.settings import SETTINGS
from vinlab.experiments.ablations.table import table
from vinlab.experiments.base import Experiment
from vinlab.experiments.gridworld.data import GridworldSets
from vinlab.experiments.gridworld.evaluate import evaluate, score
from vinlab.experiments.gridworld.figures import draw_plans
from vinlab.experiments.gridworld.settings import GridworldTraining
from vinlab.experiments.gridworld.train import fit, make_data

EXPERIMENT: Experiment[GridworldTraining, GridworldSets] = Experiment(
    name="ablations",
    paper="beyond the paper",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=table,
    figures=draw_plans,
    supports=frozenset({"device", "distributed", "data"}),
)

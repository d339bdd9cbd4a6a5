"""The grid-world by imitation: Section 4.1 and Table 1 of the paper."""

from functools import partial

from vinlab.experiments.base import Experiment
from vinlab.experiments.gridworld.data import GridworldSets
from vinlab.experiments.gridworld.evaluate import evaluate, score
from vinlab.experiments.gridworld.figures import draw_plans
from vinlab.experiments.gridworld.settings import SETTINGS, GridworldTraining
from vinlab.experiments.gridworld.table import scores_table
from vinlab.experiments.gridworld.train import fit, make_data

EXPERIMENT: Experiment[GridworldTraining, GridworldSets] = Experiment(
    name="gridworld",
    paper="Section 4.1, Table 1",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=partial(scores_table, "Grid-world by imitation (Section 4.1, Table 1)", "gridworld"),
    figures=draw_plans,
    supports=frozenset({"device", "distributed", "data"}),
)

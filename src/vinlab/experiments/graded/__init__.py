"""One planner for maps with costs (beyond the paper)."""

from vinlab.experiments.base import Experiment
from vinlab.experiments.graded.data import GradedSets, make_data
from vinlab.experiments.graded.evaluate import evaluate, score
from vinlab.experiments.graded.settings import SETTINGS, GradedTraining
from vinlab.experiments.graded.table import table
from vinlab.experiments.graded.train import fit

EXPERIMENT: Experiment[GradedTraining, GradedSets] = Experiment(
    name="graded",
    paper="beyond the paper",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=table,
    supports=frozenset({"device", "distributed"}),
)

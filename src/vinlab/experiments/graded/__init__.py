"""One planner for maps with costs (beyond the paper)."""

from vinlab.experiments.any_map.train import fit_sets
from vinlab.experiments.base import Experiment
from vinlab.experiments.graded.data import GradedSets, make_data
from vinlab.experiments.graded.evaluate import evaluate, score, validator
from vinlab.experiments.graded.settings import SETTINGS, GradedTraining
from vinlab.experiments.graded.table import table

EXPERIMENT: Experiment[GradedTraining, GradedSets] = Experiment(
    name="graded",
    paper="beyond the paper",
    settings=SETTINGS,
    make_data=make_data,
    fit=lambda config, data, network, context: fit_sets(
        config, data, network, context, validator(network, data.validation)
    ),
    score=score,
    evaluate=evaluate,
    table=table,
    supports=frozenset({"device", "distributed"}),
)

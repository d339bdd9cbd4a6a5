"""One planner for maps with costs (beyond the paper)."""

from vinlab.experiments.any_map.train import fit_sets
from vinlab.experiments.base import BEYOND_PAPER, Experiment
from vinlab.experiments.graded import data, evaluate, settings, table

EXPERIMENT = Experiment(
    name="graded",
    paper=BEYOND_PAPER,
    settings=settings.SETTINGS,
    make_data=data.make_data,
    fit=lambda config, sets, network, context: fit_sets(
        config, sets, network, context, evaluate.validator(network, sets.validation)
    ),
    score=evaluate.score,
    evaluate=evaluate.evaluate,
    table=table.table,
    supports=frozenset({"device", "distributed"}),
)

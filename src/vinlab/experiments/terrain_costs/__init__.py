"""Costs of ground learned from demonstrated paths: generated pictures, Mars, or a dataset of one's own."""

from vinlab.experiments.base import BEYOND_PAPER, Experiment
from vinlab.experiments.terrain_costs import data, evaluate, figures, settings, table, train

EXPERIMENT = Experiment(
    name="terrain_costs",
    paper=BEYOND_PAPER,
    settings=settings.SETTINGS,
    make_data=lambda config, request: data.make_sets(config.data, request.data, seed=request.seed),
    fit=train.fit,
    score=evaluate.score,
    evaluate=evaluate.evaluate,
    table=table.table,
    figures=figures.figures,
    adapt=train.adapt,
    supports=frozenset({"data"}),
    generated=evaluate.GENERATED,
)

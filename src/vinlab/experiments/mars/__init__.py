"""Mars: planning past steep terrain that only an overhead image shows. Section 4.2 of the paper."""

from vinlab.experiments.base import Experiment
from vinlab.experiments.mars import data, evaluate, figures, settings, table, train

EXPERIMENT = Experiment(
    name="mars",
    paper="Section 4.2",
    settings=settings.SETTINGS,
    make_data=lambda config, request: data.make_sets(config.data, request.data, seed=request.seed),
    fit=train.fit,
    score=evaluate.score,
    evaluate=evaluate.evaluate,
    table=table.table,
    figures=figures.figures,
    supports=frozenset({"data"}),
    generated="synthetic",
)

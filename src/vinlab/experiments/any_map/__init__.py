"""One planner for any map (beyond the paper)."""

from vinlab.experiments.any_map import data, evaluate, settings, table, train
from vinlab.experiments.base import BEYOND_PAPER, Experiment
from vinlab.experiments.gridworld.figures import draw_plans

EXPERIMENT = Experiment(
    name="any_map",
    paper=BEYOND_PAPER,
    settings=settings.SETTINGS,
    make_data=lambda config, request: data.make_sets(config.data, seed=request.seed),
    fit=train.fit,
    score=evaluate.score,
    evaluate=evaluate.evaluate,
    table=table.table,
    figures=draw_plans,
    supports=frozenset({"device", "distributed"}),
)

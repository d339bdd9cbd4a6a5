"""The grid-world by imitation: Section 4.1 and Table 1 of the paper."""

from functools import partial

from vinlab.experiments.base import Experiment
from vinlab.experiments.gridworld import data, evaluate, figures, settings, table, train

EXPERIMENT = Experiment(
    name="gridworld",
    paper="Section 4.1, Table 1",
    settings=settings.SETTINGS,
    make_data=lambda config, request: data.make_sets(config.data, seed=request.seed, source=request.data),
    fit=train.fit,
    score=evaluate.score,
    evaluate=evaluate.evaluate,
    table=partial(table.scores_table, "Grid-world by imitation (Section 4.1, Table 1)", "gridworld"),
    figures=figures.draw_plans,
    summary_figures=figures.draw_runs,
    supports=frozenset({"device", "distributed", "data"}),
)

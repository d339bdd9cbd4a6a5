"""The grid-world by reinforcement learning: the paper's appendix."""

from vinlab.experiments.base import Experiment
from vinlab.experiments.rl import data, evaluate, figures, settings, table, train

EXPERIMENT = Experiment(
    name="rl",
    paper="Appendix, Gridworld with Reinforcement Learning",
    settings=settings.SETTINGS,
    make_data=lambda config, request: data.make_sets(config.data),
    fit=train.fit,
    score=evaluate.score,
    evaluate=evaluate.evaluate,
    table=table.table,
    figures=figures.draw_paths,
    summary_figures=figures.draw_runs,
)

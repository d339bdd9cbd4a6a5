"""The arena: planners of the literature and ours, on the benchmarks that their papers use (beyond the paper)."""

from vinlab.experiments.arena import data, evaluate, figures, settings, table, train
from vinlab.experiments.base import BEYOND_PAPER, Experiment

EXPERIMENT = Experiment(
    name="arena",
    paper=BEYOND_PAPER,
    settings=settings.SETTINGS,
    make_data=lambda config, request: data.make_sets(config.data, seed=request.seed),
    fit=train.fit,
    score=evaluate.score,
    evaluate=evaluate.evaluate,
    table=table.table,
    figures=figures.draw_path,
    summary_figures=figures.draw_curves,
    supports=frozenset({"device", "distributed"}),
)

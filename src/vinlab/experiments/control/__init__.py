"""Continuous control: Section 4.3 of the paper, forces that move a particle past obstacles."""

from vinlab.experiments.base import Experiment
from vinlab.experiments.control import evaluate, figures, settings, table, train

EXPERIMENT = Experiment(
    name="control",
    paper="Section 4.3",
    settings=settings.SETTINGS,
    make_data=train.make_data,
    fit=train.fit,
    score=evaluate.score,
    evaluate=evaluate.evaluate,
    table=table.table,
    figures=figures.draw_model,
    summary_figures=figures.draw_runs,
    supports=frozenset({"data"}),
)

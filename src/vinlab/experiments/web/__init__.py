"""Web navigation: Section 4.4 of the paper, and planning on the pages themselves."""

from vinlab.experiments.base import Experiment
from vinlab.experiments.web import evaluate, figures, settings, table, train
from vinlab.experiments.web.data import SYNTHETIC

EXPERIMENT = Experiment(
    name="web",
    paper="Section 4.4",
    settings=settings.SETTINGS,
    make_data=train.make_data,
    fit=train.fit,
    score=evaluate.score,
    evaluate=evaluate.evaluate,
    table=table.table,
    figures=figures.draw_query,
    adapt=train.adapt,
    supports=frozenset({"data", "distributed"}),
    generated=SYNTHETIC,
)

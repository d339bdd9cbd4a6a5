"""Web navigation: Section 4.4 of the paper, and planning on the pages themselves."""

from vinlab.experiments.base import Experiment
from vinlab.experiments.web.data import SYNTHETIC, WebSets
from vinlab.experiments.web.evaluate import evaluate, score
from vinlab.experiments.web.figures import draw_query
from vinlab.experiments.web.settings import SETTINGS, WebTraining
from vinlab.experiments.web.table import table
from vinlab.experiments.web.train import adapt, fit, make_data

EXPERIMENT: Experiment[WebTraining, WebSets] = Experiment(
    name="web",
    paper="Section 4.4",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=table,
    figures=draw_query,
    adapt=adapt,
    supports=frozenset({"data", "distributed"}),
    generated=SYNTHETIC,
)

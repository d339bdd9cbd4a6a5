"""Mars: planning past steep terrain that only an overhead image shows. Section 4.2 of the paper."""

from vinlab.experiments.base import Experiment
from vinlab.experiments.mars.data import MarsSets
from vinlab.experiments.mars.evaluate import evaluate, score
from vinlab.experiments.mars.figures import figures
from vinlab.experiments.mars.settings import SETTINGS, MarsTraining
from vinlab.experiments.mars.table import table
from vinlab.experiments.mars.train import fit, make_data

EXPERIMENT: Experiment[MarsTraining, MarsSets] = Experiment(
    name="mars",
    paper="Section 4.2",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=table,
    figures=figures,
    supports=frozenset({"data"}),
    generated="synthetic",
)

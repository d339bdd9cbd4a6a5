"""Continuous control: Section 4.3 of the paper, forces that move a particle past obstacles."""

from vinlab.experiments.base import Experiment
from vinlab.experiments.control.data import ControlSets
from vinlab.experiments.control.evaluate import evaluate, score
from vinlab.experiments.control.figures import draw_model, draw_runs
from vinlab.experiments.control.settings import SETTINGS, ControlTraining
from vinlab.experiments.control.table import table
from vinlab.experiments.control.train import fit, make_data

EXPERIMENT: Experiment[ControlTraining, ControlSets] = Experiment(
    name="control",
    paper="Section 4.3",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=table,
    figures=draw_model,
    summary_figures=draw_runs,
    supports=frozenset({"data"}),
)

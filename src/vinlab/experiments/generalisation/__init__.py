"""How far the shipped VINs carry: other sizes, other obstacles, mazes, and goals far away (beyond the paper)."""

from vinlab.experiments.any_map.evaluate import evaluate as evaluate_model
from vinlab.experiments.base import Experiment
from vinlab.experiments.generalisation.evaluate import GeneralisationSets, build, fit, make_data, score
from vinlab.experiments.generalisation.figures import draw_generalisation
from vinlab.experiments.generalisation.settings import SETTINGS, GeneralisationConfig
from vinlab.experiments.generalisation.table import table

EXPERIMENT: Experiment[GeneralisationConfig, GeneralisationSets] = Experiment(
    name="generalisation",
    paper="beyond the paper",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate_model,
    table=table,
    summary_figures=draw_generalisation,
    build=build,
    trains=False,
)

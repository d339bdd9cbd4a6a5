"""How far the shipped VINs carry: other sizes, other obstacles, mazes, and goals far away (beyond the paper)."""

from vinlab.experiments.any_map.evaluate import evaluate as evaluate_model
from vinlab.experiments.base import BEYOND_PAPER, Experiment
from vinlab.experiments.generalisation import evaluate, figures, settings, table

EXPERIMENT = Experiment(
    name="generalisation",
    paper=BEYOND_PAPER,
    settings=settings.SETTINGS,
    make_data=evaluate.make_data,
    fit=evaluate.fit,
    score=evaluate.score,
    evaluate=evaluate_model,
    table=table.table,
    summary_figures=figures.draw_generalisation,
    build=lambda config, data: data.model.network,
    trains=False,
)

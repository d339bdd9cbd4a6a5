"""Tied and untied kernels by size of the data: the appendix's table of weight sharing."""

from collections.abc import Sequence

from vinlab.experiments.base import Experiment
from vinlab.experiments.gridworld.data import GridworldSets
from vinlab.experiments.gridworld.evaluate import evaluate, score
from vinlab.experiments.gridworld.figures import draw_plans
from vinlab.experiments.gridworld.settings import GridworldTraining
from vinlab.experiments.gridworld.table import scores_table
from vinlab.experiments.gridworld.train import fit, make_data
from vinlab.experiments.weight_sharing.settings import SETTINGS
from vinlab.recording.finished_run import FinishedRun


def table(runs: Sequence[FinishedRun]) -> str:
    """Tied and untied kernels: ours beside the paper's."""
    return scores_table("Weight sharing on 16 × 16 maps (appendix)", "weight_sharing", runs)


EXPERIMENT: Experiment[GridworldTraining, GridworldSets] = Experiment(
    name="weight_sharing",
    paper="Appendix, Weight Sharing",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=table,
    figures=draw_plans,
    supports=frozenset({"device", "distributed", "data"}),
)

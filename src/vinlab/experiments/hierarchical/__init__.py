"""Hierarchical VINs, which plan on a coarse map first: a table of the appendix."""

from collections.abc import Sequence

from vinlab.experiments.base import Experiment
from vinlab.experiments.gridworld.data import GridworldSets
from vinlab.experiments.gridworld.evaluate import evaluate, score
from vinlab.experiments.gridworld.figures import draw_plans
from vinlab.experiments.gridworld.settings import GridworldTraining
from vinlab.experiments.gridworld.table import scores_table
from vinlab.experiments.gridworld.train import fit, make_data
from vinlab.experiments.hierarchical.settings import SETTINGS
from vinlab.recording.finished_run import FinishedRun


def table(runs: Sequence[FinishedRun]) -> str:
    """Planning on two levels beside planning on one: ours and the paper's."""
    return scores_table("Hierarchical VIN (appendix)", "hierarchical", runs)


EXPERIMENT: Experiment[GridworldTraining, GridworldSets] = Experiment(
    name="hierarchical",
    paper="Appendix, Hierarchical VI Modules",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=table,
    figures=draw_plans,
    supports=frozenset({"device", "distributed", "data"}),
)

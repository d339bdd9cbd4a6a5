"""One planner for any map (beyond the paper)."""

from collections.abc import Sequence

from vinlab.experiments.any_map.data import AnyMapSets
from vinlab.experiments.any_map.evaluate import evaluate, score
from vinlab.experiments.any_map.settings import SETTINGS, AnyMapTraining
from vinlab.experiments.any_map.table import map_sets_table
from vinlab.experiments.any_map.train import fit, make_data
from vinlab.experiments.base import Experiment
from vinlab.experiments.gridworld.figures import draw_plans
from vinlab.recording.finished_run import FinishedRun


def table(runs: Sequence[FinishedRun]) -> str:
    """How each run does on each set of maps."""
    return map_sets_table("One planner for any map", runs)


EXPERIMENT: Experiment[AnyMapTraining, AnyMapSets] = Experiment(
    name="any_map",
    paper="beyond the paper",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=table,
    figures=draw_plans,
    supports=frozenset({"device", "distributed"}),
)

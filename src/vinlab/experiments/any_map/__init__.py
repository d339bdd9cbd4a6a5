"""One planner for any map (beyond the paper)."""

from functools import partial

from vinlab.experiments.any_map.data import AnyMapSets, make_sets
from vinlab.experiments.any_map.evaluate import evaluate, score
from vinlab.experiments.any_map.settings import SETTINGS, AnyMapTraining
from vinlab.experiments.any_map.table import map_sets_table
from vinlab.experiments.any_map.train import fit
from vinlab.experiments.base import Experiment
from vinlab.experiments.gridworld.figures import draw_plans

EXPERIMENT: Experiment[AnyMapTraining, AnyMapSets] = Experiment(
    name="any_map",
    paper="beyond the paper",
    settings=SETTINGS,
    make_data=lambda config, request: make_sets(config.data, seed=request.seed),
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=partial(map_sets_table, "One planner for any map"),
    figures=draw_plans,
    supports=frozenset({"device", "distributed"}),
)

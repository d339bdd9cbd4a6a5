"""The arena: planners of the literature and ours, on the benchmarks that their papers use (beyond the paper)."""

from vinlab.experiments.arena.data import ArenaSets, make_sets
from vinlab.experiments.arena.evaluate import evaluate, score
from vinlab.experiments.arena.figures import draw_curves, draw_path
from vinlab.experiments.arena.settings import SETTINGS, ArenaTraining
from vinlab.experiments.arena.table import table
from vinlab.experiments.arena.train import fit
from vinlab.experiments.base import Experiment

EXPERIMENT: Experiment[ArenaTraining, ArenaSets] = Experiment(
    name="arena",
    paper="beyond the paper",
    settings=SETTINGS,
    make_data=lambda config, request: make_sets(config.data, seed=request.seed),
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=table,
    figures=draw_path,
    summary_figures=draw_curves,
    supports=frozenset({"device", "distributed"}),
)

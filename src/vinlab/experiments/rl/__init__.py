"""The grid-world by reinforcement learning: the paper's appendix."""

from vinlab.experiments.base import Experiment
from vinlab.experiments.rl.data import RlSets
from vinlab.experiments.rl.evaluate import evaluate, score
from vinlab.experiments.rl.figures import draw_paths, draw_runs
from vinlab.experiments.rl.settings import SETTINGS, RlTraining
from vinlab.experiments.rl.table import table
from vinlab.experiments.rl.train import fit, make_data

EXPERIMENT: Experiment[RlTraining, RlSets] = Experiment(
    name="rl",
    paper="Appendix, Gridworld with Reinforcement Learning",
    settings=SETTINGS,
    make_data=make_data,
    fit=fit,
    score=score,
    evaluate=evaluate,
    table=table,
    figures=draw_paths,
    summary_figures=draw_runs,
)

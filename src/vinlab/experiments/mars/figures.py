"""Figures of a model on test terrain: steep cells, the shortest path and its own, and its learned reward."""

from pathlib import Path

import numpy as np
import torch
from matplotlib.figure import Figure

from vinlab.domains.mars.expert import solve
from vinlab.domains.mars.problem import MarsProblems, observe
from vinlab.experiments.base import require_problem
from vinlab.experiments.mars.data import data_of, make_splits
from vinlab.experiments.mars.evaluate import evaluate_policy
from vinlab.figures.save import save_figure
from vinlab.figures.terrain import TerrainView, terrain_figure
from vinlab.models import Model
from vinlab.navigation.greedy import follow_moves, greedy_moves
from vinlab.networks.terrain.policies import TerrainPolicy
from vinlab.types import Plan

SHOWN = 3
"""Long paths that reach the goal; one that does not is shown below them."""


def figures(model: Model, out: Path, problem: int | None, data: Path | None) -> list[Path]:
    """Draw one test problem, or some of the longest that are solved and one that is not.

    The terrain is that of the folder ``data``, or synthetic. The figure of a shipped model carries its id.
    """
    problems = make_splits(data_of(model.config), data).test
    return [save_figure(paths_figure(model, problems, problem), out / f"{model.prefix}paths.png")]


def paths_figure(model: Model, problems: MarsProblems, problem: int | None) -> Figure:
    """A row for each problem that is shown; where none is named, the problems are of different blocks."""
    assert isinstance(model.network, TerrainPolicy)
    if problem is None:
        scores = evaluate_policy(model.network, problems)
        order = np.argsort(-scores.steps, kind="stable")
        solved = scores.reached[order]
        shown = _of_different_blocks(order[solved], problems, SHOWN)
        shown += _of_different_blocks(order[~solved], problems, 1)
    else:
        shown = [require_problem(problem, len(problems))]
    views = [view_of(model, problems[np.array([index])]) for index in shown]
    return terrain_figure(views, title=f"{model.id} on unseen terrain")


def _of_different_blocks(order: np.ndarray, problems: MarsProblems, count: int) -> list[int]:
    """The first ``count``, no two of them of the same block of terrain."""
    _, first = np.unique(problems.block_ids[order], return_index=True)
    return order[np.sort(first)][:count].tolist()


@torch.no_grad()
def view_of(model: Model, problem: MarsProblems) -> TerrainView:
    """One problem with the model's path and reward."""
    plan = model.network.plan(observe(problem.images, problem.goals))
    (moves,) = greedy_moves(model.network, plan, 1, (problem.obstacles.shape[1], problem.obstacles.shape[2]))
    start, goal = (tuple(cell[0].tolist()) for cell in (problem.starts, problem.goals))
    expert = solve(problem)
    path, reached = follow_moves(moves, problem.grid.obstacles[0], start, goal)
    return TerrainView(
        image=problem.images[0],
        start=start,
        goal=goal,
        predicted=path,
        shortest=expert.paths[0, : expert.lengths[0]],
        obstacles=problem.obstacles[0],
        reward=plan.reward[0, 0].numpy() if isinstance(plan, Plan) else None,
        caption="" if reached else "goal not reached",
    )

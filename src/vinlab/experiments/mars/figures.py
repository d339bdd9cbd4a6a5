"""Pictures of a VIN on ground: what is steep, the shortest way and its own, and the reward that it has learned.

Usage: python -m vinlab.experiments.mars.figures RUN --out PNG [--data FOLDER]
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from matplotlib.figure import Figure

from vinlab.domains.gridworld.expert import solve
from vinlab.domains.mars.observation import observe_terrain
from vinlab.domains.mars.problem import MarsProblems
from vinlab.experiments.mars.train import MarsData, make_sets
from vinlab.figures.save import save_figure
from vinlab.figures.terrain import TerrainView, terrain_figure
from vinlab.models import Model, load
from vinlab.navigation.greedy import follow_moves, greedy_moves
from vinlab.types import Plan

SHOWN = 3
"""Long ways that end well; one that does not is shown below them."""


def draw_ways(model: Model, problems: MarsProblems, reached: str, *, title: str = "") -> Figure:
    """Some of the longest ways that the model found, on ground of different blocks, and one that it did not."""
    lengths = solve(problems.grid).lengths
    order = np.argsort(-lengths, kind="stable")
    solved = np.array([mark == "1" for mark in reached])
    chosen = [*_of_different_blocks(order[solved[order]], problems, SHOWN)]
    chosen += _of_different_blocks(order[~solved[order]], problems, 1)
    views = [view_of(model, problems[np.array([index])]) for index in chosen]
    return terrain_figure(views, title=title)


def _of_different_blocks(order: np.ndarray, problems: MarsProblems, count: int) -> list[int]:
    """The first so many, no two of them on the same ground."""
    _, first = np.unique(problems.block_ids[order], return_index=True)
    return order[np.sort(first)][:count].tolist()


@torch.no_grad()
def view_of(model: Model, problem: MarsProblems) -> TerrainView:
    """One problem with the model's way and what it wanted."""
    plan = model.network.plan(observe_terrain(problem.images, problem.goals))
    (moves,) = greedy_moves(model.network, plan, 1, (problem.obstacles.shape[1], problem.obstacles.shape[2]))
    start, goal = (tuple(cell[0].tolist()) for cell in (problem.starts, problem.goals))
    grid, expert = problem.grid, solve(problem.grid)
    path, reached = follow_moves(moves, grid.obstacles[0], start, goal)
    return TerrainView(
        image=problem.images[0],
        start=start,
        goal=goal,
        predicted=path,
        shortest=expert.paths[0, : expert.lengths[0]],
        obstacles=problem.obstacles[0],
        reward=plan.reward[0, 0].numpy() if isinstance(plan, Plan) else None,
        caption="" if reached else "stopped",
    )


def main() -> None:
    """Draw the run that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--protocol", choices=("disjoint", "overlapping"), default="disjoint")
    options = parser.parse_args()
    model = load(options.run)
    test = make_sets(MarsData(options.protocol), options.data, seed=0).test
    save_figure(draw_ways(model, test, model.card["scores"]["reached"]), options.out)
    print(f"Drawn in {options.out}.")


if __name__ == "__main__":
    main()

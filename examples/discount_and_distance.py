"""How far a plan reaches with and without a discount: ideal reward and kernels on a perfect maze.

Nothing is learned: reward and kernels are the best that learning could find, computed in float32. With a discount the
goal's value decays, and a constant cost of a step adds up to a number whose rounding error exceeds it. Without a
discount one step more costs the same at every distance.
"""

import argparse
import math
from itertools import pairwise

import numpy as np
import torch

from vinlab import GridPlanner, GridProblems, SharedKernels, move_kernels
from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.navigation.adaptive import rollout_all_cells
from vinlab.planning.exact import cost_to_go

WALL = 1e4
DESIGNS = [
    (0.9, 1.0, 0.0, 0.0),
    (0.9, 1.0, -0.01, 0.0),
    (0.95, 1.0, -0.01, 0.0),
    (0.99, 1.0, -0.01, 0.0),
    (0.99, 1.0, -0.01, 1e-3),
    (1.0, 0.0, -1.0, 1e-3),
    (1.0, 0.0, -1.0, 1e-4),
    (1.0, 0.0, -1.0, 0.0),
]
"""Discount, reward at the goal and of a step, noise in the kernels."""


def maze(size: int) -> tuple[GridProblems, np.ndarray]:
    """A perfect maze with its goal, and the length of the shortest path from every cell."""
    obstacles, goals = MazeConfig(removed_walls=0.0).draw(size, size, 1, rng=np.random.default_rng(0))
    return GridProblems(obstacles, goals, goals), cost_to_go(obstacles, goals)


def ideal_reward(problem: GridProblems, *, goal: float, step: float) -> torch.Tensor:
    """One reward at the goal, one for every other step, and walls too expensive to enter."""
    reward = torch.where(torch.from_numpy(problem.obstacles == 1), -WALL, step)[:, None]
    reward[0, 0, problem.goals[0, 0], problem.goals[0, 1]] = goal
    return reward


def ideal_kernels(discount: float, noise: float) -> SharedKernels:
    """The eight moves, and staying; noise gives an action some weight on other cells, also behind walls."""
    kernels = move_kernels(actions=9, std=0.0, discount=discount)
    kernels.reward[8, 0, 1, 1], kernels.value[8, 0, 1, 1] = 1.0, discount
    kernels.reward[4:8] *= math.sqrt(2)
    value = kernels.value + noise * torch.rand(kernels.value.shape, generator=torch.manual_seed(0))
    return SharedKernels(kernels.reward, discount * value / value.sum(dim=(1, 2, 3), keepdim=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=101, help="side of the maze, odd")
    size = parser.parse_args().size
    problem, costs = maze(size)
    ends = [0, 40, 80, 160, 320, 640, 1280, math.inf]
    longest = int(costs[np.isfinite(costs)].max())
    print(f"Cells that reach the goal, by the length of their shortest path (longest: {longest})")
    print("discount  goal   step   noise  " + "".join(f"{f'<= {end}':>9}" for end in ends[1:]))
    for discount, goal, step, noise in DESIGNS:
        plan = GridPlanner(iterations=2 * longest)(
            ideal_reward(problem, goal=goal, step=step), ideal_kernels(discount, noise)
        )
        reached = rollout_all_cells(plan.q[:, :8].argmax(dim=1).numpy(), problem).reached.reshape(costs.shape)
        within = [np.isfinite(costs) & (costs > low) & (costs <= high) for low, high in pairwise(ends)]
        shares = [f"{100 * reached[part].mean():8.1f}%" if part.any() else f"{'–':>9}" for part in within]
        print(f"{discount:8} {goal:5.0f} {step:6} {noise:7}  " + "".join(shares))


if __name__ == "__main__":
    main()

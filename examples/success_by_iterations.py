"""How success depends on K: one network on maps of the paper's kind, with fewer and with more backups.

python examples/success_by_iterations.py [SIDE] [MAPS]; more maps give a finer answer and take longer.
"""

import sys

import numpy as np

import vinlab
from vinlab.domains.gridworld.expert import solve
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems

STREAM = 27_182
"""The maps are neither training maps nor those of any table."""
ITERATIONS_PER_CELL = (0.5, 0.75, 1.0, 36 / 28, 1.5, 2.0, 3.0)
"""K over the side of the map; the paper has 36 backups for 28 cells."""


def main(side: str = "28", maps: str = "200") -> None:
    size = int(side)
    problems = sample_problems(GridworldConfig(size=size), int(maps), rng=np.random.default_rng(STREAM))
    steps = solve(problems).lengths - 1
    network = vinlab.load("grid/unrolled").network
    for iterations in (round(ratio * size) for ratio in ITERATIONS_PER_CELL):
        scores = vinlab.evaluate(network, problems, iterations=iterations)
        print(
            f"K = {iterations:3}: {scores.success_rate:.2%} success, "
            f"{scores.optimal_action_accuracy:.2%} optimal moves; "
            f"{(steps > iterations).mean():.2%} of the shortest paths have more than K steps"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])

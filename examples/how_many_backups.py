"""How large K must be on maps of the paper's kind: one network, judged with fewer and with more backups.

More maps show more, and take longer: python examples/how_many_backups.py [SIDE] [MAPS]
"""

import sys

import numpy as np

import vinlab
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.navigation import routes as navigation

STREAM = 27_182
"""The maps are neither those of training nor those of any table."""
SHARES = (0.5, 0.75, 1.0, 36 / 28, 1.5, 2.0, 3.0)
"""K by the side of the map; the paper has 36 backups for 28 cells."""


def main(side: str = "28", maps: str = "200") -> None:
    size = int(side)
    problems = sample_problems(GridworldConfig(size=size), int(maps), rng=np.random.default_rng(STREAM))
    steps = navigation.solve(problems).lengths - 1
    network = vinlab.load("grid/any").network
    for iterations in (round(share * size) for share in SHARES):
        scores = navigation.evaluate(network, problems, iterations=iterations)
        print(
            f"K = {iterations:3}: {scores.success_rate:.2%} success, "
            f"{scores.optimal_action_accuracy:.2%} of the moves optimal; "
            f"{(steps > iterations).mean():.2%} of the shortest ways have more steps"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])

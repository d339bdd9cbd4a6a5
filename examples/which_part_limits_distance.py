"""Which part limits the distance that a plan covers: degrade two parts of grid/unrolled, one at a time, on mazes.

python examples/which_part_limits_distance.py [SIDE] [MAZES]; larger mazes show more and take longer.
"""

import math
import sys

import torch
from torch import Tensor, nn

import vinlab
from vinlab.domains.gridworld.map_sets import mazes
from vinlab.domains.gridworld.problem import observe
from vinlab.experiments.any_map.evaluate import evaluate_maps
from vinlab.modules import SoftmaxTransition, move_logits
from vinlab.types import GridProblems

STREAM = 31_415
"""The mazes are neither training maps nor those of any table."""


class ScaledWallCost(nn.Module):
    """The learned costs, with those of obstacles multiplied by ``factor``."""

    def __init__(self, learned: nn.Module, factor: float) -> None:
        super().__init__()
        self.learned, self.factor = learned, factor

    def forward(self, observation: Tensor) -> Tensor:
        reward = self.learned(observation)
        return torch.where(observation[:, :1] > 0, self.factor * reward, reward)


def noisy_moves(learned: SoftmaxTransition, probability: float) -> SoftmaxTransition:
    """The learned cost weights, with moves that lead to each other cell with this probability."""
    return SoftmaxTransition(
        transition_logits=move_logits(logit=-math.log(probability)), cost_logits=learned.cost_logits.data
    )


def wall_cost_in_steps(network: vinlab.ValueIterationNetwork, problems: GridProblems) -> float:
    """The cost of a wall in steps along a corridor, as its 10th percentile over the walls."""
    with torch.no_grad():
        costs = -network.reward(observe(problems.obstacles, problems.goals))[:, 0]
    walls = torch.from_numpy(problems.obstacles) == 1
    return float(costs[walls].quantile(0.1) / costs[~walls].median())


def main(side: str = "31", count: str = "4") -> None:
    problems = mazes(int(side)).sample(int(count), stream=STREAM)
    model = vinlab.load("grid/unrolled")
    network = model.network
    assert isinstance(network, vinlab.ValueIterationNetwork)
    reward, moves = network.reward, network.transition
    assert isinstance(moves, SoftmaxTransition)
    print(f"A wall costs as much as {wall_cost_in_steps(network, problems):,.0f} steps.")
    for name, costs, transition in (
        ("as learned", reward, moves),
        ("walls / 10", ScaledWallCost(reward, 0.1), moves),
        ("walls / 100", ScaledWallCost(reward, 0.01), moves),
        ("exact moves", reward, noisy_moves(moves, 1e-20)),
        ("noise 0.0001", reward, noisy_moves(moves, 1e-4)),
        ("noise 0.001", reward, noisy_moves(moves, 1e-3)),
    ):
        network.reward, network.transition = costs, transition
        scores = evaluate_maps(model, problems)
        print(
            f"{name:>12}: the goal is reached from {scores['reached_share']:.1%} of the cells, "
            f"by a shortest path from {scores['optimally_reached_share']:.1%}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])

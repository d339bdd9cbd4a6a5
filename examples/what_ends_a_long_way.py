"""Why a planner loses its way in large mazes: two parts of grid/any are made worse, one after the other.

A larger maze shows more, and takes longer: python examples/what_ends_a_long_way.py [SIDE] [MAZES]
"""

import math
import sys

import torch
from torch import Tensor, nn

import vinlab
from vinlab.domains.gridworld.problem import observe
from vinlab.experiments.any_map.evaluate import judge_kind, mazes
from vinlab.modules import SoftmaxTransition, move_logits
from vinlab.types import GridProblems

STREAM = 31_415
"""The mazes are neither those of training nor those of any table."""


class PricedWalls(nn.Module):
    """The learned costs, but an obstacle costs ``factor`` times as much."""

    def __init__(self, learned: nn.Module, factor: float) -> None:
        super().__init__()
        self.learned, self.factor = learned, factor

    def forward(self, observation: Tensor) -> Tensor:
        reward = self.learned(observation)
        return torch.where(observation[:, :1] > 0, self.factor * reward, reward)


def straying_moves(learned: SoftmaxTransition, chance: float) -> SoftmaxTransition:
    """The learned weights of what an action costs, but to each other cell it leads with this chance."""
    return SoftmaxTransition(
        transition_logits=move_logits(logit=-math.log(chance)), cost_logits=learned.weights.data
    )


def wall_in_steps(network: vinlab.ValueIterationNetwork, problems: GridProblems) -> float:
    """How many steps along a corridor cost as much as a wall; nine tenths of the walls are dearer."""
    with torch.no_grad():
        costs = -network.reward(observe(problems.obstacles, problems.goals))[:, 0]
    walls = torch.from_numpy(problems.obstacles) == 1
    return float(costs[walls].quantile(0.1) / costs[~walls].median())


def main(side: str = "31", count: str = "4") -> None:
    problems = mazes(int(side)).sample(int(count), stream=STREAM)
    model = vinlab.load("grid/any")
    network = model.network
    assert isinstance(network, vinlab.ValueIterationNetwork)
    reward, moves = network.reward, network.transition
    assert isinstance(moves, SoftmaxTransition)
    print(f"A wall costs as much as {wall_in_steps(network, problems):,.0f} steps.")
    for name, costs, leads in (
        ("as learned", reward, moves),
        ("walls at a tenth", PricedWalls(reward, 0.1), moves),
        ("walls at a hundredth", PricedWalls(reward, 0.01), moves),
        ("moves exact", reward, straying_moves(moves, 1e-20)),
        ("moves stray, 0.0001", reward, straying_moves(moves, 1e-4)),
        ("moves stray, 0.001", reward, straying_moves(moves, 1e-3)),
    ):
        network.reward, network.transition = costs, leads
        scores = judge_kind(model, problems)
        print(
            f"{name:>20}: {scores['reached_share']:.1%} of the cells arrive, "
            f"{scores['optimally_reached_share']:.1%} by a shortest way"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Why a planner loses its way in large mazes: parts of grid/any are replaced by ideal ones, one after the other.

A larger maze shows more, and takes longer: python examples/what_ends_a_long_way.py [SIDE] [MAZES]
"""

import sys

import torch
from torch import Tensor, nn

import vinlab
from vinlab.design import LosslessTransition, sure_moves
from vinlab.domains.gridworld.problem import observe
from vinlab.experiments.map_kinds import judge_kind, mazes
from vinlab.types import GridProblems

STREAM = 31_415
"""The mazes are neither those of training nor those of any table."""


class DearWalls(nn.Module):
    """The learned costs, but an obstacle costs ten times as much."""

    def __init__(self, learned: nn.Module) -> None:
        super().__init__()
        self.learned = learned

    def forward(self, observation: Tensor) -> Tensor:
        reward = self.learned(observation)
        return torch.where(observation[:, :1] > 0, 10 * reward, reward)


def exact_moves(learned: nn.Module) -> LosslessTransition:
    """The learned weights of what an action costs, but each action leads to one cell for sure."""
    assert isinstance(learned, LosslessTransition)
    return LosslessTransition(chances=sure_moves(sharpness=50.0), weights=learned.weights.data)


def wall_in_steps(network: nn.Module, problems: GridProblems) -> float:
    """How many steps along a corridor cost as much as the cheapest tenth of the walls."""
    with torch.no_grad():
        costs = -network.reward(observe(problems.obstacles, problems.goals))[:, 0].numpy()
    walls, floor = costs[problems.obstacles == 1], costs[problems.obstacles == 0]
    walls.sort()
    return float(walls[len(walls) // 10] / sorted(floor)[len(floor) // 2])


def main(side: str = "31", count: str = "4") -> None:
    problems = mazes(int(side)).sample(int(count), stream=STREAM)
    model = vinlab.load("grid/any")
    network = model.network
    reward, transition = network.reward, network.transition
    print(f"A wall costs as much as {wall_in_steps(network, problems):,.0f} steps or more.")
    for name, costs, moves in (
        ("as learned", reward, transition),
        ("moves exact", reward, exact_moves(transition)),
        ("walls dearer", DearWalls(reward), transition),
        ("both", DearWalls(reward), exact_moves(transition)),
    ):
        network.reward, network.transition = costs, moves
        scores = judge_kind(model, problems)
        print(
            f"{name:>12}: {scores['reached_share']:.1%} of the cells arrive, "
            f"{scores['optimally_reached_share']:.1%} by a shortest way"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])

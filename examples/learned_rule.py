"""A rule that nobody coded: on marked cells one may only go east. The planner learns it from demonstrations.

It learns on maps of 16 x 16 cells and is tried on larger ones: python examples/learned_rule.py [STEPS] [SIDE]
"""

import sys

import numpy as np
import torch
from torch import Tensor

from vinlab.learners.losses import set_nll
from vinlab.networks.grid.fixed_point import FixedPointVinConfig
from vinlab.planning.costs import UNREACHABLE, CostMap, MoveTable, terminals_at
from vinlab.planning.shortest_path import ShortestPathPlan, ShortestPathPlanner
from vinlab.types import MOVE_NAMES, MOVE_OFFSETS

WALLS, GOAL, ONE_WAY = 0, 1, 2
LENGTHS = torch.as_tensor(MoveTable().lengths)[:, None, None]
TO_THE_EAST = torch.tensor([name == "E" for name in MOVE_NAMES])[:, None, None]


def draw(maps: int, side: int, seed: int) -> Tensor:
    """What the network sees: walls, the goal, and the marked cells, of which it is told nothing more."""
    source = torch.Generator().manual_seed(seed)
    walls, marks = torch.rand(2, maps, side, side, generator=source) < 0.25
    goal = terminals_at(torch.randint(side, (maps, 1, 2), generator=source), side, side)
    return torch.stack([walls & ~goal, 10.0 * goal, marks & ~walls & ~goal], dim=1)


def legal_moves(observation: Tensor) -> tuple[Tensor, Tensor]:
    """The moves ``[B 8 H W]`` into no wall, and those that are also made from marked cells to the east alone."""
    walls = torch.nn.functional.pad(observation[:, WALLS], (1, 1, 1, 1), value=1.0)
    side = observation.shape[-1]
    free = [walls[:, 1 + r : 1 + r + side, 1 + c : 1 + c + side] == 0 for r, c in MOVE_OFFSETS.tolist()]
    without_rule = torch.stack(free, dim=1) & (observation[:, [WALLS]] == 0)
    return without_rule, without_rule & (TO_THE_EAST | (observation[:, [ONE_WAY]] == 0))


def solve(observation: Tensor, allowed: Tensor) -> ShortestPathPlan:
    """The plan of one who knows which moves are allowed."""
    return ShortestPathPlanner()(CostMap(LENGTHS.expand(allowed.shape), observation[:, GOAL] > 0, allowed))


def reached(moves: Tensor, observation: Tensor) -> float:
    """The share of the cells with a path from which these moves come to the goal in the true world."""
    allowed = legal_moves(observation)[1] & (observation[:, [GOAL]] == 0)
    batch, row, col = np.nonzero((solve(observation, allowed).value[:, 0] > UNREACHABLE).numpy())
    goes = np.ones(len(batch), bool)
    while goes.any():
        move = moves.numpy()[batch, row, col]
        goes = allowed.numpy()[batch, move, row, col]
        row, col = row + goes * MOVE_OFFSETS[move, 0], col + goes * MOVE_OFFSETS[move, 1]
    return float((observation[:, GOAL].numpy()[batch, row, col] > 0).mean())


def main(steps: str = "200", side: str = "48") -> None:
    torch.manual_seed(0)
    network, sharpness = FixedPointVinConfig(channels=3, goal_channel=GOAL).build(), 20.0
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
    for step in range(int(steps)):
        observation = draw(8, 16, seed=step)
        expert = solve(observation, legal_moves(observation)[1])
        right = (expert.q > expert.value - 1e-9) & (expert.value > UNREACHABLE) & (expert.value < 0)
        logits = sharpness * network.plan(observation).q
        losses = set_nll(logits.flatten(2).transpose(1, 2), right.flatten(2).transpose(1, 2))
        optimiser.zero_grad()
        losses.mean().backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
    unseen = draw(20, int(side), seed=10**6)
    without_rule, _ = legal_moves(unseen)
    print(f"Cells of unseen {side} x {side} maps from which the goal is reached:")
    print(f"  by a planner without the rule: {reached(solve(unseen, without_rule).q.argmax(1), unseen):.2%}")
    print(f"  by the learned planner:        {reached(network.plan(unseen).q.argmax(1), unseen):.2%}")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The expert of states with layers: shortest paths, for every state at once."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int8

from vinlab.domains.gridworld.expert import pack_demonstrations
from vinlab.domains.motion.problem import MotionProblems, cost_to_go, exact_plan, observe
from vinlab.planning.moves import LayeredMoves
from vinlab.types import Batch, TimedDemonstrations

TIE = 1e-9
"""Paths closer in length than this are equally long."""


@dataclass(frozen=True)
class MotionSolution(Batch):
    """Exact costs and actions of some problems."""

    costs: Float[np.ndarray, "B L H W"]
    """Infinite in obstacles and where no path exists."""
    moves: Int8[np.ndarray, "B L H W"]
    """The first of the optimal actions; -1 at the goal, in obstacles and where no path exists."""
    optimal: Bool[np.ndarray, "B L A H W"]
    """All actions that begin a shortest path."""


def solve(problems: MotionProblems, moves: LayeredMoves, *, corner_cutting: bool = True) -> MotionSolution:
    """The exact solution of all problems."""
    plan = exact_plan(problems, moves, corner_cutting=corner_cutting)
    costs = cost_to_go(problems, moves, corner_cutting=corner_cutting)
    decided = np.isfinite(costs) & (costs > 0)
    q, value = plan.q.numpy(), plan.value.numpy()
    optimal = decided[:, :, None] & (q > value[:, :, None] - TIE)
    assert plan.moves is not None
    return MotionSolution(costs, np.where(decided, plan.moves.numpy(), -1).astype(np.int8), optimal)


def demonstrate_everywhere(problems: MotionProblems, moves: LayeredMoves) -> TimedDemonstrations:
    """All optimal actions in every state that can reach the goal; padding has weight 0."""
    solution = solve(problems, moves)
    index, layer, row, col = np.nonzero(np.isfinite(solution.costs) & (solution.costs > 0))
    seen = observe(problems.obstacles, problems.goals, moves.num_layers)
    states = np.stack([row, col, layer], axis=-1)
    packed = pack_demonstrations(seen, index, states, solution.optimal[index, layer, :, row, col])
    distances = np.zeros(packed.weights.shape, np.int32)
    distances[packed.weights.numpy() > 0] = np.ceil(solution.costs[index, layer, row, col] - TIE)
    return TimedDemonstrations(**vars(packed), distances=torch.from_numpy(distances))

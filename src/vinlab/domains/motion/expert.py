"""The expert of states with layers: shortest paths, for every state at once."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int8

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
    counts = np.bincount(index, minlength=len(problems))
    filled = np.arange(counts.max(initial=0)) < counts[:, None]
    states = np.zeros((*filled.shape, 3), np.int16)
    # In padding every action is optimal, so that the loss is finite there before its weight of 0 removes it.
    actions = np.ones((*filled.shape, moves.num_actions), bool)
    states[filled] = np.stack([row, col, layer], axis=-1)
    actions[filled] = solution.optimal[index, layer, :, row, col]
    distances = np.zeros(filled.shape, np.int32)
    distances[filled] = np.ceil(solution.costs[index, layer, row, col] - TIE)
    return TimedDemonstrations(
        observe(problems.obstacles, problems.goals, moves.num_layers),
        torch.from_numpy(states),
        torch.from_numpy(actions),
        torch.from_numpy(filled.astype(np.float32)),
        torch.from_numpy(distances),
    )

"""The fixed point of value iteration where actions lead to several cells, in plain tensor operations.

The reference for the compiled sweeps: policy iteration that solves the equations of each policy at once. The matrix of
a map has a row and a column for every cell, so this is for small maps and for second derivatives.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from vinlab.planning.costs import NO_MOVE, UNREACHABLE, CostMap, MoveTable
from vinlab.planning.policy_evaluation import settle, shifted_cells
from vinlab.types import InputError

MOST_CELLS = 4096
"""Of a map, for the dense equations."""

BETTER = 1e-12
"""By how much of the value an action must be better to be taken instead."""


@dataclass(frozen=True)
class UncertainProblem:
    """What the reward adds to q, the probabilities of where each action leads, and where paths end."""

    share: Float[Tensor, "B A H W"]
    """Below zero."""
    probabilities: Float[Tensor, "A 1 F F"]
    terminals: Bool[Tensor, "B H W"]

    @property
    def offsets(self) -> Int64[np.ndarray, "K 2"]:
        """What each entry of a kernel adds to ``(row, col)``."""
        reach = int(self.probabilities.shape[-1]) // 2
        return np.indices((2 * reach + 1,) * 2).reshape(2, -1).T - reach

    @property
    def moves(self) -> MoveTable:
        """The offset of each action's most probable cell."""
        places = self.probabilities.detach().flatten(1).argmax(dim=1).cpu().numpy()
        return MoveTable(np.ascontiguousarray(self.offsets[places]))


@torch.no_grad()
def settled_policy(problem: UncertainProblem) -> Int64[Tensor, "B H W"]:
    """The greedy policy at the fixed point, by policy iteration."""
    policy = settle(CostMap(-problem.share, problem.terminals), problem.moves)
    while True:
        q, value = evaluate_policy(problem, policy, problem.moves.offsets)
        best = q.max(dim=1)
        better = best.values > value[:, 0] + BETTER * value[:, 0].abs()
        improved = best.indices.where(better & (policy != NO_MOVE), policy)
        if torch.equal(improved, policy):
            return policy
        policy = improved


def evaluate_policy(
    problem: UncertainProblem,
    policy: Int64[Tensor, "B H W"],
    moves: Int64[np.ndarray, "A 2"] | Int64[Tensor, "A 2"],
) -> tuple[Float[Tensor, "B A H W"], Float[Tensor, "B 1 H W"]]:
    """The q and value of a policy that has an action in all cells with a path but the terminal ones.

    ``moves`` are the offsets of each action's most probable cell.
    """
    batch, _, rows, cols = problem.share.shape
    if rows * cols > MOST_CELLS:
        raise InputError(
            f"expected at most {MOST_CELLS} cells for the dense equations of uncertain transitions, got {rows * cols}."
        )
    share, chosen = problem.share.double().flatten(2), policy.flatten(1)
    kernels = problem.probabilities.double().flatten(1)
    goes, reached = chosen != NO_MOVE, (chosen != NO_MOVE) | problem.terminals.flatten(1)
    around = _neighbours(problem, reached)
    row_weights = kernels[chosen.clamp(min=0)] * goes[..., None]
    matrix = torch.eye(rows * cols, dtype=share.dtype, device=share.device).repeat(batch, 1, 1)
    matrix = matrix.scatter_add(2, around, -row_weights)
    rewards = share.gather(1, chosen.clamp(min=0)[:, None])[:, 0] * goes
    value = torch.linalg.solve(matrix, rewards)
    onwards = value[:, None].expand(-1, rows * cols, -1).gather(2, around)
    q = share + torch.einsum("ak,bnk->ban", kernels, onwards)
    cells, inside = shifted_cells(moves, problem.share)
    possible = inside & reached[:, cells]
    q = q.where(possible & reached[:, None], UNREACHABLE).view_as(problem.share)
    value = value.where(reached, UNREACHABLE).view(batch, 1, rows, cols)
    return q.to(problem.share), value.to(problem.share)


def _neighbours(problem: UncertainProblem, reached: Bool[Tensor, "B N"]) -> Int64[Tensor, "B N K"]:
    """The cell at each offset of a kernel; the cell itself where that is off the map or has no path."""
    cells, inside = shifted_cells(problem.offsets, problem.share)
    here = torch.arange(cells.shape[1], device=cells.device)
    usable = inside & reached[:, cells]
    return cells.where(usable, here).transpose(1, 2)

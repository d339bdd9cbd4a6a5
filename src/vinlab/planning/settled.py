"""The greedy moves of a plan that has settled, found outside all transforms of PyTorch.

Which moves are greedy depends on the numbers, so ``vmap`` and its relatives cannot follow how they are found. They need
not: given the greedy moves, ``evaluate_moves`` and ``evaluate_policy`` are plain tensor operations. The functions here
have no derivative; under ``vmap`` they handle all problems as one batch.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from vinlab.planning.costs import CostMap, MoveTable, require_cost_map
from vinlab.planning.fused.search_function import is_searchable, search_plan
from vinlab.planning.policy_evaluation import evaluate_moves, settle
from vinlab.planning.policy_iteration import UncertainProblem, evaluate_policy, settled_policy
from vinlab.types import InputError


def plan_anywhere(problem: CostMap, moves: MoveTable) -> tuple[Tensor, Tensor, Tensor]:
    """The q, value and greedy moves of known moves, on any device and under any transform."""
    allowed = torch.ones_like(problem.costs, dtype=torch.bool) if problem.allowed is None else problem.allowed
    greedy: Tensor = SettledMoves.apply(problem.costs.detach(), problem.terminals, allowed, moves.offsets)  # pyright: ignore
    return *evaluate_moves(problem, moves, greedy), greedy


def fixed_point_anywhere(problem: UncertainProblem) -> tuple[Tensor, Tensor]:
    """The q and value of uncertain transitions, on any device and under any transform."""
    inputs = (problem.share.detach(), problem.probabilities.detach(), problem.terminals)
    policy, moves = SettledPolicy.apply(*inputs)  # pyright: ignore[reportGeneralTypeIssues]
    return evaluate_policy(problem, policy, moves)


class _WithoutDerivative(torch.autograd.Function):
    """What the search for greedy moves shares."""

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        """Nothing is kept."""
        ctx.mark_non_differentiable(*([output] if isinstance(output, Tensor) else output))
        ctx.count = len(inputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple:
        """There is no derivative."""
        return (None,) * ctx.count


class SettledMoves(_WithoutDerivative):
    """The greedy moves ``[B H W]`` of known moves with costs that are checked."""

    @staticmethod
    def forward(costs: Tensor, terminals: Tensor, allowed: Tensor, offsets: np.ndarray) -> Tensor:
        """By the compiled search where it serves, by backups elsewhere."""
        problem, moves = CostMap(costs, terminals, allowed), MoveTable(offsets)
        require_cost_map(problem, moves)
        if is_searchable(problem):
            return search_plan(problem, moves)[2].long()
        return settle(problem, moves)

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *inputs: Any) -> tuple[Tensor, int]:
        """All problems at once."""
        *tensors, offsets = inputs
        folded = [_fold(part, dim, info.batch_size) for part, dim in zip(tensors, in_dims[:3], strict=True)]
        return SettledMoves.apply(*folded, offsets).unflatten(0, (info.batch_size, -1)), 0  # pyright: ignore


class SettledPolicy(_WithoutDerivative):
    """The greedy policy ``[B H W]`` of uncertain transitions, and the offsets ``[A 2]`` of the likeliest cells."""

    @staticmethod
    def forward(share: Tensor, probabilities: Tensor, terminals: Tensor) -> tuple[Tensor, Tensor]:
        """By policy iteration."""
        problem = UncertainProblem(share, probabilities, terminals)
        require_uncertain(problem)
        return settled_policy(problem), torch.as_tensor(problem.moves.offsets, device=share.device)

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *inputs: Tensor) -> tuple[tuple, tuple]:
        """One after the other, as each may have kernels of its own."""
        pairs = list(zip(inputs, in_dims, strict=True))
        chosen = ([p if d is None else p.select(d, i) for p, d in pairs] for i in range(info.batch_size))
        parts = [SettledPolicy.apply(*one) for one in chosen]
        return tuple(map(torch.stack, zip(*parts, strict=True))), (0, 0)  # pyright: ignore


def require_uncertain(problem: UncertainProblem) -> None:
    """Kernels are probabilities, rewards below zero, and every problem has a goal, or a sentence says what is not."""
    require_probabilities(problem.probabilities)
    require_cost_map(CostMap(-problem.share.detach(), problem.terminals), problem.moves)


SUM_TOLERANCE = 1e-4
"""By how much the probabilities of an action may miss a sum of 1."""


def require_probabilities(probabilities: Tensor) -> None:
    """What each action makes of the value is a mean over the cells it may lead to."""
    kernels = probabilities.detach()
    sums, least = kernels.flatten(1).sum(dim=1), float(kernels.min())
    off = float((sums - 1).abs().max())
    if not (off <= SUM_TOLERANCE and least >= 0):
        worst = float(sums[(sums - 1).abs().argmax()])
        raise InputError(
            "expected value kernels that are probabilities (not negative, with a sum of 1 for each action), "
            f"got a sum of {worst:.6g} and a least entry of {least:.6g}; "
            "plan with a number of backups (GridPlanner) instead."
        )


def _fold(part: Tensor, dim: int | None, size: int) -> Tensor:
    """The batch of ``vmap`` and that of the problems as one."""
    batched = part.expand(size, *part.shape) if dim is None else part.movedim(dim, 0)
    return batched.flatten(0, 1)

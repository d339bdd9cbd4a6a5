"""The likelihood of whole paths where a path is the likelier the less it costs: maximum entropy.

A path from start to goal has the probability ``exp(-cost) / Z``, with Z the sum over all paths from start to goal, of
any length (Ziebart et al., 2008). Costs must exceed log(8) = 2.08 a move, or the sum is infinite.
"""

from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from vinlab.planning.costs import UNREACHABLE
from vinlab.planning.fused.threads import run_shares
from vinlab.planning.shortest_path import ShortestPathPlan
from vinlab.planning.tensors import arrays_of
from vinlab.types import MOVE_OFFSETS


def log_partition(plan: ShortestPathPlan, starts: Int[Tensor, "B 2"]) -> Float[Tensor, " B"]:
    """The logarithm of Z from the start of each problem to its goal, with the gradient of the plan's costs.

    The gradient of a move's cost is minus the expected number of times that a path makes the move.
    """
    value, cells = plan.value[:, 0], starts.long()
    at_start = value[torch.arange(len(cells)), cells[:, 0], cells[:, 1]]
    if (at_start <= UNREACHABLE / 2).any():
        raise ValueError("expected starts from which the goal can be reached.")
    return _LogPartition.apply(plan.reward, plan, cells)  # pyright: ignore[reportReturnType]


class _LogPartition(torch.autograd.Function):
    """Sums over all paths forward, expected visits backward; both come from the same sweeps."""

    @staticmethod
    def forward(ctx: Any, reward: Tensor, plan: ShortestPathPlan, starts: Tensor) -> Tensor:
        """The logarithm of Z of each problem."""
        log_sums, visits = _sum_paths(plan, starts)
        ctx.save_for_backward(visits.to(reward.dtype))
        value = plan.value.detach()[torch.arange(len(starts)), 0, starts[:, 0], starts[:, 1]]
        return (log_sums + value.double()).to(reward.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor):
        """The gradient of the reward, which is minus the costs."""
        (visits,) = ctx.saved_tensors
        return visits * gradients[0][:, None, None, None], None, None


def _sum_paths(plan: ShortestPathPlan, starts: Tensor) -> tuple[Tensor, Tensor]:
    """The logarithm of z of each start ``[B]`` and the expected visits ``[B A H W]``, in float64."""
    from vinlab.planning.fused.soft_paths import sum_paths

    assert plan.moves is not None
    problems, actions, rows, cols = plan.q.shape
    value = plan.value.detach()[:, 0].flatten(1).double()
    terminals = ((plan.moves < 0).flatten(1)) & (value > UNREACHABLE / 2)
    log_sums = torch.empty(problems, dtype=torch.float64)
    visits = torch.empty(problems, actions, rows * cols, dtype=torch.float64)
    cells = starts[:, 0] * cols + starts[:, 1]
    arrays = arrays_of(plan.q.detach().flatten(2).double(), value, terminals, cells)
    arguments = [*arrays, MOVE_OFFSETS @ np.array([cols, 1]), log_sums.numpy(), visits.numpy()]

    run_shares(sum_paths, arguments, problems, 8 * visits.numel())
    return log_sums, visits.view(problems, actions, rows, cols)

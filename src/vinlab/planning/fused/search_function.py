"""The compiled search as one differentiable function of PyTorch."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Float64, Int8
from torch import Tensor

from vinlab.planning.costs import CostMap, MoveTable
from vinlab.planning.fused.threads import run_shares
from vinlab.planning.policy_evaluation import evaluate_moves
from vinlab.planning.tensors import are_plain, arrays_of


def is_searchable(problem: CostMap) -> bool:
    """Whether the compiled search serves these costs: float32 or float64 on the CPU, without a transform."""
    tensors = [part for part in (problem.costs, problem.terminals, problem.allowed) if part is not None]
    return problem.costs.dtype in (torch.float32, torch.float64) and are_plain(*tensors)


def search_plan(
    problem: CostMap, moves: MoveTable
) -> tuple[Float[Tensor, "B A H W"], Float[Tensor, "B 1 H W"], Int8[Tensor, "B H W"]]:
    """q, value and greedy moves, by search."""
    allowed = problem.costs.new_empty(0) if problem.allowed is None else problem.allowed
    inputs = (problem.costs, problem.terminals, allowed)
    if torch.is_grad_enabled() and problem.costs.requires_grad:
        return Search.apply(*inputs, moves.offsets)  # pyright: ignore[reportReturnType]
    return search(*inputs, moves.offsets)[:3]


class Search(torch.autograd.Function):
    """A search that keeps the greedy moves and the order of search: all that the gradient needs."""

    @staticmethod
    def forward(ctx: Any, costs: Tensor, terminals: Tensor, allowed: Tensor, offsets: np.ndarray):
        """Plan, and keep the order."""
        q, value, moves, order, counts, _ = search(costs, terminals, allowed, offsets)
        ctx.save_for_backward(costs, terminals, allowed, q, moves, order, counts)
        ctx.offsets = offsets
        ctx.mark_non_differentiable(moves)
        return q, value, moves

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor):
        """The gradient of the costs; by the reference for second derivatives and batches of gradients."""
        costs, terminals, allowed, *kept = ctx.saved_tensors
        again = torch.is_grad_enabled()
        if again or not are_plain(*gradients[:2]):
            problem = CostMap(costs, terminals, allowed if len(allowed) else None)
            with torch.enable_grad():
                results = evaluate_moves(problem, MoveTable(ctx.offsets), kept[1].long())
            (gradient,) = torch.autograd.grad(results, costs, gradients[:2], create_graph=again)
        else:
            from vinlab.planning.fused.search import send_back_maps

            gradient = send_back(send_back_maps, gradients[:2], kept, ctx.offsets)
        return gradient, None, None, None


def search(
    costs: Tensor, terminals: Tensor, allowed: Tensor, offsets: np.ndarray
) -> tuple[Tensor, Tensor, Int8[Tensor, "B H W"], Tensor, Tensor, Float64[Tensor, "B N"]]:
    """The q, value and greedy moves; the order of search, the number of cells found, and the cost to go."""
    from vinlab.planning.fused.search import read_maps, search_maps

    problems, _, rows, cols = costs.shape
    distances = costs.new_empty(problems, rows * cols, dtype=torch.float64)
    moves = costs.new_empty(problems, rows, cols, dtype=torch.int8)
    order = costs.new_empty(problems, rows * cols, dtype=torch.int32)
    counts = costs.new_empty(problems, dtype=torch.int64)
    q = costs.new_empty(costs.shape)
    value = costs.new_empty(problems, 1, rows, cols)
    if not len(allowed):  # all moves are
        allowed = costs.new_empty(0, *costs.shape[1:], dtype=torch.bool)
    arrays = arrays_of(costs.detach(), allowed)
    kept = arrays_of(distances, moves.flatten(1), order, counts)
    searched = [*arrays, *arrays_of(terminals), offsets, *kept]
    read = [*arrays, offsets, *arrays_of(distances, q, value)]

    def work(first: int, last: int) -> None:
        search_maps(first, last, *searched)
        read_maps(first, last, *read)

    run_shares(work, (), problems, costs.numel())
    return q, value, moves, order, counts, distances


def send_back(
    kernel: Callable[..., Any], gradients: Sequence[Tensor], kept: list[Tensor], *table: np.ndarray
) -> Tensor:
    """The gradient of the costs, by a compiled kernel, from q, greedy moves, order and number of cells found."""
    q, moves, order, counts = kept
    gradient = torch.empty_like(q)
    arrays = arrays_of(*gradients, q, moves.flatten(1), order, counts)
    run_shares(kernel, [*arrays, *table, *arrays_of(gradient)], len(q), q.numel())
    return gradient

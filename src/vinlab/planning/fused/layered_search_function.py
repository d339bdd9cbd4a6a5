"""The compiled search over states with layers as one differentiable function of PyTorch."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int8, Int64
from torch import Tensor

from vinlab.planning.fused.search_function import send_back
from vinlab.planning.fused.threads import run_shares
from vinlab.planning.layered_evaluation import evaluate_layered_moves
from vinlab.planning.moves import LayeredMoves
from vinlab.planning.tensors import arrays_of


def is_layered_searchable(costs: Tensor) -> bool:
    """Whether the compiled search serves these costs: float32 or float64 on the CPU, without forward derivatives."""
    if torch.compiler.is_compiling() or torch.autograd.forward_ad.unpack_dual(costs).tangent is not None:
        return False
    return costs.device.type == "cpu" and costs.dtype in (torch.float32, torch.float64)


def search_layered_plan(
    costs: Float[Tensor, "B L A H W"],
    terminals: Bool[Tensor, "B L H W"],
    allowed: Bool[Tensor, "B L A H W"] | None,
    moves: LayeredMoves,
) -> tuple[Float[Tensor, "B L A H W"], Float[Tensor, "B L H W"], Int8[Tensor, "B L H W"]]:
    """q, value and greedy actions, by search."""
    mask = torch.empty(0, *costs.shape[1:], dtype=torch.bool) if allowed is None else allowed
    if torch.is_grad_enabled() and costs.requires_grad:
        return LayeredSearch.apply(costs, terminals, mask, moves)  # pyright: ignore[reportReturnType]
    return search(costs, terminals, mask, moves)[:3]


class LayeredSearch(torch.autograd.Function):
    """A search that keeps the greedy actions and the order of search: all that the gradient needs."""

    @staticmethod
    def forward(ctx: Any, costs: Tensor, terminals: Tensor, allowed: Tensor, moves: LayeredMoves):
        """Plan, and keep the order."""
        q, value, greedy, order, counts = search(costs, terminals, allowed, moves)
        ctx.save_for_backward(costs, terminals, allowed, q, greedy, order, counts)
        ctx.moves = moves
        ctx.mark_non_differentiable(greedy)
        return q, value, greedy

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor):
        """The gradient of the costs; by the reference when it is to be differentiated again."""
        costs, terminals, allowed, *kept = ctx.saved_tensors
        if torch.is_grad_enabled():
            mask = allowed if len(allowed) else None
            results = evaluate_layered_moves(costs, terminals, mask, ctx.moves, kept[1].long())
            (gradient,) = torch.autograd.grad(results, costs, gradients[:2], create_graph=True)
        else:
            from vinlab.planning.fused.layered_search import send_back_layers

            table = (ctx.moves.layers, ctx.moves.offsets)
            gradient = send_back(send_back_layers, gradients[:2], kept, *table)
        return gradient, None, None, None


def search(
    costs: Tensor, terminals: Tensor, allowed: Tensor, moves: LayeredMoves
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The q, value and greedy actions, the order of search and the number of states found."""
    from vinlab.planning.fused.layered_search import search_layers

    problems, layers, _, rows, cols = costs.shape
    states = layers * rows * cols
    greedy = torch.empty(problems, layers, rows, cols, dtype=torch.int8)
    order = torch.empty(problems, states, dtype=torch.int32)
    counts = torch.empty(problems, dtype=torch.int64)
    q, value = torch.empty(costs.shape, dtype=costs.dtype), torch.empty(greedy.shape, dtype=costs.dtype)
    given = [*arrays_of(costs.detach(), allowed, terminals), entries_of(moves), moves.layers, moves.offsets]
    filled = arrays_of(greedy.flatten(1), order, counts, q, value)

    run_shares(search_layers, [*given, *filled], problems, costs.numel())
    return q, value, greedy, order, counts


def entries_of(moves: LayeredMoves) -> Int64[np.ndarray, "L D 4"]:
    """For each layer the layer, action and offset of the moves into it, padded with a layer of -1."""
    into: list[list[tuple[int, int, int, int]]] = [[] for _ in range(moves.num_layers)]
    for layer, action in np.argwhere(moves.exists).tolist():
        down, right = moves.offsets[layer, action].tolist()
        into[int(moves.layers[layer, action])].append((layer, action, down, right))
    most = max(map(len, into))
    return np.array([[*found, *[(-1, 0, 0, 0)] * (most - len(found))] for found in into], np.int64)

"""Value iteration over states with layers as an autograd function, computed by the compiled kernels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from vinlab.planning.fused.layout import Frame, frame_of
from vinlab.planning.fused.threads import run_shares, shares_of
from vinlab.planning.moves import LayeredMoves
from vinlab.planning.tensors import arrays_of, needed_gradients


def is_layered_fusible(reward: Tensor, discounts: Tensor, initial_value: Tensor | None) -> bool:
    """Whether the compiled kernels apply: float32 on the CPU, at least one state, discounts that are finite."""
    tensors = (reward, discounts) if initial_value is None else (reward, discounts, initial_value)
    if torch.compiler.is_compiling() or not reward.numel():
        return False
    plain = all(tensor.device.type == "cpu" and tensor.dtype == torch.float32 for tensor in tensors)
    return plain and bool(discounts.detach().isfinite().all())


def fused_layered_value_iteration(
    reward: Float[Tensor, "B L A H W"],
    discounts: Float[Tensor, "L A"],
    moves: LayeredMoves,
    iterations: int,
    initial_value: Float[Tensor, "B L H W"] | None = None,
) -> tuple[Float[Tensor, "B L A H W"], Float[Tensor, "B L H W"]]:
    """The q and value of ``layered_value_iteration``, by the compiled kernels."""
    _, layers, _, rows, cols = reward.shape
    # An empty batch stands for no initial value; it needs no gradient.
    initial = reward.new_empty(0, layers, rows, cols) if initial_value is None else initial_value
    tensors = (reward, discounts, initial)
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return FusedLayers.apply(*tensors, moves, iterations)  # pyright: ignore[reportReturnType]
    return _plan(*tensors, moves, iterations, kept=min(iterations, 2))[:2]


class FusedLayers(torch.autograd.Function):
    """K backups; for the gradient they keep a value and a winning action per state and backup."""

    @staticmethod
    def forward(
        ctx: Any, reward: Tensor, discounts: Tensor, initial: Tensor, moves: LayeredMoves, iterations: int
    ):
        """Plan, and keep every backup."""
        q, value, values, winners = _plan(reward, discounts, initial, moves, iterations, kept=iterations)
        ctx.save_for_backward(reward, discounts, initial, values, winners, q)
        ctx.moves, ctx.iterations = moves, iterations
        return q, value

    @staticmethod
    def backward(ctx: Any, q_gradient: Tensor, value_gradient: Tensor):  # pyright: ignore[reportIncompatibleMethodOverride]
        """The gradient of each input; by the reference where a second derivative is needed."""
        *inputs, values, winners, q = ctx.saved_tensors
        if torch.is_grad_enabled():
            found = _reference_gradients(ctx, inputs, (q_gradient, value_gradient))
        else:
            found = _gradients(inputs, ctx.moves, (values, winners, q, q_gradient, value_gradient))
        return *found, None, None


def _plan(
    reward: Tensor, discounts: Tensor, initial: Tensor, moves: LayeredMoves, iterations: int, *, kept: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """q, value, and the last ``kept`` values and winners of all states."""
    from vinlab.planning.fused.layered import plan_layers

    batch, layers, _, rows, cols = reward.shape
    frame = frame_for(moves, rows, cols)
    # By NumPy, which asks the system for large pages: touching so much new memory by small ones costs a third more.
    values = torch.from_numpy(np.empty((batch, kept, layers, frame.size), np.float32))
    winners = torch.from_numpy(np.empty((batch, kept, layers, frame.span), np.uint8))
    q, value = torch.empty(reward.shape), torch.empty(batch, layers, rows, cols)
    table = (moves.layers, moves.offsets)
    inputs = arrays_of(reward.detach(), discounts.detach()), arrays_of(initial.detach())
    arguments = [*inputs[0], *table, *inputs[1], frame, iterations, *arrays_of(values, winners, q, value)]

    run_shares(plan_layers, arguments, batch, reward.numel() * iterations)
    return q, value, values, winners


def frame_for(moves: LayeredMoves, rows: int, cols: int) -> Frame:
    """The layout of a layer, with padding as wide as the longest move."""
    return frame_of(rows, cols, 2 * int(np.abs(moves.offsets).max()) + 1)


def _gradients(
    inputs: list[Tensor], moves: LayeredMoves, found: Sequence[Tensor]
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the inputs, from values, winners, q and the gradients of q and value."""
    from vinlab.planning.fused.layered import backpropagate_layers

    reward, discounts, initial = inputs
    sums = torch.zeros(len(shares_of(len(reward))), *discounts.shape, dtype=torch.float64)
    reward_gradient, initial_gradient = torch.empty(reward.shape), torch.empty(initial.shape)
    arguments = [
        *arrays_of(discounts),
        *(moves.layers, moves.offsets),
        *arrays_of(initial),
        frame_for(moves, *reward.shape[3:]),
        *arrays_of(*found, reward_gradient, sums, initial_gradient),
    ]

    work = reward.numel() * found[0].shape[1]
    run_shares(backpropagate_layers, arguments, len(reward), work, by_share=True)
    return reward_gradient, sums.sum(dim=0).float(), initial_gradient


def _reference_gradients(
    ctx: Any, inputs: list[Tensor], gradients: tuple[Tensor, Tensor]
) -> list[Tensor | None]:
    """The same gradients by the reference, which can be differentiated again."""
    from vinlab.planning.layered import LayeredTransition, layered_value_iteration

    reward, discounts, initial = inputs
    transition, start = LayeredTransition(ctx.moves, discounts), initial if len(initial) else None
    results = layered_value_iteration(reward, transition, ctx.iterations, initial_value=start)
    return needed_gradients(results, inputs, ctx.needs_input_grad[: len(inputs)], gradients)

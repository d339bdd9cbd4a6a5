"""Value iteration with kernels that depend on the cell as an autograd function, computed by the compiled kernels."""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from vinlab.planning.bellman import (
    GridTransition,
    LocalKernels,
    convolve_locally,
    iterate_values,
    require_initial_value,
    require_iterations,
)
from vinlab.planning.fused.function import MAX_ACTIONS
from vinlab.planning.fused.layout import frame_of
from vinlab.planning.fused.threads import run_shares
from vinlab.planning.tensors import are_plain_floats, arrays_of, needed_gradients


def is_locally_fusible(reward: Tensor, transition: GridTransition, initial_value: Tensor | None) -> bool:
    """Whether the compiled kernels apply: local kernels of float32 on the CPU, zero outside, at least one cell."""
    if not isinstance(transition, LocalKernels) or transition.outside != "zero" or not reward.numel():
        return False
    given = () if initial_value is None else (initial_value,)
    plain = are_plain_floats(reward, transition.reward, transition.value, *given)
    return plain and 1 <= transition.value.shape[1] <= MAX_ACTIONS


def fused_local_value_iteration(
    reward: Float[Tensor, "B R H W"],
    transition: LocalKernels,
    iterations: int,
    *,
    initial_value: Float[Tensor, "B 1 H W"] | None = None,
) -> tuple[Float[Tensor, "B A H W"], Float[Tensor, "B 1 H W"]]:
    """The q and value of ``bellman.value_iteration`` with local kernels.

    The reward's term is the same in every backup and is computed once by PyTorch, which also has its gradient.
    """
    require_iterations(iterations)
    require_initial_value(initial_value, reward)
    terms = transition.reward_term(reward, 0)
    # An empty batch stands for no initial value; it needs no gradient.
    initial = reward.new_empty(0, 1, *reward.shape[2:]) if initial_value is None else initial_value
    tensors = (terms, transition.value, initial)
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return FusedLocalBackups.apply(*tensors, iterations)  # pyright: ignore[reportReturnType]
    q, value, _, _ = _plan(*tensors, iterations, kept=min(iterations, 2))
    return q, value


class FusedLocalBackups(torch.autograd.Function):
    """K backups; for the gradient they keep a value and a winning action per cell and backup."""

    @staticmethod
    def forward(ctx: Any, terms: Tensor, kernels: Tensor, initial: Tensor, iterations: int):
        """Plan, and keep every backup."""
        q, value, values, winners = _plan(terms, kernels, initial, iterations, kept=iterations)
        ctx.save_for_backward(terms, kernels, initial, values, winners)
        ctx.iterations = iterations
        return q, value

    @staticmethod
    def backward(ctx: Any, q_gradient: Tensor, value_gradient: Tensor):  # pyright: ignore[reportIncompatibleMethodOverride]
        """The gradient of each input; by the reference where a second derivative is needed."""
        *inputs, values, winners = ctx.saved_tensors
        if torch.is_grad_enabled():
            found = _reference_gradients(ctx, inputs, (q_gradient, value_gradient))
        else:
            found = _gradients(inputs, (values, winners, q_gradient, value_gradient))
        return *found, None


def _plan(
    terms: Tensor, kernels: Tensor, initial: Tensor, iterations: int, *, kept: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """q, value, and the last ``kept`` values and winners of all cells, in their padded arrays."""
    from vinlab.planning.fused.local import plan_local_maps

    batch, _, rows, cols = terms.shape
    frame = frame_of(rows, cols, kernels.shape[3])
    values = torch.empty(batch, kept, frame.size)
    winners = torch.empty(batch, kept, frame.span, dtype=torch.uint8)
    q, value = torch.empty(terms.shape), torch.empty(batch, 1, rows, cols)
    inputs = arrays_of(terms.detach(), kernels.detach()[:, :, 0].flatten(2, 3), initial.detach())
    arguments = [*inputs, frame, iterations, *arrays_of(values, winners, q, value)]

    run_shares(plan_local_maps, arguments, batch, terms.numel() * iterations)
    return q, value, values, winners


def _gradients(inputs: list[Tensor], kept: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of terms, kernels and initial value, from values, winners and the gradients of q and value."""
    from vinlab.planning.fused.local import backpropagate_local_maps

    terms, kernels, initial = inputs
    frame = frame_of(terms.shape[2], terms.shape[3], kernels.shape[3])
    flat = kernels[:, :, 0].flatten(2, 3)
    found = [torch.empty(tensor.shape) for tensor in (terms, flat, initial)]
    arguments = [*arrays_of(terms, flat, initial), frame, *arrays_of(*kept, *found)]

    run_shares(backpropagate_local_maps, arguments, len(terms), terms.numel() * kept[0].shape[1])
    return found[0], found[1].view_as(kernels), found[2]


def _reference_gradients(
    ctx: Any, inputs: list[Tensor], gradients: tuple[Tensor, Tensor]
) -> list[Tensor | None]:
    """The same gradients in plain tensor operations, which can be differentiated again."""
    terms, kernels, initial = inputs
    transition = LocalKernels(kernels, kernels)  # its reward kernels are not read
    *_, value = iterate_values(
        lambda step: terms, transition, ctx.iterations, initial_value=initial if len(initial) else None
    )
    results = (terms + convolve_locally(value, kernels), value)
    return needed_gradients(results, inputs, ctx.needs_input_grad[: len(inputs)], gradients)

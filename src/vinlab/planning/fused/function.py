"""Value iteration as an autograd function, computed by the compiled kernels."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, UInt8
from torch import Tensor

from vinlab.planning.bellman import (
    GridTransition,
    SharedKernels,
    UntiedKernels,
    require_initial_value,
    require_iterations,
    value_iteration,
)
from vinlab.planning.border import Outside
from vinlab.planning.fused.layout import Frame, frame_of, packed, unpacked
from vinlab.planning.fused.threads import run_shares, shares_of
from vinlab.planning.tensors import are_plain, are_plain_floats, arrays_of, needed_gradients

MAX_ACTIONS = 255
"""The winning action is stored in one byte."""


def is_fusible(reward: Float[Tensor, "B R H W"], transition: GridTransition) -> bool:
    """Whether the compiled kernels apply: float32 on the CPU, the same kernels for the whole map."""
    if not isinstance(transition, SharedKernels | UntiedKernels):
        return False
    if not are_plain_floats(reward, transition.reward, transition.value):
        return False
    *layers, actions, channels, height, width = transition.reward.shape
    return (  # the compiled kernels do not check whether the shapes fit together
        transition.value.shape == (*layers, actions, 1, height, width)
        and channels == reward.shape[1]
        and height == width
        and width % 2 == 1
        and 1 <= actions <= MAX_ACTIONS
    )


def fused_value_iteration(
    reward: Float[Tensor, "B R H W"],
    transition: SharedKernels | UntiedKernels,
    iterations: int,
    *,
    initial_value: Float[Tensor, "B 1 H W"] | None = None,
) -> tuple[Float[Tensor, "B A H W"], Float[Tensor, "B 1 H W"]]:
    """The q and value of ``bellman.value_iteration``, by the compiled kernels.

    The reference computes what they do not support, such as an empty batch or kernels with NaN.
    """
    require_iterations(iterations)
    require_initial_value(initial_value, reward)
    supported = is_fusible(reward, transition) and (initial_value is None or are_plain_floats(initial_value))
    if not (supported and reward.numel() and _enough_finite(transition, iterations)):
        return value_iteration(reward, transition, iterations, initial_value=initial_value)
    # An empty batch stands for no initial value; it needs no gradient.
    initial_value = reward.new_empty(0, 1, *reward.shape[2:]) if initial_value is None else initial_value
    tensors = (reward, transition.reward, transition.value, initial_value)
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return FusedValueIteration.apply(*tensors, transition.outside, iterations)  # pyright: ignore[reportReturnType]
    return _plan(tensors, transition.outside, iterations, kept=min(iterations, 2))[:2]


def _enough_finite(transition: SharedKernels | UntiedKernels, iterations: int) -> bool:
    """Whether there are kernels for every step, all finite."""
    enough = isinstance(transition, SharedKernels) or len(transition.value) > iterations
    sums = (transition.reward.detach().sum(), transition.value.detach().sum())
    return enough and all(math.isfinite(float(total)) for total in sums)


class FusedValueIteration(torch.autograd.Function):
    """K backups; for the gradient they keep a value and a winning action per cell and backup."""

    @staticmethod
    def forward(ctx: Any, *arguments: Any):
        """Plan, and keep every backup."""
        *inputs, outside, iterations = arguments
        q, value, values, winners = _plan(inputs, outside, iterations, kept=iterations)
        ctx.save_for_backward(*inputs, values, winners)
        ctx.outside, ctx.iterations = outside, iterations
        return q, value

    @staticmethod
    def backward(ctx: Any, q_gradient: Tensor, value_gradient: Tensor):  # pyright: ignore[reportIncompatibleMethodOverride]
        """The gradient of each input; by the reference for second derivatives and batches of gradients."""
        *inputs, values, winners = ctx.saved_tensors
        results = (q_gradient, value_gradient)
        if torch.is_grad_enabled() or not are_plain(*inputs, *results):
            found = _reference_gradients(ctx, inputs, results)
        else:
            found = _gradients(inputs, (values, winners, *results), ctx.outside)
        return *found, None, None


def _plan(
    inputs: Sequence[Tensor], outside: Outside, iterations: int, *, kept: int
) -> tuple[Tensor, Tensor, Float[Tensor, "B kept size"], UInt8[Tensor, "B kept span"]]:
    """q, value, and the last ``kept`` values and winners of all cells, in their padded arrays."""
    from vinlab.planning.fused.forward import plan_maps

    reward, reward_kernels, value_kernels, initial_value = inputs
    problems, _, rows, cols = reward.shape
    frame = frame_of(rows, cols, value_kernels.shape[-1])
    # Type and device stand here, as PyTorch's defaults may be others.
    values = reward.new_empty(problems, kept, frame.size)
    winners = reward.new_empty(problems, kept, frame.span, dtype=torch.uint8)
    q = reward.new_empty(problems, value_kernels.shape[-4], rows, cols)
    value = reward.new_empty(problems, 1, rows, cols)
    packs = _layers(frame, reward_kernels, value_kernels)
    given = arrays_of(reward.detach(), initial_value.detach(), *packs)
    arguments = [*given, _edges(frame, outside), frame, iterations, *arrays_of(values, winners, q, value)]

    run_shares(plan_maps, arguments, problems, value.numel() * iterations)
    return q, value, values, winners


def _gradients(
    inputs: Sequence[Tensor], found: Sequence[Tensor], outside: Outside
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The gradients of the inputs, from values, winners and the gradients of q and value."""
    from vinlab.planning.fused.backward import backpropagate_maps

    reward, reward_kernels, value_kernels, initial_value = inputs
    problems, _, rows, cols = reward.shape
    frame = frame_of(rows, cols, value_kernels.shape[-1])
    packs = _layers(frame, reward_kernels, value_kernels)
    shares = len(shares_of(problems))
    sums = [pack.new_zeros(shares, *pack.shape, dtype=torch.float64) for pack in packs]
    image_gradients = [
        torch.empty_like(image, memory_format=torch.contiguous_format) for image in (reward, initial_value)
    ]
    given, kept = arrays_of(reward, initial_value, *packs), arrays_of(*found)
    arguments = [*given, _edges(frame, outside), frame, *kept, *arrays_of(*image_gradients, *sums)]

    values, *_, value_gradient = found
    work = value_gradient.numel() * values.shape[1]
    run_shares(backpropagate_maps, arguments, problems, work, by_share=True)
    kernel_gradients = (
        unpacked(torch.from_numpy(part.numpy().sum(axis=0)), like=kernels)
        for part, kernels in zip(sums, (reward_kernels, value_kernels), strict=True)
    )
    return image_gradients[0], *kernel_gradients, image_gradients[1]  # pyright: ignore[reportReturnType]


def _reference_gradients(
    ctx: Any, inputs: list[Tensor], gradients: tuple[Tensor, Tensor]
) -> list[Tensor | None]:
    """The same gradients by the reference, which can be differentiated again."""
    again = torch.is_grad_enabled()
    reward, *kernels, initial_value = inputs
    kind = SharedKernels if kernels[0].dim() == 4 else UntiedKernels
    start = initial_value if len(initial_value) else None
    with torch.enable_grad():
        transition = kind(*kernels, outside=ctx.outside)
        results = value_iteration(reward, transition, ctx.iterations, initial_value=start)
    return needed_gradients(results, inputs, ctx.needs_input_grad[: len(inputs)], gradients, again=again)


def _edges(frame: Frame, outside: Outside) -> np.ndarray:
    """The cells that read themselves beyond the edge: none where all is zero there."""
    from vinlab.planning.fused.edges import edge_cells

    return edge_cells(frame) if outside == "blocked" else np.empty(0, np.int64)


def _layers(frame: Frame, *kernels: Tensor) -> list[Tensor]:
    """Packed kernels as rows, one for each step, or a single one for all steps."""
    return [
        packed(k).reshape(-1 if k.dim() == 5 else 1, k.shape[-4] * k.shape[-3] * frame.pitch) for k in kernels
    ]

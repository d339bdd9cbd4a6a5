"""Filters whose responses are max-pooled, without keeping the responses of every cell."""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from vinlab.planning.hierarchy import downsample_max
from vinlab.planning.tensors import are_plain_floats, arrays_of, needed_gradients


def pooled_filters(
    image: Float[Tensor, "B C H W"], filters: Float[Tensor, "K C F F"], bias: Float[Tensor, " K"], factor: int
) -> Float[Tensor, "B h w K"]:
    """The largest response of each filter in each block of ``factor`` times ``factor`` cells, filters last.

    By compiled kernels, which are faster, for float32 on the CPU where no gradient of the image is wanted.
    """
    if _is_fusible(image, filters, bias):
        pooled: Any = PooledFilters.apply(image, filters, bias, factor)
        return pooled[..., : len(bias)]
    return _reference(image, filters, bias, factor)


def _is_fusible(image: Tensor, filters: Tensor, bias: Tensor) -> bool:
    plain = are_plain_floats(image, filters, bias) and not torch.is_autocast_enabled("cpu")
    wanted = torch.is_grad_enabled() and image.requires_grad
    return plain and not wanted and image.numel() > 0 and _all_finite(image, filters, bias)


def _all_finite(*tensors: Tensor) -> bool:
    return all(math.isfinite(float(tensor.detach().sum())) for tensor in tensors)


def _reference(image: Tensor, filters: Tensor, bias: Tensor, factor: int) -> Tensor:
    # On a CPU this takes two thirds of the time with channels last.
    image = image.contiguous(memory_format=torch.channels_last)
    responses = functional.conv2d(image, filters, bias, padding=filters.shape[-1] // 2)
    return downsample_max(responses, factor).movedim(1, -1)


LANES = 8
"""The compiled kernels compute so many filters at a time."""


class PooledFilters(torch.autograd.Function):
    """The pooled responses ``[B h w K]``, with K rounded up; for the gradient they keep each block's winning cell."""

    @staticmethod
    def forward(ctx: Any, image: Tensor, filters: Tensor, bias: Tensor, factor: int):
        """The responses, by the compiled kernel."""
        from vinlab.modules._kernels import pool_responses
        from vinlab.planning.fused.threads import run_shares

        batch, _, rows, cols = image.shape
        spare = -len(bias) % LANES
        pooled = torch.empty(batch, -(-rows // factor), -(-cols // factor), len(bias) + spare)
        winners = torch.empty_like(pooled)
        weights = functional.pad(filters.detach().flatten(1).T, (0, spare))
        arguments = [*arrays_of(image, weights, functional.pad(bias.detach(), (0, spare)))]
        arguments += [filters.shape[-1], factor, *arrays_of(pooled, winners)]
        run_shares(pool_responses, arguments, batch, image.numel() * len(bias))
        ctx.save_for_backward(image, filters, bias, winners)
        ctx.factor = factor
        return pooled

    @staticmethod
    def backward(ctx: Any, gradient: Tensor):  # pyright: ignore[reportIncompatibleMethodOverride]
        """The gradient of filters and bias; by the reference where a second derivative is needed."""
        image, filters, bias, winners = ctx.saved_tensors
        if torch.is_grad_enabled():
            pooled = _reference(image, filters, bias, ctx.factor)
            inputs, needed = (image, filters, bias), ctx.needs_input_grad[:3]
            return *needed_gradients(pooled, inputs, needed, gradient[..., : len(bias)]), None
        found = _filter_gradient(image, filters, winners, gradient, ctx.factor)
        return None, found, gradient.sum((0, 1, 2))[: len(bias)], None


def _filter_gradient(
    image: Tensor, filters: Tensor, winners: Tensor, gradient: Tensor, factor: int
) -> Float[Tensor, "K C F F"]:
    from vinlab.modules._kernels import send_to_filters
    from vinlab.planning.fused.threads import run_shares, shares_of

    found = torch.zeros(len(shares_of(len(image))), filters[0].numel(), gradient.shape[-1])
    arguments = [*arrays_of(image, gradient, winners), filters.shape[-1], factor, *arrays_of(found)]
    run_shares(send_to_filters, arguments, len(image), image.numel() * len(filters), by_share=True)
    return found.sum(0)[:, : len(filters)].T.reshape(filters.shape)

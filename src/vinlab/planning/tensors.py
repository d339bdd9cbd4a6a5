"""Which tensors compiled code may read, and in which precision planners compute."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from vinlab.types import InputError

HALF = (torch.float16, torch.bfloat16)


def are_plain(*tensors: Tensor) -> bool:
    """Whether compiled code may read these tensors: on the CPU, with no transform of PyTorch at work on them.

    Transforms are ``torch.compile``, ``torch.jit.trace``, those of ``torch.func`` (``vmap``, ``grad``, ``jacrev``),
    batches of gradients and forward-mode derivatives. They see tensor operations only, so the reference serves them.
    """
    return not are_transformed(*tensors) and all(map(_is_plain, tensors))


def are_plain_floats(*tensors: Tensor) -> bool:
    """The same for tensors of float32."""
    return all(tensor.dtype == torch.float32 for tensor in tensors) and are_plain(*tensors)


def arrays_of(*tensors: Tensor) -> list:
    """The tensors as contiguous arrays; those that are contiguous share their memory.

    NumPy makes the copies: after a copy by PyTorch its worker threads spin on the cores that the kernels need.
    """
    return [np.ascontiguousarray(tensor.numpy()) for tensor in tensors]


def needed_gradients(
    results: Any, inputs: Sequence[Tensor], needed: Sequence[bool], gradients: Any, *, again: bool = True
) -> list[Tensor | None]:
    """The gradients of the inputs that need one and None for the others; ``again``: to be differentiated again."""
    wanted = [tensor for tensor, need in zip(inputs, needed, strict=True) if need]
    found = iter(torch.autograd.grad(results, wanted, gradients, create_graph=again))
    return [next(found) if need else None for need in needed]


def are_transformed(*tensors: Tensor) -> bool:
    """Whether a transform of PyTorch is at work."""
    if torch.compiler.is_compiling() or torch.jit.is_tracing():  # pyright: ignore[reportPrivateImportUsage]
        return True
    if torch._C._are_functorch_transforms_active():
        return True
    return any(torch.autograd.forward_ad.unpack_dual(tensor).tangent is not None for tensor in tensors)


def _is_plain(tensor: Tensor) -> bool:
    if type(tensor) not in (Tensor, nn.Parameter) or tensor.device.type != "cpu":
        return False
    if not torch._C._has_storage(tensor):  # one of a batch of gradients
        return False
    return tensor.layout == torch.strided and not tensor.is_neg() and not tensor.is_conj()


def without_autocast(tensor: Tensor) -> AbstractContextManager:
    """Planning in the precision of its inputs: half precision cannot tell the values of far cells apart."""
    kind = tensor.device.type
    if torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind):
        return torch.autocast(kind, enabled=False)
    return nullcontext()


def at_least_float32(tensor: Tensor) -> Tensor:
    """A tensor in half precision, as autocast makes them, in float32."""
    return tensor.float() if tensor.dtype in HALF else tensor


def require_same_type(**tensors: Tensor | None) -> None:
    """The tensors are floats of one type on one device, or a sentence says which are not."""
    given = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    (first, like), *others = given.items()
    for name, tensor in given.items():
        if not tensor.is_floating_point():
            raise InputError(f"{name}: expected numbers with a decimal point, got {tensor.dtype}.")
    for name, tensor in others:
        if (tensor.dtype, tensor.device) != (like.dtype, like.device):
            raise InputError(
                f"{name}: expected {like.dtype} on {like.device} as the {first}, got {tensor.dtype} on {tensor.device}."
            )

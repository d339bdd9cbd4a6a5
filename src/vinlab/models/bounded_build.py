"""Building a network whose settings come from a file: no more memory than its weights can fill."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from vinlab.types import InputError, reason_of

MARGIN = 16 * 2**20
"""Numbers that a network may hold besides its weights, such as fixed kernels."""

_FACTORIES = (torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn, torch.full, torch.eye)


class _Allocations(TorchFunctionMode):
    """Counts the numbers of new tensors and stops before they are too many."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.left = most

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        if func in _FACTORIES:
            self.left -= _numel(args, kwargs or {})
            if self.left < 0:
                raise InputError(
                    "expected settings of the network that fit its weights, got a far larger one."
                )
        return func(*args, **(kwargs or {}))


def _numel(args: Sequence[Any], kwargs: dict[str, Any]) -> int:
    size = kwargs.get("size", args[0] if args and isinstance(args[0], Sequence) else args)
    return math.prod(side for side in size if isinstance(side, int))


def build_within(build: Callable[[], nn.Module], weights: int) -> nn.Module:
    """The network, if it holds about as many numbers as there are weights."""
    try:
        with _Allocations(4 * weights + MARGIN):
            return build()
    except (RuntimeError, TypeError, IndexError, ZeroDivisionError) as error:
        reason = reason_of(error)
        raise InputError(
            f"expected settings from which a network can be built, got others: {reason}."
        ) from error

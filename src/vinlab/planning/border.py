"""What lies beyond the edge of a map: the one rule of all planners on grids.

``"zero"``, as in the paper: reward and value are zero there. Where rewards are costs, leaving the map then looks best.
``"blocked"``, the default for costs: what a kernel would read from beyond the edge it reads from the cell itself, so an
action that leads off the map stays where it is and pays for it. Planners that run until the value settles know this
rule alone, and call such a move impossible (``UNREACHABLE``).
"""

from typing import Any, Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from vinlab.types import InputError

Outside = Literal["zero", "blocked"]


def require_outside(outside: Any) -> None:
    """Refuse other rules."""
    if outside not in get_args(Outside):
        raise InputError(f"outside: expected {' or '.join(map(repr, get_args(Outside)))}, got {outside!r}.")


def staying_weights(kernel: Float[Tensor, "A R F F"], rows: int, cols: int) -> Float[Tensor, "A R H W"]:
    """The sum of the entries that lie beyond the edge of the map, in each cell."""
    actions, channels, width, _ = kernel.shape
    single = kernel.reshape(actions * channels, 1, width, width)
    return functional.conv2d(_beyond(kernel, width, rows, cols), single).view(actions, channels, rows, cols)


def local_staying_weights(kernel: Float[Tensor, "B A R F F H W"]) -> Float[Tensor, "B A R H W"]:
    """The same for kernels of each cell."""
    width, rows, cols = kernel.shape[-3:]
    beyond = functional.unfold(_beyond(kernel, width, rows, cols), width)
    return torch.einsum("ijhw,barijhw->barhw", beyond.view(width, width, rows, cols), kernel)


def _beyond(like: Tensor, width: int, rows: int, cols: int) -> Float[Tensor, "1 1 h w"]:
    """A map with its margin: 1 in the margin, 0 inside."""
    inside = torch.zeros(1, 1, rows, cols, dtype=like.dtype, device=like.device)
    return functional.pad(inside, (width // 2,) * 4, value=1.0)

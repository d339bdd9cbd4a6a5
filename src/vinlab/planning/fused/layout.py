"""How a map lies in memory: row after row in one flat array, with a frame of zeros.

``F // 2`` zeros follow every row and serve as the left margin of the next row too; as many rows of zeros lie
above and below. The shift of a map by one entry of a kernel is then one offset into the flat array, the same
for all cells. The cells from the first to the last, the zeros between rows among them, form the ``span``,
rounded up to whole vectors. The array is a little longer than the map, for vectors that reach over its end.
"""

from typing import Final, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

WIDE: Final = 8
"""Cells that go through the processor together in sweeps over a map."""
NARROW: Final = 4
"""Kernel entries that go through it together where each cell goes its own way."""


class Frame(NamedTuple):
    """The numbers that place a map of some size, with room for some kernel, in a flat array."""

    rows: int
    cols: int
    width: int
    """The kernel's width F."""
    stride: int
    """From a cell to the one below it."""
    origin: int
    """Where the first cell lies; a kernel laid on it begins at 0."""
    span: int
    """From the first cell to the last, in whole vectors."""
    size: int
    """Of the flat array."""
    kernel_stride: int
    """From a row of a packed kernel to the next."""
    pitch: int
    """From a packed kernel to the next."""


def frame_of(rows: int, cols: int, width: int) -> Frame:
    """The frame of a map of this size for kernels of this width."""
    margin = width // 2
    stride = cols + margin
    span = _rounded_up(rows * stride - margin, WIDE)
    kernel_stride = _rounded_up(width, NARROW)
    size = span + 2 * margin * stride + kernel_stride
    origin = margin * stride + margin
    return Frame(rows, cols, width, stride, origin, span, size, kernel_stride, width * kernel_stride)


def packed(kernels: Float[Tensor, "*axes F F"]) -> Float[Tensor, "*axes F P"]:
    """Kernels whose rows are filled up with zeros to whole vectors."""
    width = kernels.shape[-1]
    return functional.pad(kernels.detach(), (0, _rounded_up(width, NARROW) - width)).contiguous()


def unpacked(flat: Tensor, *, like: Tensor) -> Tensor:
    """What lies where kernels were packed, as a tensor like the kernels."""
    width = like.shape[-1]
    rows = flat.reshape(*like.shape[:-1], _rounded_up(width, NARROW))
    return rows[..., :width].to(like.dtype, memory_format=torch.contiguous_format)


def _rounded_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit

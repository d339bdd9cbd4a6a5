"""The memory layout of a map: a flat array of rows, padded with zeros.

``F // 2`` zeros follow every row, which are also the left margin of the next row; as many rows of zeros are above and
below. The shift of a map by one entry of a kernel is then one offset into the flat array, the same for all cells. The
cells from the first to the last, including the zeros between rows, form the ``span``, rounded up to whole vectors. The
array is a little longer than the map, for vectors that extend over its end.
"""

from typing import Final, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

WIDE: Final = 8
"""Cells per vector in sweeps over a map."""
NARROW: Final = 4
"""Kernel entries per vector where each cell has its own kernel."""


class Frame(NamedTuple):
    """The layout of a map of some size, padded for kernels of some width."""

    rows: int
    cols: int
    width: int
    """The kernel's width F."""
    stride: int
    """From a cell to the one below it."""
    origin: int
    """The index of the first cell; the kernel around it begins at 0."""
    span: int
    """From the first cell to the last, in whole vectors."""
    size: int
    """Of the flat array."""
    kernel_stride: int
    """From a row of a packed kernel to the next."""
    pitch: int
    """From a packed kernel to the next."""


def frame_of(rows: int, cols: int, width: int) -> Frame:
    """The layout of a map of this size for kernels of this width."""
    margin = width // 2
    stride = cols + margin
    span = _rounded_up(rows * stride - margin, WIDE)
    kernel_stride = _rounded_up(width, NARROW)
    size = span + 2 * margin * stride + kernel_stride
    origin = margin * stride + margin
    return Frame(rows, cols, width, stride, origin, span, size, kernel_stride, width * kernel_stride)


def packed(kernels: Float[Tensor, "*axes F F"]) -> Float[Tensor, "*axes F P"]:
    """Kernels whose rows are padded with zeros to whole vectors."""
    width = kernels.shape[-1]
    return functional.pad(kernels.detach(), (0, _rounded_up(width, NARROW) - width)).contiguous()


def unpacked(flat: Tensor, *, like: Tensor) -> Tensor:
    """The inverse of ``packed``, with the shape and type of the kernels."""
    width = like.shape[-1]
    rows = flat.reshape(*like.shape[:-1], _rounded_up(width, NARROW))
    return rows[..., :width].to(like.dtype, memory_format=torch.contiguous_format)


def _rounded_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit

"""The square in which the particle moves, as lengths and as images.

A position is (row, col); both run from -1 to 1, rows downwards and columns to the right.
"""

from typing import Final

import numpy as np
from jaxtyping import Bool, Float64, Int64, UInt8

HALF_SIDE: Final = 1.0
"""The square extends from minus this to plus this along both axes."""

RADIUS: Final = 0.05
"""Of the particle."""

FINE: Final = 64
"""Cells along a side of the fine map, on which shortest paths are found."""

Boxes = Float64[np.ndarray, "B O 4"]
"""Obstacles as (row, col) of the centre and half the height and width; a box of size zero is absent."""


def cell_centres(cells: int) -> Float64[np.ndarray, " _"]:
    """The positions of the centres of the cells along a side."""
    return HALF_SIDE * ((2 * np.arange(cells) + 1) / cells - 1)


def cells_of(positions: Float64[np.ndarray, "*S 2"], cells: int) -> Int64[np.ndarray, "*S 2"]:
    """The cell of each position; positions outside the square belong to the cells at its edge."""
    cell = np.floor((positions / HALF_SIDE + 1) / 2 * cells)
    return np.clip(np.nan_to_num(cell), 0, cells - 1).astype(np.int64)


def covered(boxes: Boxes, cells: int, *, margin: float = 0.0) -> UInt8[np.ndarray, "B H W"]:
    """1 where the centre of a cell lies in a box, or within the margin of one or of the square's edge."""
    centres = cell_centres(cells)
    present = np.asarray((boxes[..., 2:] > 0).all(axis=-1))
    rows = np.abs(centres - boxes[..., 0, None]) <= boxes[..., 2, None] + margin
    cols = np.abs(centres - boxes[..., 1, None]) <= boxes[..., 3, None] + margin
    inside = (present[..., None, None] & rows[..., :, None] & cols[..., None, :]).any(axis=1)
    edge = np.abs(centres) > HALF_SIDE - margin
    return (inside | edge[:, None] | edge[None, :]).astype(np.uint8)


def downsample_mean(images: np.ndarray, cells: int) -> np.ndarray:
    """The images at a coarser resolution: the mean of each block of cells."""
    count, side = len(images), images.shape[-1]
    factor = side // cells
    return images.reshape(count, cells, factor, cells, factor).mean(axis=(2, 4))


def touches(boxes: Boxes, positions: Float64[np.ndarray, "B 2"], margin: float) -> Bool[np.ndarray, " B"]:
    """Whether each position lies within the margin of a box of its square."""
    near = np.abs(boxes[..., :2] - positions[:, None]) <= boxes[..., 2:] + margin
    present = (boxes[..., 2:] > 0).all(axis=-1)
    return np.asarray((near.all(axis=-1) & present).any(axis=-1))

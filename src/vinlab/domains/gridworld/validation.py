"""Checks of maps and positions; an error says in one sentence what is expected."""

from typing import Any

import numpy as np
from jaxtyping import UInt8

from vinlab.types import InputError


def require_binary(values: Any, name: str) -> UInt8[np.ndarray, "..."]:
    """The values as an array of 0 (free) and 1 (blocked)."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{name}: expected rows of equal length, got ragged rows.") from None
    if array.dtype.kind not in "buif":
        raise InputError(f"{name}: expected numbers, got values of type {array.dtype}.")
    if array.size == 0:
        raise InputError(f"{name}: expected at least one cell, got an empty array of shape {array.shape}.")
    strange = array[(array != 0) & (array != 1)]
    if strange.size:
        raise InputError(f"{name}: expected only 0 (free) and 1 (blocked), got {strange.flat[0]}.")
    return array.astype(np.uint8)


def require_map(obstacles: Any, name: str = "obstacles") -> UInt8[np.ndarray, "H W"]:
    """One map as an array of 0 (free) and 1 (blocked)."""
    array = require_binary(obstacles, name)
    if array.ndim != 2:
        raise InputError(f"{name}: expected two axes (rows, columns), got the shape {array.shape}.")
    return array


def are_whole(array: np.ndarray) -> bool:
    """Whether all values are whole numbers, of whatever type."""
    if array.dtype.kind not in "iuf":
        return False
    return bool(np.isfinite(array).all() and (array == np.floor(array)).all())


def require_position(position: Any, name: str) -> tuple[int, int]:
    """A position as (row, col)."""
    try:
        array = np.asarray(position)
    except ValueError:
        array = np.empty(0)
    if array.shape != (2,) or not are_whole(array):
        raise InputError(f"{name}: expected two whole numbers (row, col), got {position!r}.")
    return int(array[0]), int(array[1])


def require_free(obstacles: UInt8[np.ndarray, "H W"], position: Any, name: str) -> tuple[int, int]:
    """A position as (row, col), which lies on the map and not on an obstacle."""
    row, col = require_position(position, name)
    height, width = obstacles.shape
    if not (0 <= row < height and 0 <= col < width):
        swapped = 0 <= col < height and 0 <= row < width
        hint = f"; the row comes first: is it ({col}, {row})?" if swapped else "."
        raise InputError(f"{name} ({row}, {col}) lies outside the map of {height} x {width} cells{hint}")
    if obstacles[row, col]:
        raise InputError(
            f"{name} ({row}, {col}) lies on an obstacle; expected a free cell{_nearest_free(obstacles, row, col)}."
        )
    return row, col


def _nearest_free(obstacles: np.ndarray, row: int, col: int) -> str:
    """Which free cell is nearest, as words; nothing where all are blocked."""
    free = np.argwhere(obstacles == 0)
    if not len(free):
        return ""
    nearest = free[((free - (row, col)) ** 2).sum(axis=1).argmin()]
    return f", such as the nearest, ({nearest[0]}, {nearest[1]})"

"""The world coordinates of the cells of a map."""

import math
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float64, Num

from vinlab.types import InputError

LARGEST = 1e15
"""World coordinates and cells beyond it are no place on any map."""


@dataclass(frozen=True)
class Frame:
    """An affine map from cells to world coordinates: ``x = a col + b row + c``, ``y = d col + e row + f``.

    Whole numbers of ``col`` and ``row`` are the centres of cells.
    """

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 0.0
    e: float = 1.0
    f: float = 0.0
    unit: str = "cells"
    crs: str | None = None
    """The name of the coordinate reference system, where the map has one."""

    def __post_init__(self) -> None:
        numbers = (self.a, self.b, self.c, self.d, self.e, self.f)
        if not all(abs(number) <= LARGEST for number in numbers) or self._determinant == 0:
            raise InputError(
                f"expected finite world coordinates that differ for every cell, got the affine map {numbers}."
            )

    @property
    def _determinant(self) -> float:
        return self.a * self.e - self.b * self.d

    @property
    def cell_size(self) -> tuple[float, float]:
        """The height and width of a cell in the frame's unit."""
        return math.hypot(self.b, self.e), math.hypot(self.a, self.d)

    def to_world(self, cells: Num[np.ndarray, "T 2"]) -> Float64[np.ndarray, "T 2"]:
        """The ``(x, y)`` of the centre of each cell ``(row, col)``."""
        row, col = np.asarray(cells, dtype=np.float64).T
        x = self.a * col + self.b * row + self.c
        y = self.d * col + self.e * row + self.f
        return np.stack([x, y], axis=-1)

    def to_cell(self, x: float, y: float) -> tuple[int, int]:
        """The ``(row, col)`` of the cell that a point lies in, which may be off the map."""
        if not (math.isfinite(x) and math.isfinite(y)):
            raise InputError(f"expected finite world coordinates, got {x}, {y}.")
        right, down = x - self.c, y - self.f
        col = (self.e * right - self.b * down) / self._determinant
        row = (self.a * down - self.d * right) / self._determinant
        if not (abs(row) < LARGEST and abs(col) < LARGEST):
            raise InputError(f"expected world coordinates near the map, got {x}, {y}.")
        return math.floor(row + 0.5), math.floor(col + 0.5)

    def of_cells(self, pixels: int) -> "Frame":
        """The frame of cells of several pixels, from that of pixels."""
        if self.unit == CELLS.unit:
            return CELLS
        half = (pixels - 1) / 2
        x, y = self.c + (self.a + self.b) * half, self.f + (self.d + self.e) * half
        a, b, d, e = (side * pixels for side in (self.a, self.b, self.d, self.e))
        return replace(self, a=a, b=b, c=x, d=d, e=e, f=y)


CELLS = Frame()
"""Maps without world coordinates: x is the column and y the row, counted from the upper left cell."""

"""From slope to cost: what a degree uphill or downhill adds to the cost of a move, and the moves on a relief."""

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from jaxtyping import Float64

from vinlab.types import MOVE_COSTS, MOVE_NAMES, MOVE_OFFSETS, InputError

TOBLER_RATE, TOBLER_EASIEST = 3.5, -0.05
"""Tobler (1993): walking speed falls as exp(-3.5 |gradient + 0.05|); it is highest at a gradient of -0.05."""

ROUNDING = 1e-12
"""A slope of the limit itself is possible, though its arc tangent was rounded."""


@dataclass(frozen=True)
class SlopeCurve:
    """The cost of a move on a slope, as a multiple of that of a level one."""

    kind: Literal["linear", "tobler"] = "linear"
    uphill: float = 0.1
    """What each degree uphill adds, in the linear curve."""
    downhill: float = 0.05
    """What each degree downhill adds."""
    limit: float = 30.0
    """Degrees; steeper moves are impossible, uphill and downhill."""

    def __post_init__(self) -> None:
        if not 0 < self.limit < 90:
            raise InputError(
                f"cost_limit: expected a slope above 0 and below 90 degrees, got {self.limit:g}."
            )
        for name in ("uphill", "downhill"):
            added = getattr(self, name)
            if not 0 <= added < math.inf:
                raise InputError(f"{name}: expected a finite number of at least 0, got {added}.")

    def factor(self, degrees: Float64[np.ndarray, "..."]) -> Float64[np.ndarray, "..."]:
        """The multiple for slopes, which are positive uphill; infinite beyond the limit."""
        within = np.clip(degrees, -self.limit, self.limit)
        if self.kind == "tobler":
            steepness = np.abs(np.tan(np.radians(within)) - TOBLER_EASIEST) - abs(TOBLER_EASIEST)
            found = np.exp(TOBLER_RATE * steepness)
        else:
            found = 1.0 + np.where(within > 0, self.uphill, self.downhill) * np.abs(within)
        return np.where(np.abs(degrees) <= self.limit * (1 + ROUNDING), found, np.inf)

    def words(self, *, directed: bool) -> str:
        """The curve, in words."""
        if self.kind == "tobler":
            curve = "a move costs its length by Tobler's hiking function (level: 1)"
        elif directed:
            curve = (
                f"a move costs its length x (1 + {self.uphill:g} for each degree uphill, or {self.downhill:g} "
                "downhill)"
            )
        else:
            curve = f"a cell costs 1 + {self.uphill:g} for each degree"
        return f"{curve}; steeper than {self.limit:g} degrees is impossible"


@dataclass(frozen=True)
class Relief:
    """Heights, and what moves over them cost: uphill and downhill apart."""

    elevation: Float64[np.ndarray, "H W"]
    cell_size: tuple[float, float] = (1.0, 1.0)
    """Height (along a column) and width (along a row) of a cell, in the unit of the elevation."""
    curve: SlopeCurve = field(default_factory=SlopeCurve)

    def __post_init__(self) -> None:
        if not np.isfinite(self.elevation).all():
            wrong = self.elevation[~np.isfinite(self.elevation)].flat[0]
            raise InputError(f"elevation: expected finite heights, got {wrong}.")

    def slopes(self) -> Float64[np.ndarray, "8 H W"]:
        """The slope of each move in each cell in degrees, positive uphill; not-a-number where a move leaves the map."""
        return np.stack([self.slopes_of(move) for move in range(len(MOVE_NAMES))])

    def slopes_of(self, move: int) -> Float64[np.ndarray, "H W"]:
        """The same of one move."""
        down, right = MOVE_OFFSETS[move].tolist()
        rise = np.full(self.elevation.shape, np.nan)
        here, ahead = (_overlap(self.elevation.shape, sign * down, sign * right) for sign in (1, -1))
        np.subtract(self.elevation[ahead], self.elevation[here], out=rise[here])
        rise /= math.hypot(down * self.cell_size[0], right * self.cell_size[1])
        return np.degrees(np.arctan(rise, out=rise), out=rise)

    def move_costs(self) -> Float64[np.ndarray, "8 H W"]:
        """The cost of each move in each cell: its length in cells times the curve; infinite where it is impossible."""
        return np.stack([self.costs_of(move) for move in range(len(MOVE_NAMES))])

    def costs_of(self, move: int) -> Float64[np.ndarray, "H W"]:
        """The same of one move."""
        slopes = np.nan_to_num(self.slopes_of(move), copy=False, nan=90.0)
        return MOVE_COSTS[move] * self.curve.factor(slopes)


def _overlap(shape: tuple[int, ...], down: int, right: int) -> tuple[slice, slice]:
    """The cells from which a step of so many rows and columns stays on the map."""
    rows, cols = (
        slice(max(0, -step), min(side, side - step)) for side, step in zip(shape, (down, right), strict=True)
    )
    return rows, cols

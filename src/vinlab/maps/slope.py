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
        rows, cols = self.elevation.shape
        around = np.pad(self.elevation, 1, constant_values=np.nan)
        found = np.empty((len(MOVE_NAMES), rows, cols))
        for move, (down, right) in enumerate(MOVE_OFFSETS.tolist()):
            ahead = around[1 + down : 1 + down + rows, 1 + right : 1 + right + cols]
            run = math.hypot(down * self.cell_size[0], right * self.cell_size[1])
            found[move] = np.degrees(np.arctan((ahead - self.elevation) / run))
        return found

    def move_costs(self) -> Float64[np.ndarray, "8 H W"]:
        """The cost of each move in each cell: its length in cells times the curve; infinite where it is impossible."""
        found = self.slopes()
        for move, slopes in enumerate(found):
            slopes[:] = MOVE_COSTS[move] * self.curve.factor(np.nan_to_num(slopes, nan=90.0))
        return found

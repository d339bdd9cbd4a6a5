"""How the values of a file become costs, with blocked cells apart."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float64, Num

from vinlab.maps.slope import Relief, SlopeCurve
from vinlab.maps.transform import CELLS, Frame
from vinlab.types import InputError

CostRule = Literal["linear", "nav2", "slope", "elevation"]

NAV2_FREE_SPACE, NAV2_INSCRIBED, NAV2_LETHAL, NAV2_UNKNOWN = 252, 253, 254, 255
"""The highest byte of a costmap in which a robot can be, and what the bytes above it mean."""

NAV2_MULTIPLIER = 2.0
"""What the highest cost of free space adds to the cost of a cell: ``cost_travel_multiplier`` of Nav2's Smac 2D."""

IMAGE_OFFSET, IMAGE_SCALE = 1.0, 9.0
"""In images white costs 1 and black 10, unless told otherwise."""


@dataclass(frozen=True)
class CostOptions:
    """How values become costs; a move costs its length times the mean of its two cells."""

    costs: CostRule | None = None
    """Read the values as costs: linear (offset + scale x value), nav2 (a ROS costmap), slope (degrees) or elevation."""
    cost_offset: float | None = None
    """Cost at a value of 0 in linear costs; 0, in images 1."""
    cost_scale: float | None = None
    """Cost of a value of 1 (linear: 1; in images black adds 9), of 252 (nav2: 2), or its height (elevation: 1)."""
    cost_limit: float | None = None
    """Values above this are blocked (linear), or steeper moves are impossible (slope, elevation: 30 degrees)."""
    slope_curve: Literal["linear", "tobler"] = "linear"
    """How a slope makes a move more costly: linear, by --uphill and --downhill, or by Tobler's hiking function."""
    uphill: float = 0.1
    """What each degree uphill adds to the cost of a move, as a share of a level one's."""
    downhill: float = 0.05
    """What each degree downhill adds."""
    cell_size: float | None = None
    """Width of a cell in the unit of the elevation, where the map does not tell or is in degrees."""

    def __post_init__(self) -> None:
        for name in ("cost_offset", "cost_scale", "cost_limit", "cell_size"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise InputError(f"{name}: expected a finite number, got {number}.")
        if self.cell_size is not None and self.cell_size <= 0:
            raise InputError(f"cell_size: expected a number above 0, got {self.cell_size:g}.")

    @property
    def curve(self) -> SlopeCurve:
        """How slopes become costs."""
        limit = 30.0 if self.cost_limit is None else self.cost_limit
        return SlopeCurve(self.slope_curve, self.uphill, self.downhill, limit)


@dataclass(frozen=True)
class MapValues:
    """The numbers that a file holds, before they mean anything."""

    values: Num[np.ndarray, "H W"]
    unknown: Bool[np.ndarray, "H W"]
    """Cells without a value."""
    frame: Frame = CELLS
    white: int | None = None
    """The value of white, in images."""


@dataclass(frozen=True)
class Graded:
    """What values mean: costs, blocked cells, or a relief; and in words the rule."""

    blocked: Bool[np.ndarray, "H W"]
    unknown: Bool[np.ndarray, "H W"]
    words: str
    costs: Float64[np.ndarray, "H W"] | None = None
    relief: Relief | None = None


def grade(found: MapValues, name: str, options: CostOptions, *, bright: bool = False) -> Graded:
    """The meaning of values by the rule of the options; ``bright``: bright parts of images are costly, not dark."""
    if options.costs == "nav2":
        return grade_bytes(found.values, name, options, unknown=found.unknown)
    if options.costs == "slope":
        return _grade_slope(found, name, options)
    if options.costs == "elevation":
        return _grade_elevation(found, options)
    return _grade_linear(found, name, options, bright)


def _grade_linear(found: MapValues, name: str, options: CostOptions, bright: bool) -> Graded:
    values, meant, usual = found.values.astype(np.float64), "the value", (0.0, 1.0)
    if found.white is not None:
        share, usual = values / found.white, (IMAGE_OFFSET, IMAGE_SCALE)
        values, meant = (share, "its brightness") if bright else (1 - share, "its darkness")
    offset = usual[0] if options.cost_offset is None else options.cost_offset
    scale = usual[1] if options.cost_scale is None else options.cost_scale
    blocked = np.zeros(values.shape, bool) if options.cost_limit is None else values > options.cost_limit
    costs = offset + scale * values
    require_cell_costs(costs, blocked | found.unknown, name)
    words = f"a cell costs {offset:g} + {scale:g} x {meant}"
    if options.cost_limit is not None:
        words += f", and values above {options.cost_limit:g} are blocked"
    return Graded(blocked, found.unknown, words, _with_ones(costs, blocked | found.unknown))


def grade_bytes(
    values: Num[np.ndarray, "H W"],
    name: str,
    options: CostOptions,
    *,
    unknown: Bool[np.ndarray, "H W"] | None = None,
) -> Graded:
    """The meaning of a Nav2 costmap: 0 free to 252, 253 inscribed, 254 lethal, 255 unknown."""
    bytes = require_bytes(values, name, without=unknown)
    if options.cost_offset is not None or options.cost_limit is not None:
        raise InputError("A costmap defines its blocked cells: expected no --cost-offset or --cost-limit.")
    multiplier = NAV2_MULTIPLIER if options.cost_scale is None else options.cost_scale
    if multiplier < 0:
        raise InputError(f"cost_scale: expected a number of at least 0 for a costmap, got {multiplier:g}.")
    nothing = bytes == NAV2_UNKNOWN
    nothing = nothing if unknown is None else nothing | unknown
    blocked = (bytes == NAV2_INSCRIBED) | (bytes == NAV2_LETHAL)
    costs = _with_ones(1.0 + multiplier * bytes / NAV2_FREE_SPACE, blocked | nothing)
    words = f"a cell costs 1 + {multiplier:g} x value / 252; 253 (inscribed) and 254 (lethal) are blocked"
    return Graded(blocked, nothing, words, costs)


def require_bytes(
    values: Num[np.ndarray, "H W"], name: str, *, without: Bool[np.ndarray, "H W"] | None = None
) -> Num[np.ndarray, "H W"]:
    """Whole numbers from 0 to 255, as floating point."""
    found = values.astype(np.float64)
    if without is not None:
        found = np.where(without, float(NAV2_UNKNOWN), found)
    wrong = found[~((found >= 0) & (found <= NAV2_UNKNOWN) & (found == np.floor(found)))]
    if wrong.size:
        raise InputError(
            f"{name}: expected the bytes of a costmap, whole numbers from 0 to 255, got {wrong.flat[0]:g}."
        )
    return found


def _grade_slope(found: MapValues, name: str, options: CostOptions) -> Graded:
    curve = options.curve
    degrees = np.where(found.unknown, 0.0, found.values.astype(np.float64))
    if (degrees < 0).any() or (degrees >= 90).any():
        wrong = degrees[(degrees < 0) | (degrees >= 90)].flat[0]
        raise InputError(f"{name}: expected slopes of 0 to 90 degrees, got {wrong:g}.")
    blocked = degrees > curve.limit
    costs = curve.factor(np.minimum(degrees, curve.limit))
    words = f"the values are slopes in degrees; {curve.words(directed=False)}"
    return Graded(blocked, found.unknown, words, _with_ones(costs, blocked | found.unknown))


def _grade_elevation(found: MapValues, options: CostOptions) -> Graded:
    height = 1.0 if options.cost_scale is None else options.cost_scale
    size = found.frame.cell_size if options.cell_size is None else (options.cell_size, options.cell_size)
    if options.cell_size is None and found.frame.unit == "degrees":
        raise InputError(
            "elevation: expected cells in the unit of the heights, got a map in degrees; give --cell-size."
        )
    elevation = np.where(found.unknown, 0.0, found.values.astype(np.float64)) * height
    relief = Relief(elevation, size, options.curve)
    unit = "units of the elevation" if found.frame is CELLS else found.frame.unit
    words = (
        f"the values are elevations (times {height:g}) and cells {size[0]:g} x {size[1]:g} {unit}; "
        f"{options.curve.words(directed=True)}"
    )
    return Graded(np.zeros(elevation.shape, bool), found.unknown, words, relief=relief)


def _with_ones(costs: Float64[np.ndarray, "H W"], blocked: Bool[np.ndarray, "H W"]) -> np.ndarray:
    """The costs of free cells, and 1 in the others."""
    return np.where(blocked, 1.0, costs)


def require_cell_costs(costs: Num[np.ndarray, "_ _"], blocked: Bool[np.ndarray, "_ _"], name: str) -> None:
    """The costs of free cells are finite and above zero, or a sentence says which is not."""
    if costs.shape != blocked.shape:
        raise InputError(
            f"{name}: expected costs of the shape {blocked.shape} of the map, got {costs.shape}."
        )
    wrong = ~(np.isfinite(costs) & (costs > 0)) & ~blocked
    if wrong.any():
        row, col = np.argwhere(wrong)[0].tolist()
        raise InputError(
            f"{name}: expected finite costs above zero in free cells, got {costs[row, col]:g} at ({row}, {col})."
        )


def without_costs(options: CostOptions, format: str) -> None:
    """Refuse options of costs for a format that has none."""
    if options != replace(CostOptions(), cell_size=options.cell_size):
        raise InputError(f"{format} has no costs: expected no --costs.")

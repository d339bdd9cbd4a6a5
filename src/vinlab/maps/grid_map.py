"""The map of a file, with the assumptions behind it, and obstacles inflated by the radius of a robot."""

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float64, Int64, UInt8

from vinlab.maps.costs import CostOptions, Graded, require_cell_costs
from vinlab.maps.slope import Relief
from vinlab.maps.transform import CELLS, Frame
from vinlab.types import InputError

LARGEST_SIDE = 4096
"""Cells along the longer side of a map; larger maps are refused before they are unpacked."""
MOST_COST_CELLS, MOST_RELIEF_CELLS = 10_000_000, 2048 * 2048
"""Cells of a map file with costs (planning takes 60 bytes each) and with elevations (130 bytes, eight costs each)."""


@dataclass(frozen=True)
class MapOptions:
    """How the values of a file become free and blocked cells; None stands for the default of the format."""

    obstacles: Literal["dark", "bright"] | None = None
    """Whether dark (low) or bright (high) values are blocked; dark in images, bright (1) in arrays."""
    threshold: float | None = None
    """Where bright begins: a brightness from 0 to 1 in images (0.5), a value in arrays and rasters."""
    unknown: Literal["blocked", "free"] = "blocked"
    """How cells count whose state the file does not know."""
    index: int = 0
    """Which map of a file that holds several."""
    grading: CostOptions = field(default_factory=CostOptions)
    """How values become costs, where they do."""

    def require_brightness(self) -> float:
        """The threshold as a brightness."""
        threshold = 0.5 if self.threshold is None else self.threshold
        if not 0 < threshold < 1:
            raise InputError(
                f"threshold: expected a brightness between 0 (black) and 1 (white), got {threshold}."
            )
        return threshold

    def refuse_index(self, name: str) -> None:
        """Refuse the number of a map where a file holds one alone."""
        if self.index != 0:
            raise InputError(f"{name}: expected the index 0 of its only map, got {self.index}.")

    def refuse_values(self, format: str) -> None:
        """Refuse options that a format with its own rule for blocked cells would ignore."""
        if self.obstacles is not None or self.threshold is not None:
            raise InputError(f"{format} defines its blocked cells: expected no --obstacles or --threshold.")

    def refuse_threshold(self) -> None:
        """Refuse a threshold where values are costs."""
        if self.threshold is not None:
            raise InputError(
                f"threshold: expected none with --costs {self.grading.costs}, where --cost-limit says what is "
                f"blocked, got {self.threshold:g}."
            )


@dataclass(frozen=True)
class GridMap:
    """A map, its world coordinates, and the assumptions by which it was read."""

    obstacles: UInt8[np.ndarray, "H W"]
    """1 is blocked, 0 is free."""
    assumptions: str
    """One sentence."""
    frame: Frame = CELLS
    corner_cutting: bool = True
    """The rule of the format: whether a diagonal move may pass an obstacle's corner."""
    start: tuple[int, int] | None = None
    """None where the file names none."""
    goal: tuple[int, int] | None = None
    water_obstacles: UInt8[np.ndarray, "H W"] | None = None
    """0 is water, 1 all else: the map for goals in the water, which is blocked for all others."""
    costs: Float64[np.ndarray, "_ _"] | None = None
    """The cost of each free cell, above zero; None where all cost the same."""
    relief: Relief | None = None
    """Heights, from which moves uphill and downhill have their costs; None on maps without."""

    def __post_init__(self) -> None:
        if self.costs is not None:
            require_cell_costs(self.costs, self.obstacles != 0, "costs")
        if self.relief is not None and self.relief.elevation.shape != self.obstacles.shape:
            raise InputError(
                f"relief: expected heights of the shape {self.obstacles.shape} of the map, "
                f"got {self.relief.elevation.shape}."
            )

    @property
    def is_graded(self) -> bool:
        """Whether moves cost more in some cells than in others."""
        return self.costs is not None or self.relief is not None

    def obstacles_for(self, goal: tuple[int, int]) -> UInt8[np.ndarray, "H W"]:
        """The obstacles on the terrain of a goal; no move leads from land into the water, or back."""
        if self.water_obstacles is not None and not self.water_obstacles[goal]:
            return self.water_obstacles
        return self.obstacles

    def is_free(
        self, cells: Int64[np.ndarray, "N 2"], goals: Int64[np.ndarray, "N 2"]
    ) -> Bool[np.ndarray, " N"]:
        """Whether each cell is free on the terrain of its goal."""
        free = self.obstacles[tuple(cells.T)] == 0
        if self.water_obstacles is None:
            return free
        afloat = self.water_obstacles[tuple(goals.T)] == 0
        return np.where(afloat, self.water_obstacles[tuple(cells.T)] == 0, free)

    @property
    def size(self) -> str:
        """Rows, columns and the share of blocked cells, in words."""
        rows, cols = self.obstacles.shape
        return f"{rows} x {cols} cells, {self.obstacles.mean():.1%} of them blocked"


def require_side(height: int, width: int, name: str) -> None:
    """Refuse a map without cells, or with too many."""
    if height < 1 or width < 1:
        raise InputError(f"{name}: expected at least one row and column, got {height} x {width}.")
    if max(height, width) > LARGEST_SIDE:
        raise InputError(f"{name}: expected at most {LARGEST_SIDE} cells a side, got {height} x {width}.")


def require_graded_size(shape: tuple[int, ...], *, relief: bool = False) -> None:
    """Refuse a map with so many costs that planning on it would fill more than a gigabyte."""
    most, what = (MOST_RELIEF_CELLS, "elevations") if relief else (MOST_COST_CELLS, "costs")
    if math.prod(shape) > most:
        raise InputError(
            f"expected a map with {what} of at most {most:,} cells, got {shape[0]} x {shape[1]}; use larger cells."
        )


def with_unknown(
    blocked: Bool[np.ndarray, "H W"], unknown: Bool[np.ndarray, "H W"], options: MapOptions
) -> UInt8[np.ndarray, "H W"]:
    """The obstacles, with the unknown cells as the options say."""
    return np.where(unknown, options.unknown == "blocked", blocked).astype(np.uint8)


def unknown_words(unknown: Bool[np.ndarray, "H W"], options: MapOptions) -> str:
    """How unknown cells count, if there are any."""
    count = int(unknown.sum())
    return f"; {count} unknown cells count as {options.unknown}" if count else ""


def map_of_graded(
    found: Graded, words: str, options: MapOptions, *, frame: Frame = CELLS, corner_cutting: bool = True
) -> GridMap:
    """The map of what values mean; ``words`` says what was read."""
    require_graded_size(found.blocked.shape, relief=found.relief is not None)
    if options.unknown == "free" and found.unknown.any() and options.grading.costs != "nav2":
        raise InputError("unknown: expected blocked, as cells without a value have no cost, got free.")
    return GridMap(
        with_unknown(found.blocked, found.unknown, options),
        f"{words}; {found.words}{unknown_words(found.unknown, options)}.",
        frame=frame,
        corner_cutting=corner_cutting,
        costs=found.costs,
        relief=found.relief,
    )


def inflate_obstacles(map: GridMap, radius: float) -> GridMap:
    """The map for a robot of a radius in the map's unit: a cell is blocked if its centre is at most that far from the
    centre of a blocked cell, as in the costmaps of ROS.
    """
    if not 0 <= radius < np.inf:
        raise InputError(f"radius: expected a finite number of at least 0, got {radius}.")
    if radius == 0:
        return map
    layers = [
        None if layer is None else _inflated(layer, radius, map.frame.cell_size)
        for layer in (map.obstacles, map.water_obstacles)
    ]
    inflated = f"{map.assumptions} Obstacles were inflated by a radius of {radius:g} {map.frame.unit}."
    return replace(map, obstacles=layers[0], water_obstacles=layers[1], assumptions=inflated)


def _inflated(
    obstacles: UInt8[np.ndarray, "H W"], radius: float, cell_size: tuple[float, float]
) -> UInt8[np.ndarray, "H W"]:
    from scipy.ndimage import distance_transform_edt

    if not obstacles.any():
        return obstacles
    distance = distance_transform_edt(obstacles == 0, sampling=cell_size)
    return (np.asarray(distance) <= radius).astype(np.uint8)

"""What a map file gives, by which assumptions, and how it is made safe for a robot that is not a point."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, UInt8

from vinlab.maps.transform import CELLS, Frame
from vinlab.types import InputError

LARGEST_SIDE = 4096
"""Longer maps are refused before they fill the memory."""


@dataclass(frozen=True)
class MapOptions:
    """How the values of a file become free and blocked cells; what is None follows the format's own custom."""

    blocked: Literal["low", "high"] | None = None
    """Whether low values (dark, 0) or high ones (bright, 1) are blocked; low in pictures, high in arrays."""
    threshold: float | None = None
    """Where high begins: a brightness from 0 to 1 in pictures (0.5), a value in arrays and rasters."""
    unknown: Literal["blocked", "free"] = "blocked"
    """What cells are that the file knows nothing about."""
    index: int = 0
    """Which map of a file that holds several."""

    def require_picture_threshold(self) -> float:
        """The threshold as a brightness."""
        threshold = 0.5 if self.threshold is None else self.threshold
        if not 0 < threshold < 1:
            raise InputError(
                f"threshold must lie between 0 (black) and 1 (white) for pictures, but {threshold} came."
            )
        return threshold

    def refuse_values(self, format: str) -> None:
        """Formats that say themselves what is blocked take neither a polarity nor a threshold."""
        if self.blocked is not None or self.threshold is not None:
            raise InputError(
                f"{format} says itself which cells are blocked; leave --blocked and --threshold out."
            )


@dataclass(frozen=True)
class GridMap:
    """A map, where it lies in the world, and what was assumed to read it."""

    obstacles: UInt8[np.ndarray, "H W"]
    """1 is blocked, 0 is free."""
    assumptions: str
    """A sentence for people."""
    frame: Frame = CELLS
    corner_cutting: bool = True
    """The custom of the format: whether a diagonal move may pass an obstacle's corner."""
    start: tuple[int, int] | None = None
    """Where the file itself names one."""
    goal: tuple[int, int] | None = None

    @property
    def size(self) -> str:
        """How large the map is and how much of it is blocked, in words."""
        rows, cols = self.obstacles.shape
        return f"{rows} x {cols} cells, {self.obstacles.mean():.1%} of them blocked"


def require_side(height: int, width: int, name: str) -> None:
    """The size of a map, if it has cells and not too many of them."""
    if height < 1 or width < 1:
        raise InputError(f"{name} must have at least one row and column, but says {height} x {width}.")
    if max(height, width) > LARGEST_SIDE:
        raise InputError(f"{name} is {height} x {width} cells; {LARGEST_SIDE} is the limit of a side.")


def with_unknown(
    blocked: Bool[np.ndarray, "H W"], unknown: Bool[np.ndarray, "H W"], options: MapOptions
) -> UInt8[np.ndarray, "H W"]:
    """The obstacles, with the unknown cells as the reading wants them."""
    return np.where(unknown, options.unknown == "blocked", blocked).astype(np.uint8)


def unknown_words(unknown: Bool[np.ndarray, "H W"], options: MapOptions) -> str:
    """What was done with unknown cells, if there are any."""
    count = int(unknown.sum())
    return f"; {count} unknown cells count as {options.unknown}" if count else ""


def inflate_obstacles(map: GridMap, radius: float) -> GridMap:
    """The map for a robot of a radius, in the map's unit: cells whose middle is that close to a blocked one's
    middle are blocked too, as in the costmaps of robots.
    """
    if not 0 <= radius < np.inf:
        raise InputError(f"radius must be at least 0 and finite, but {radius} came.")
    if radius == 0 or not map.obstacles.any():
        return map
    from scipy.ndimage import distance_transform_edt

    distance = distance_transform_edt(map.obstacles == 0, sampling=map.frame.cell_size)
    obstacles = (np.asarray(distance) <= radius).astype(np.uint8)
    grown = f"{map.assumptions} Obstacles were grown by a radius of {radius:g} {map.frame.unit}."
    return replace(map, obstacles=obstacles, assumptions=grown)

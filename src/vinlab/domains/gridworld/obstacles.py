"""Maps with random obstacles inside a wall: discs and rectangles as in the authors' data, or single cells."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Int64, UInt8

from vinlab.types import InputError

AUTHORS_SETTINGS: Final = {8: (30, 0.0), 16: (40, 1.0), 28: (50, 2.0)}
"""For each size of the paper the largest number of obstacles tried, and their largest size."""


@dataclass(frozen=True)
class ObstacleConfig:
    """Random discs and rectangles; an obstacle that would cover the goal is left out."""

    max_obstacles: int
    """Between 1 and this many obstacles are tried on a map."""
    max_size: float
    """The largest radius of a disc and side of a rectangle; at 0 a disc is a cell and a rectangle nothing."""

    def __post_init__(self) -> None:
        if self.max_obstacles < 1 or not 0 <= self.max_size < np.inf:
            raise InputError(f"expected max_obstacles of at least 1 and max_size of at least 0, got {self}.")

    @classmethod
    def for_size(cls, height: int, width: int | None = None) -> "ObstacleConfig":
        """The authors' setting; at other sizes, as many obstacles per cell as at the nearest of theirs."""
        cells = height * (height if width is None else width)
        nearest = min(AUTHORS_SETTINGS, key=lambda size: abs(size - cells**0.5))
        most, largest = AUTHORS_SETTINGS[nearest]
        return cls(max_obstacles=max(1, round(most * cells / nearest**2)), max_size=largest)

    def draw(
        self, height: int, width: int, attempts: int, *, rng: np.random.Generator
    ) -> tuple[UInt8[np.ndarray, "B H W"], Int64[np.ndarray, "B 2"]]:
        """Maps and goals from a number of attempts; as in the authors' code, some attempts give none.

        A goal is drawn from all rows and columns but the first, and the attempt fails if it lies on the wall
        or no obstacle was drawn.
        """
        from vinlab.domains.gridworld._kernels import paint_obstacles

        maps = _walled(height, width, attempts)
        goals = rng.integers(1, (height, width), size=(attempts, 2))
        counts = rng.integers(1, self.max_obstacles, endpoint=True, size=attempts)
        are_discs = rng.random((attempts, self.max_obstacles)) < 0.5
        places = rng.integers(0, (height, width), size=(attempts, self.max_obstacles, 2))
        sizes = np.ceil(rng.random((attempts, self.max_obstacles, 2)) * self.max_size).astype(np.int64)
        accepted = paint_obstacles(maps, goals, counts, are_discs, places, sizes)
        kept = (accepted > 0) & (goals < (height - 1, width - 1)).all(axis=1)
        return maps[kept], goals[kept]


@dataclass(frozen=True)
class ScatterConfig:
    """Every cell inside the wall is blocked independently at random."""

    density: float = 0.25
    """The probability that a cell is blocked."""

    def __post_init__(self) -> None:
        if not 0 <= self.density < 1:
            raise InputError(f"density: expected 0 or more and less than 1, got {self.density}.")

    def draw(
        self, height: int, width: int, attempts: int, *, rng: np.random.Generator
    ) -> tuple[UInt8[np.ndarray, "B H W"], Int64[np.ndarray, "B 2"]]:
        """As many maps as attempts, each with a goal in a cell that is left free."""
        maps = _walled(height, width, attempts)
        maps[:, 1:-1, 1:-1] = rng.random((attempts, height - 2, width - 2)) < self.density
        goals = rng.integers(1, (height - 1, width - 1), size=(attempts, 2))
        maps[np.arange(attempts), goals[:, 0], goals[:, 1]] = 0
        return maps, goals


def _walled(height: int, width: int, count: int) -> UInt8[np.ndarray, "B H W"]:
    """Empty maps with a wall of one cell around them."""
    if min(height, width) < 3 or height * width < 12:
        raise InputError(
            f"maps with a wall around them: expected at least 3 x 4 cells, got {height} x {width}."
        )
    maps = np.ones((count, height, width), np.uint8)
    maps[:, 1:-1, 1:-1] = 0
    return maps

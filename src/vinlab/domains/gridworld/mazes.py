"""Mazes: one path between any two rooms, and more where walls are removed."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64, UInt8

from vinlab.types import MOVE_OFFSETS, InputError


@dataclass(frozen=True)
class MazeConfig:
    """Perfect mazes with rooms in the cells of odd row and column, some of their inner walls removed."""

    removed_walls: float = 0.1
    """The probability that a wall between two rooms is removed; 0 leaves the maze perfect."""

    def __post_init__(self) -> None:
        if not 0 <= self.removed_walls <= 1:
            raise InputError(f"removed_walls: expected 0 to 1, got {self.removed_walls}.")

    def draw(
        self, height: int, width: int, attempts: int, *, rng: np.random.Generator
    ) -> tuple[UInt8[np.ndarray, "B H W"], Int64[np.ndarray, "B 2"]]:
        """As many mazes as attempts, each with a goal in one of its rooms."""
        from vinlab.domains.gridworld._kernels import carve_mazes

        if min(height, width) < 3 or height * width < 15 or height % 2 == 0 or width % 2 == 0:
            raise InputError(f"mazes: expected odd sizes of at least 3 x 5 cells, got {height} x {width}.")
        rooms = (height // 2, width // 2)
        maps = np.ones((attempts, height, width), np.uint8)
        orders = rng.permuted(np.tile(np.arange(4), (attempts, *rooms, 1)), axis=-1)
        carve_mazes(maps, _random_rooms(rooms, attempts, rng), orders, MOVE_OFFSETS[:4])
        maps[_between_rooms(height, width) & (rng.random(maps.shape) < self.removed_walls)] = 0
        return maps, _random_rooms(rooms, attempts, rng)


def _random_rooms(rooms: tuple[int, int], count: int, rng: np.random.Generator) -> np.ndarray:
    return 1 + 2 * rng.integers(0, rooms, size=(count, 2))


def _between_rooms(height: int, width: int) -> np.ndarray:
    """True for the cells that part two rooms: inside the outer wall, with one odd and one even coordinate."""
    row, col = np.ogrid[:height, :width]
    inside = (row > 0) & (row < height - 1) & (col > 0) & (col < width - 1)
    return inside & ((row + col) % 2 == 1)

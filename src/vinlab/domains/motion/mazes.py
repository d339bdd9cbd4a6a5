"""The mazes of peers' benchmarks, drawn by a seed."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64, UInt8

from vinlab.types import InputError


@dataclass(frozen=True)
class GppnMazes:
    """The mazes of Gated Path Planning Networks (Lee et al., 2018).

    A depth-first maze from (1, 1), of which every inner cell is then freed with a probability drawn uniformly for each
    maze; the goal is any inner cell but (1, 1), and is freed. Sides of even length leave some cells of the last row
    and column free, as in the authors' code.
    """

    def draw(
        self, height: int, width: int, attempts: int, *, rng: np.random.Generator
    ) -> tuple[UInt8[np.ndarray, "B H W"], Int64[np.ndarray, "B 2"]]:
        """As many mazes as attempts, each with a goal."""
        from vinlab.domains.motion._kernels import carve_by_stack

        if min(height, width) < 4:
            raise InputError(f"mazes: expected sides of at least 4 cells, got {height} x {width}.")
        maps = np.ones((attempts, height, width), np.uint8)
        rooms = (height // 2, width // 2)
        orders = rng.permuted(np.tile(np.arange(4), (attempts, *rooms, 1)), axis=-1)
        carve_by_stack(maps, orders)
        freed = rng.random((attempts, height - 2, width - 2)) < rng.random((attempts, 1, 1))
        maps[:, 1:-1, 1:-1][freed] = 0
        goals = _goals(height, width, attempts, rng)
        maps[np.arange(attempts), goals[:, 0], goals[:, 1]] = 0
        return maps, goals


def _goals(height: int, width: int, count: int, rng: np.random.Generator) -> Int64[np.ndarray, "B 2"]:
    """Inner cells, uniformly, but (1, 1)."""
    places = rng.integers(1, (height - 2) * (width - 2), size=count)
    return 1 + np.stack(np.divmod(places, width - 2), axis=-1)


@dataclass(frozen=True)
class HardMazes:
    """Maps of scattered walls with a long shortest path: a twin of Maze-Hard (30 x 30, paths of at least 110 moves).

    Every cell is a wall with a probability drawn uniformly for each map. The goal is the cell farthest, by four moves,
    from a random one, and the start any cell at least ``shortest`` moves from it; maps without one are left out.
    """

    walls: tuple[float, float] = (0.3, 0.5)
    shortest: int = 110

    def draw_ends(
        self, height: int, width: int, attempts: int, *, rng: np.random.Generator
    ) -> tuple[UInt8[np.ndarray, "B H W"], Int64[np.ndarray, "B 2"], Int64[np.ndarray, "B 2"]]:
        """The maps of some attempts that have such a path, with start and goal."""
        from vinlab.domains.motion._kernels import far_pairs

        low, high = self.walls
        density = low + (high - low) * rng.random((attempts, 1, 1), dtype=np.float32)
        maps = (rng.random((attempts, height, width), dtype=np.float32) < density).astype(np.uint8)
        starts, goals = far_pairs(maps, rng.random((attempts, 2)), self.shortest)
        found = starts[:, 0] >= 0
        return maps[found], starts[found], goals[found]

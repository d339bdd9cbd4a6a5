"""Sets of maps by name: the paper's obstacles, blocks, scattered cells, mazes; each of one size."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.obstacles import ObstacleConfig, ScatterConfig
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.types import GridProblems


@dataclass(frozen=True)
class MapSet:
    """Maps of one size and family."""

    size: int
    family: ObstacleConfig | ScatterConfig | MazeConfig | None = None
    """Without it, the paper's obstacles."""

    @property
    def name(self) -> str:
        """Such as ``mazes 31``, with all walls, or ``mazes 31, 10 % open``."""
        if isinstance(self.family, ScatterConfig):
            return f"scattered {self.size}, {100 * self.family.density:.0f} %"
        if isinstance(self.family, MazeConfig):
            opened = f", {100 * self.family.removed_walls:.0f} % open" if self.family.removed_walls else ""
            return f"mazes {self.size}{opened}"
        if isinstance(self.family, ObstacleConfig):
            return f"blocks {self.size}"
        return f"paper {self.size}"

    def sample(
        self,
        count: int,
        *,
        stream: int,
        apart_from: Iterable[GridProblems] = (),
        corner_cutting: bool = True,
    ) -> GridProblems:
        """Problems of a random stream, none with the map and goal of one in ``apart_from``."""
        key = int.from_bytes(self.name.encode(), "little")
        config = GridworldConfig(size=self.size, family=self.family, corner_cutting=corner_cutting)
        rng = np.random.default_rng([stream, key])
        return sample_problems(config, count, rng=rng, apart_from=apart_from)


def paper(size: int) -> MapSet:
    """Maps with the paper's obstacles."""
    return MapSet(size)


def blocks(size: int) -> MapSet:
    """Maps with a few large obstacles, such as houses and rocks."""
    return MapSet(size, ObstacleConfig(max_obstacles=size // 2, max_size=size / 5))


def scattered(size: int, density: float = 0.25) -> MapSet:
    """Maps whose cells are blocked independently at random."""
    return MapSet(size, ScatterConfig(density))


def mazes(size: int, removed_walls: float = 0.0) -> MapSet:
    """Mazes, perfect unless walls are removed."""
    return MapSet(size, MazeConfig(removed_walls))

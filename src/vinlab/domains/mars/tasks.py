"""Tasks on patches of ground: what is seen, what is blocked, where one starts and where one wants to go."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Int64

from vinlab.domains.mars.patches import MarsProblems, PatchConfig, cell_maps, cut, free_regions
from vinlab.domains.mars.terrain import Terrain


def problems_at(
    terrain: Terrain,
    corners: Int64[np.ndarray, "N 2"],
    config: PatchConfig,
    *,
    first_block: int,
    rng: np.random.Generator,
) -> Iterator[MarsProblems]:
    """A problem on each patch whose upper left corner is given, some at a time."""
    pairs = zip(cut(terrain.image, corners, config.side), cell_maps(terrain, corners, config), strict=True)
    done = 0
    for images, obstacles in pairs:
        own = corners[done : done + len(images)]
        done += len(images)
        starts, goals = random_ends(obstacles, config.min_free, rng)
        tile = (own + config.side // 2) // config.side
        block_ids = first_block + tile[:, 0] * -(-terrain.image.shape[1] // config.side) + tile[:, 1]
        yield MarsProblems(images, obstacles, starts, goals, block_ids)


def count_tiles(terrain: Terrain, config: PatchConfig) -> int:
    """Tiles as large as a patch, those that the terrain only begins to fill included."""
    height, width = terrain.image.shape
    return -(-height // config.side) * -(-width // config.side)


def random_ends(
    obstacles: Bool[np.ndarray, "N H W"], min_free: int, rng: np.random.Generator
) -> tuple[Int64[np.ndarray, "N 2"], Int64[np.ndarray, "N 2"]]:
    """A start, and another cell as goal, both in one free region of at least so many cells."""
    labels, sizes = (regions.reshape(len(obstacles), -1) for regions in free_regions(obstacles))
    index = np.arange(len(obstacles))
    goals = _any(sizes >= min_free, rng)
    others = labels == labels[index, goals][:, None]
    others[index, goals] = False
    return _as_cells(_any(others, rng), obstacles), _as_cells(goals, obstacles)


def _any(allowed: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One allowed entry of each row, each as likely as the others."""
    return np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1)


def _as_cells(flat: np.ndarray, obstacles: np.ndarray) -> np.ndarray:
    return np.stack(np.divmod(flat, obstacles.shape[2]), axis=-1).astype(np.int64)

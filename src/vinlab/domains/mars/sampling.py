"""Problems from ground that comes tile by tile, however much of it there is."""

from collections.abc import Callable, Iterable

import numpy as np

from vinlab.domains.mars.patches import (
    MarsProblems,
    PatchConfig,
    PatchCounts,
    Region,
    concatenate,
    find_patches,
)
from vinlab.domains.mars.tasks import count_tiles, problems_at
from vinlab.domains.mars.terrain import Terrain
from vinlab.types import InputError


def sample_terrain_problems(
    tiles: Callable[[], Iterable[Terrain]],
    count: int,
    config: PatchConfig,
    *,
    rng: np.random.Generator,
    watch: Callable[[Terrain], None] = lambda terrain: None,
) -> tuple[MarsProblems, PatchCounts]:
    """So many problems from all tiles, each usable patch as likely as the others, and the census of all.

    Patches lie at least ``config.stride`` pixels apart; where these are too few, the tiles are gone through again
    with half the stride. Only the patches that may be kept are held in memory.
    """
    if count < 1:
        raise InputError(f"The number of problems must be at least 1, but {count} came.")
    stride = config.stride
    while True:
        problems, census = _reservoir(tiles, count, config, stride, rng, watch)
        if problems is not None and len(problems) == count:
            return problems, census
        if census.usable == 0 or stride == 1:
            raise InputError(f"{count:,} problems are wanted, but the ground holds {census}.")
        stride = max(1, stride // 2)


def _reservoir(
    tiles: Callable[[], Iterable[Terrain]],
    count: int,
    config: PatchConfig,
    stride: int,
    rng: np.random.Generator,
    watch: Callable[[Terrain], None],
) -> tuple[MarsProblems | None, PatchCounts]:
    """Every patch draws a lot, and those with the lowest lots stay."""
    kept: list[MarsProblems] = []
    lots, first_block, census = np.zeros(0), 0, PatchCounts(stride, 0, 0, 0, 0, 0, 0)
    for terrain in tiles():
        watch(terrain)
        corners, found = find_patches(terrain, Region(0, 0, 0, *terrain.image.shape), config, stride)
        drawn = rng.random(len(corners))
        good = drawn < (np.partition(lots, count - 1)[count - 1] if len(lots) >= count else np.inf)
        kept += problems_at(terrain, corners[good], config, first_block=first_block, rng=rng)
        lots = np.concatenate([lots, drawn[good]])
        if len(lots) > 2 * count:  # not at every tile: it copies all that is kept
            kept, lots = _lowest(kept, lots, count)
        first_block += count_tiles(terrain, config)
        census += found
    kept, _ = _lowest(kept, lots, count)
    return (kept[0] if kept else None), census


def _lowest(kept: list[MarsProblems], lots: np.ndarray, count: int) -> tuple[list[MarsProblems], np.ndarray]:
    """Those with the lowest lots, in the order of these."""
    order = np.argsort(lots)[:count]
    return ([concatenate(kept)[order]] if kept else []), lots[order]

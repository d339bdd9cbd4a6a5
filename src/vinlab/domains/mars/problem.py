"""Mars problems: patches of terrain with a start and a goal, and what a network sees of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int64, UInt8
from torch import Tensor

from vinlab.domains.mars.patches import (
    PatchConfig,
    PatchCorners,
    PatchCounts,
    block_ids,
    cell_maps,
    count_blocks,
    cut,
    find_patches,
    random_ends,
    whole_region,
)
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, synthetic_terrains
from vinlab.types import CELL, GOAL_MARK, Batch, GridProblems, InputError, concatenate

CONTRAST = 20.0
"""Grey levels that count as one. It is the same for all patches: division by each patch's own standard deviation would
remove the strength of the shading, which distinguishes steep from flat terrain."""


@dataclass(frozen=True)
class MarsProblems(Batch):
    """Problems on patches of terrain; a network sees the images, the evaluation also the obstacles."""

    images: UInt8[np.ndarray, "N h w"]
    obstacles: Bool[np.ndarray, "N H W"]
    """True where a cell is too steep."""
    starts: Int64[np.ndarray, "N 2"]
    """Row and column of a cell, as in the goals."""
    goals: Int64[np.ndarray, "N 2"]
    block_ids: Int64[np.ndarray, " N"]
    """The tile of terrain, as large as a patch, that holds the centre of each patch; problems of one block are
    correlated."""

    @property
    def grid(self) -> GridProblems:
        """The problems as those of a grid-world, for its expert and its metrics."""
        return GridProblems(self.obstacles.astype(np.uint8), self.starts, self.goals)


def normalise(images: UInt8[np.ndarray, "N h w"]) -> Float32[Tensor, "N 1 h w"]:
    """Images without their mean brightness, in units of contrast."""
    values = torch.from_numpy(np.ascontiguousarray(images)).float()[:, None]
    return (values - values.mean(dim=(2, 3), keepdim=True)) / CONTRAST


def observe(
    images: UInt8[np.ndarray, "N h w"], goals: Int64[np.ndarray, "N 2"]
) -> Float32[Tensor, "N 2 h w"]:
    """The normalised images, and a channel in which the goal's cell is marked."""
    rows, cols = images.shape[1] // CELL, images.shape[2] // CELL
    outside = ((goals < 0) | (goals >= (rows, cols))).any(axis=1)
    if outside.any():
        raise InputError(
            f"expected goals on a map of {rows} x {cols} cells, got {tuple(goals[outside][0].tolist())}."
        )
    marks = torch.zeros(len(images), rows, cols)
    marks[torch.arange(len(goals)), goals[:, 0], goals[:, 1]] = GOAL_MARK
    marks = marks.repeat_interleave(CELL, dim=1).repeat_interleave(CELL, dim=2)
    return torch.cat([normalise(images), marks[:, None]], dim=1)


def problems_at(
    terrain: Terrain,
    corners: PatchCorners,
    config: PatchConfig,
    *,
    first_block: int,
    rng: np.random.Generator,
) -> Iterator[MarsProblems]:
    """A problem on each patch with the given upper left corner, in chunks."""
    pairs = zip(cut(terrain.image, corners, config.side), cell_maps(terrain, corners, config), strict=True)
    done = 0
    for images, obstacles in pairs:
        own = corners[done : done + len(images)]
        done += len(images)
        starts, goals = random_ends(obstacles, config.min_free, rng)
        yield MarsProblems(images, obstacles, starts, goals, first_block + block_ids(terrain, own, config))


def sample_problems(config: PatchConfig, count: int, *, rng: np.random.Generator) -> MarsProblems:
    """Problems on synthetic terrain."""
    tiles = synthetic_tiles(config, count, seed=int(rng.integers(2**32)))
    return sample_from_tiles(tiles, count, config, rng=rng)[0]


def synthetic_tiles(
    config: PatchConfig, count: int, *, seed: int | tuple[int, ...]
) -> Callable[[], Iterator[Terrain]]:
    """A function that gives synthetic terrain for ``count`` problems, the same with each call."""
    synthetic = SyntheticConfig(side=max(1024, 4 * config.side))
    terrains = -(-count * config.side**2 // synthetic.side**2)
    return lambda: synthetic_terrains(terrains, rng=np.random.default_rng(seed), config=synthetic)


def sample_from_tiles(
    tiles: Callable[[], Iterable[Terrain]],
    count: int,
    config: PatchConfig,
    *,
    rng: np.random.Generator,
    watch: Callable[[Terrain], None] = lambda terrain: None,
) -> tuple[MarsProblems, PatchCounts]:
    """Problems on usable patches of all tiles, each equally likely, and the counts of all patches.

    Patches lie at least ``config.stride`` pixels apart; where these are too few, the tiles are read again with half
    the stride. Only the patches that may be kept are held in memory.
    """
    if count < 1:
        raise InputError(f"expected at least 1 problem, got {count}.")
    stride = config.stride
    while True:
        problems, counts = _reservoir(tiles, count, config, stride, rng, watch)
        if problems is not None and len(problems) == count:
            return problems, counts
        if counts.usable == 0 or stride == 1:
            raise InputError(f"expected terrain for {count:,} problems, got {counts}.")
        stride = max(1, stride // 2)


def _reservoir(
    tiles: Callable[[], Iterable[Terrain]],
    count: int,
    config: PatchConfig,
    stride: int,
    rng: np.random.Generator,
    watch: Callable[[Terrain], None],
) -> tuple[MarsProblems | None, PatchCounts]:
    """Every patch gets a random key, and those with the lowest keys are kept."""
    kept: list[MarsProblems] = []
    keys, first_block, counts = np.zeros(0), 0, PatchCounts(stride)
    for terrain in tiles():
        watch(terrain)
        corners, found = find_patches(terrain, whole_region(terrain), config, stride)
        drawn = rng.random(len(corners))
        good = drawn < (np.partition(keys, count - 1)[count - 1] if len(keys) >= count else np.inf)
        kept += problems_at(terrain, corners[good], config, first_block=first_block, rng=rng)
        keys = np.concatenate([keys, drawn[good]])
        if len(keys) > 2 * count:  # not at every tile: it copies all that is kept
            kept, keys = _lowest(kept, keys, count)
        first_block += count_blocks(terrain, config)
        counts += found
    kept, _ = _lowest(kept, keys, count)
    return (kept[0] if kept else None), counts


def _lowest(kept: list[MarsProblems], keys: np.ndarray, count: int) -> tuple[list[MarsProblems], np.ndarray]:
    """The problems with the lowest keys, in the order of these."""
    order = np.argsort(keys)[:count]
    return ([concatenate(kept)[order]] if kept else []), keys[order]

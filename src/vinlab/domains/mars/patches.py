"""Patches of terrain: where they lie, which of their cells are blocked, and which of them make a problem."""

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from operator import add
from typing import Final

import numpy as np
from jaxtyping import Bool, Float32, Int64

from vinlab.domains.gridworld.problem import random_cells
from vinlab.domains.mars.terrain import Terrain
from vinlab.types import CELL, InputError

PatchCorners = Int64[np.ndarray, "N 2"]
"""The upper left pixel of each patch."""

CHUNK = 4096
"""Patches that are processed together."""


@dataclass(frozen=True)
class PatchConfig:
    """How patches are cut from terrain, and which of them make a problem."""

    side: int = 128
    """Pixels along each edge of a patch."""
    cell: int = CELL
    """Pixels along each edge of a cell; a move leads from one cell to the next."""
    threshold: float = 10.0
    """Degrees; a cell is blocked if any of its pixels is at least as steep."""
    stride: int = 8
    """Pixels between neighbouring patches; it is halved until there are enough of them."""
    min_free: int = 60
    """Cells of the connected free region that a problem needs; start and goal lie in one."""
    min_blocked: float = 0.05
    """Patches with a smaller share of blocked cells are skipped: they have nothing to avoid."""
    max_blocked: float = 0.75
    """Patches with a larger share of blocked cells are skipped."""

    def __post_init__(self) -> None:
        if self.cell < 1 or self.side < self.cell or self.side % self.cell:
            raise InputError(
                f"expected a side that is a multiple of cell, got side {self.side} and cell {self.cell}."
            )
        if not 0 < self.threshold < 90:
            raise InputError(f"expected a threshold between 0 and 90 degrees, got {self.threshold}.")
        if self.stride < 1 or self.min_free < 2 or not 0 <= self.min_blocked <= self.max_blocked <= 1:
            raise InputError(
                "expected a stride of at least 1, min_free of at least 2 and 0 <= min_blocked <= max_blocked <= 1, "
                f"got {self}."
            )

    @property
    def cells(self) -> int:
        """Cells along each edge of a patch."""
        return self.side // self.cell


PAPER_PATCHES: Final = PatchConfig()
"""128 x 128 pixels, 16 x 16 cells, blocked at 10 degrees."""


@dataclass(frozen=True)
class Region:
    """A rectangle of one terrain, from which whole patches may be cut."""

    terrain: int
    top: int
    left: int
    bottom: int
    right: int


def whole_region(terrain: Terrain, index: int = 0) -> Region:
    """All of a terrain."""
    return Region(index, 0, 0, *terrain.image.shape)


@dataclass(frozen=True)
class PatchCounts:
    """How many patches some terrain has, and why some of them make no problem."""

    stride: int
    positions: int = 0
    unknown: int = 0
    """Not wholly covered by image and slope."""
    too_open: int = 0
    too_blocked: int = 0
    no_region: int = 0
    """No connected free region that is large enough."""
    usable: int = 0

    def __add__(self, other: "PatchCounts") -> "PatchCounts":
        (stride, *ours), (_, *theirs) = astuple(self), astuple(other)
        return PatchCounts(stride, *map(add, ours, theirs))

    def __str__(self) -> str:
        return (
            f"{self.usable:,} of {self.positions:,} patches usable (stride {self.stride}; {self.unknown:,} "
            f"with gaps, {self.too_open:,} too open, {self.too_blocked:,} too blocked, {self.no_region:,} "
            "without a large free region)"
        )


def find_patches(
    terrain: Terrain, region: Region, config: PatchConfig, stride: int
) -> tuple[PatchCorners, PatchCounts]:
    """The corners of all usable patches of a region, and the counts of all."""
    rows = np.arange(region.top, region.bottom - config.side + 1, stride)
    cols = np.arange(region.left, region.right - config.side + 1, stride)
    corners = np.stack(np.meshgrid(rows, cols, indexing="ij"), axis=-1).reshape(-1, 2).astype(np.int64)
    positions = len(corners)
    if not positions:
        return corners, PatchCounts(stride)
    corners = corners[_wholly_known(terrain, corners, config.side)]
    share, largest = _describe(terrain, corners, config)
    too_open, too_blocked = share < config.min_blocked, share > config.max_blocked
    no_region = ~too_open & ~too_blocked & (largest < config.min_free)
    usable = corners[~(too_open | too_blocked | no_region)]
    too_few = (int(kind.sum()) for kind in (too_open, too_blocked, no_region))
    return usable, PatchCounts(stride, positions, positions - len(corners), *too_few, usable=len(usable))


def _wholly_known(terrain: Terrain, corners: np.ndarray, side: int) -> np.ndarray:
    """Which patches have no gap, by a summed-area table."""
    gaps = np.zeros(np.add(terrain.slope.shape, 1), np.int64)
    np.cumsum(np.cumsum(~terrain.known, axis=0), axis=1, out=gaps[1:, 1:])
    top, left = corners.T
    bottom, right = top + side, left + side
    return gaps[bottom, right] - gaps[top, right] - gaps[bottom, left] + gaps[top, left] == 0


def _describe(terrain: Terrain, corners: np.ndarray, config: PatchConfig) -> tuple[np.ndarray, np.ndarray]:
    """The share of blocked cells of each patch, and the cells of its largest free region."""
    shares, largest = [], []
    for obstacles in cell_maps(terrain, corners, config):
        shares.append(obstacles.mean(axis=(1, 2)))
        largest.append(free_regions(obstacles)[1].max(axis=(1, 2)))
    return np.concatenate(shares or [np.zeros(0)]), np.concatenate(largest or [np.zeros(0)])


def cut(raster: np.ndarray, corners: PatchCorners, side: int, step: int = 1) -> Iterator[np.ndarray]:
    """The squares with the given upper left corners, every ``step``-th pixel of them, in chunks."""
    offsets = np.arange(0, side, step)
    for first in range(0, len(corners), CHUNK):
        rows, cols = (corners[first : first + CHUNK, axis, None] + offsets for axis in (0, 1))
        yield raster[rows[:, :, None], cols[:, None, :]]


def cell_maps(
    terrain: Terrain, corners: PatchCorners, config: PatchConfig
) -> Iterator[Bool[np.ndarray, "n H W"]]:
    """The blocked cells of each patch, in chunks."""
    from scipy.ndimage import maximum_filter

    # Each pixel holds the value of the cell whose upper left corner it is.
    steep = maximum_filter(terrain.slope >= config.threshold, size=config.cell, origin=-(config.cell // 2))
    return cut(steep, corners, config.side, config.cell)


def blocked_cells(
    slope: Float32[np.ndarray, "N h w"], *, cell: int = CELL, threshold: float
) -> Bool[np.ndarray, "N H W"]:
    """Which cells hold a pixel at or above the threshold; pixels of unknown slope block nothing."""
    count, height, width = slope.shape
    tiles = (slope >= threshold).reshape(count, height // cell, cell, width // cell, cell)
    return np.logical_or.reduce(tiles, axis=(2, 4))


def free_regions(
    obstacles: Bool[np.ndarray, "N H W"],
) -> tuple[Int64[np.ndarray, "N H W"], Int64[np.ndarray, "N H W"]]:
    """For each cell the label of its free region, from 1 on, and the size of that region; 0 if blocked.

    Cells that meet at a corner are connected.
    """
    from vinlab.domains.mars.terrain.kernels import label_regions

    return label_regions(obstacles)


def random_ends(
    obstacles: Bool[np.ndarray, "N H W"], min_free: int, rng: np.random.Generator
) -> tuple[Int64[np.ndarray, "N 2"], Int64[np.ndarray, "N 2"]]:
    """A start and another cell as goal, both in one free region of at least ``min_free`` cells."""
    labels, sizes = free_regions(obstacles)
    goals, _ = random_cells(sizes >= min_free, rng)
    at_goals = np.arange(len(obstacles)), goals[:, 0], goals[:, 1]
    others = labels == labels[at_goals][:, None, None]
    others[at_goals] = False
    return random_cells(others, rng)[0], goals


def block_ids(terrain: Terrain, corners: PatchCorners, config: PatchConfig) -> Int64[np.ndarray, " N"]:
    """Which tile of the terrain, as large as a patch, holds the centre of each patch."""
    tile = (corners + config.side // 2) // config.side
    return tile[:, 0] * -(-terrain.image.shape[1] // config.side) + tile[:, 1]


def count_blocks(terrain: Terrain, config: PatchConfig) -> int:
    """Tiles as large as a patch, those that the terrain fills in part included."""
    height, width = terrain.image.shape
    return -(-height // config.side) * -(-width // config.side)

"""Patches of ground as tasks: cells that are too steep are blocked, and some of the free ones can be crossed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, Int64, UInt8

from vinlab.domains.mars.terrain import Terrain
from vinlab.types import GridProblems, InputError

CHUNK = 4096
"""So many patches are looked at together."""


@dataclass(frozen=True)
class PatchConfig:
    """How patches are cut from the ground, and which of them make a task."""

    side: int = 128
    """Pixels along each edge of a patch."""
    cell: int = 8
    """Pixels along each edge of a cell; a cell is what one move crosses."""
    threshold: float = 10.0
    """Degrees; a cell is blocked if any pixel of it is at least so steep."""
    stride: int = 8
    """Pixels between neighbouring patches; where they are too few, it is halved until they are enough."""
    min_free: int = 60
    """A task needs a connected free region of so many cells; start and goal lie in one."""
    min_blocked: float = 0.05
    """Patches with a smaller share of blocked cells have nothing to avoid and are skipped."""
    max_blocked: float = 0.75
    """Patches with a larger share of blocked cells are skipped."""

    def __post_init__(self) -> None:
        if self.cell < 1 or self.side < self.cell or self.side % self.cell:
            raise InputError(
                f"side must be a multiple of cell, but side is {self.side} and cell {self.cell}."
            )
        if not 0 < self.threshold < 90:
            raise InputError(f"threshold must lie between 0 and 90 degrees, but {self.threshold} came.")
        if self.stride < 1 or self.min_free < 2 or not 0 <= self.min_blocked <= self.max_blocked <= 1:
            raise InputError(
                "stride must be at least 1, min_free at least 2, and 0 <= min_blocked <= max_blocked <= 1, "
                f"but {self} came."
            )

    @property
    def cells(self) -> int:
        """Cells along each edge of a patch."""
        return self.side // self.cell


@dataclass(frozen=True)
class MarsProblems:
    """Tasks on patches of ground; a network sees the images, the judge also the obstacles."""

    images: UInt8[np.ndarray, "N h w"]
    obstacles: Bool[np.ndarray, "N H W"]
    """True where a cell is too steep."""
    starts: Int64[np.ndarray, "N 2"]
    """Row and column of a cell, as in the goals."""
    goals: Int64[np.ndarray, "N 2"]
    block_ids: Int64[np.ndarray, " N"]
    """Which tile of ground, as large as a patch, holds the middle of each patch: patches of one block are akin."""

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, chosen: slice | np.ndarray) -> "MarsProblems":
        return MarsProblems(
            self.images[chosen],
            self.obstacles[chosen],
            self.starts[chosen],
            self.goals[chosen],
            self.block_ids[chosen],
        )

    @property
    def grid(self) -> GridProblems:
        """The tasks as grid-world problems, for its expert, its world and its measures."""
        return GridProblems(self.obstacles.astype(np.uint8), self.starts, self.goals)


def concatenate(parts: Iterable[MarsProblems]) -> MarsProblems:
    """Problems of one size, one after the other."""
    parts = list(parts)
    names = ("images", "obstacles", "starts", "goals", "block_ids")
    return MarsProblems(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True)
class Region:
    """A rectangle of one terrain, from which whole patches may be cut."""

    terrain: int
    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True)
class PatchCounts:
    """How many patches there are in some ground, and why some of them make no task."""

    stride: int
    positions: int
    unknown: int
    """Not wholly covered by image and slope."""
    too_open: int
    too_blocked: int
    no_region: int
    """No connected free region that is large enough."""
    usable: int

    def __add__(self, other: "PatchCounts") -> "PatchCounts":
        names = ("positions", "unknown", "too_open", "too_blocked", "no_region", "usable")
        return PatchCounts(self.stride, *(getattr(self, name) + getattr(other, name) for name in names))

    def __str__(self) -> str:
        return (
            f"{self.usable:,} of {self.positions:,} patches usable (stride {self.stride}; {self.unknown:,} "
            f"with gaps, {self.too_open:,} too open, {self.too_blocked:,} too blocked, {self.no_region:,} "
            "without a large free region)"
        )


def blocked_cells(
    slope: Float32[np.ndarray, "N h w"], *, cell: int, threshold: float
) -> Bool[np.ndarray, "N H W"]:
    """Which cells hold a pixel at or above the threshold; pixels of unknown slope block nothing."""
    count, height, width = slope.shape
    tiles = (slope >= threshold).reshape(count, height // cell, cell, width // cell, cell)
    return np.logical_or.reduce(tiles, axis=(2, 4))


def cut(
    raster: np.ndarray, corners: Int64[np.ndarray, "N 2"], side: int, step: int = 1
) -> Iterator[np.ndarray]:
    """The squares whose upper left corners are given, every ``step``-th pixel of them, some at a time."""
    offsets = np.arange(0, side, step)
    for first in range(0, len(corners), CHUNK):
        rows, cols = (corners[first : first + CHUNK, axis, None] + offsets for axis in (0, 1))
        yield raster[rows[:, :, None], cols[:, None, :]]


def find_patches(
    terrain: Terrain, region: Region, config: PatchConfig, stride: int
) -> tuple[Int64[np.ndarray, "N 2"], PatchCounts]:
    """The corners of all usable patches of a region, and the census of all."""
    corners = _lattice(region, config.side, stride)
    positions = len(corners)
    if not positions:
        return corners, PatchCounts(stride, 0, 0, 0, 0, 0, 0)
    corners = corners[_wholly_known(terrain, corners, config.side)]
    share, largest = _describe(terrain, corners, config)
    too_open, too_blocked = share < config.min_blocked, share > config.max_blocked
    no_region = ~too_open & ~too_blocked & (largest < config.min_free)
    usable = corners[~(too_open | too_blocked | no_region)]
    return usable, PatchCounts(
        stride,
        positions,
        unknown=positions - len(corners),
        too_open=int(too_open.sum()),
        too_blocked=int(too_blocked.sum()),
        no_region=int(no_region.sum()),
        usable=len(usable),
    )


def _lattice(region: Region, side: int, stride: int) -> np.ndarray:
    rows = np.arange(region.top, region.bottom - side + 1, stride)
    cols = np.arange(region.left, region.right - side + 1, stride)
    return np.stack(np.meshgrid(rows, cols, indexing="ij"), axis=-1).reshape(-1, 2).astype(np.int64)


def _wholly_known(terrain: Terrain, corners: np.ndarray, side: int) -> np.ndarray:
    """Which patches have no gap, by sums over rectangles."""
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


def cell_maps(
    terrain: Terrain, corners: Int64[np.ndarray, "N 2"], config: PatchConfig
) -> Iterator[Bool[np.ndarray, "n H W"]]:
    """The blocked cells of each patch, some patches at a time."""
    from scipy.ndimage import maximum_filter

    # What each pixel holds is true of the cell whose upper left corner it is.
    steep = maximum_filter(terrain.slope >= config.threshold, size=config.cell, origin=-(config.cell // 2))
    return cut(steep, corners, config.side, config.cell)


def free_regions(
    obstacles: Bool[np.ndarray, "N H W"],
) -> tuple[Int64[np.ndarray, "N H W"], Int64[np.ndarray, "N H W"]]:
    """For each cell which free region of its patch it is in, from 1 on, and how many cells that has; 0 if blocked.

    Cells that meet at a corner are connected.
    """
    from vinlab.domains.mars.terrain.kernels import label_regions

    return label_regions(obstacles)

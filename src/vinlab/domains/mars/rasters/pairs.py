"""An image and the elevation or slope of the same ground, brought onto one grid and read by windows."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.mars.rasters.reader import Greys, Raster, greys_of, open_raster
from vinlab.domains.mars.rasters.slope import (
    Elevation,
    Grid,
    SlopeMap,
    Steepness,
    averages,
    bounds_in,
    own_grid,
    slope_on,
)
from vinlab.domains.mars.terrain import Terrain
from vinlab.types import InputError

SAME_SHAPE = 0.01
"""Rasters without coordinates cover the same ground only if their sides agree to this share."""
MOST_PIXELS = 100_000_000
"""Larger rasters are read in tiles."""


@dataclass(frozen=True)
class TerrainFiles:
    """Which files show a piece of ground, and what they do not say about themselves."""

    image: Path
    elevation: Path | None = None
    """Metres; either this or ``slope``."""
    slope: Path | None = None
    """Degrees, or whole numbers of ``scale`` degrees each."""
    scale: tuple[float, ...] | None = None
    """With an elevation the metres between its posts, (down, along) or one number for both; with a slope the
    degrees of each step. Needed only where the file does not say."""
    pixel: float | None = None
    """Metres of a pixel of the result, by averaging; that of the image if None."""
    nodata: float | None = None
    """The value of the image that shows nothing, where the file does not say."""

    def __post_init__(self) -> None:
        if (self.elevation is None) == (self.slope is None):
            raise InputError("Either an elevation or a slope is wanted beside the image, and not both.")
        if self.scale is not None and not all(0 < number < np.inf for number in self.scale):
            raise InputError(f"The scale must be positive, but {', '.join(map(str, self.scale))} came.")


@dataclass(frozen=True)
class Pair:
    """Two open rasters of the same ground on one grid, that of the image."""

    image: Raster
    greys: Greys
    steepness: Steepness
    grid: Grid
    factor: float
    """Image pixels along a pixel of the grid."""
    overlap: Any
    """The window of the grid in which both rasters lie."""
    notes: tuple[str, ...]

    def read(self, window: Any) -> Terrain:
        """The terrain in a window of the grid."""
        from rasterio.windows import Window

        edges = (window.col_off, window.row_off, window.width, window.height)
        there = window if self.factor == 1 else Window(*(edge * self.factor for edge in edges))  # pyright: ignore
        image, known = self.greys.read(self.image, there, (window.height, window.width))
        slope = slope_on(self.steepness, self.grid, window)
        name = f"{self.image.path.stem} at row {window.row_off}, column {window.col_off}"
        return Terrain(image, np.where(known, slope, np.nan).astype(np.float32), name, self.notes)


@contextmanager
def open_pair(files: TerrainFiles) -> Iterator[Pair]:
    """The image and its elevation or slope, opened and brought onto one grid."""
    with ExitStack() as open_files:
        image = open_files.enter_context(open_raster(files.image))
        other = open_files.enter_context(open_raster(files.elevation or files.slope))  # pyright: ignore
        image, other, placing = _placed(image, other)
        steepness, measuring = _steepness(other, files)
        greys, seeing = greys_of(image, files.nodata)
        grid, factor = _target(image, steepness, files.pixel)
        notes = (*placing, *seeing, *measuring, *_resampling(steepness, grid, factor))
        yield Pair(image, greys, steepness, grid, factor, _overlap(grid, image, other), notes)


def read_terrain(files: TerrainFiles) -> Terrain:
    """All the ground that both files cover."""
    with open_pair(files) as pair:
        if pair.overlap.height * pair.overlap.width > MOST_PIXELS:
            raise InputError(
                f"{files.image} and its companion share {pair.overlap.height} x {pair.overlap.width} pixels, more "
                "than are read at once; read them in tiles (terrain_tiles)."
            )
        terrain = pair.read(pair.overlap)
        return _require_known(replace(terrain, name=files.image.stem))


def terrain_tiles(files: TerrainFiles, *, side: int = 2048) -> Iterator[Terrain]:
    """The ground that both files cover, tile by tile, however large they are; tiles without any data are left out."""
    from rasterio.windows import Window

    with open_pair(files) as pair:
        whole, found = pair.overlap, False
        for top in range(whole.row_off, whole.row_off + whole.height, side):
            for left in range(whole.col_off, whole.col_off + whole.width, side):
                width = min(side, whole.col_off + whole.width - left)
                height = min(side, whole.row_off + whole.height - top)
                terrain = pair.read(Window(left, top, width, height))  # pyright: ignore
                if terrain.known.any():
                    found = True
                    yield terrain
        if not found:
            raise InputError(_nothing_known(files.image))


def _require_known(terrain: Terrain) -> Terrain:
    if not terrain.known.any():
        raise InputError(_nothing_known(terrain.name))
    return terrain


def _nothing_known(name: Any) -> str:
    return f"No pixel of {name} has both an image and a slope: one of the two is without data everywhere."


def _placed(image: Raster, other: Raster) -> tuple[Raster, Raster, tuple[str, ...]]:
    """Both rasters with places that can be compared; without coordinates they must cover the same ground."""
    if image.crs and other.crs:
        return image, other, ()
    down, along = (theirs / ours for theirs, ours in zip(other.shape, image.shape, strict=True))
    if abs(down / along - 1) > SAME_SHAPE:
        raise InputError(
            f"{image.path.name} ({image.shape[0]} x {image.shape[1]} pixels) and {other.path.name} "
            f"({other.shape[0]} x {other.shape[1]}) cannot be brought together: one has no coordinates, and "
            "their sides do not fit."
        )
    from rasterio import Affine

    note = f"{image.path.name} and {other.path.name} were taken to cover the same ground, corner to corner."
    if image.crs:
        there = _scaled(image.transform, 1 / down, 1 / along)
        return image, replace(other, transform=there, crs=image.crs), (note,)
    own = other.transform if other.crs else Affine.identity()
    there = _scaled(own, down, along)
    return replace(image, transform=there, crs=other.crs), replace(other, transform=own), (note,)


def _scaled(transform: Any, down: float, along: float) -> Any:
    """The same corner with pixels that are so many times as high and wide."""
    from rasterio import Affine

    return Affine(transform.a * along, 0.0, transform.c, 0.0, transform.e * down, transform.f)


def _steepness(raster: Raster, files: TerrainFiles) -> tuple[Steepness, tuple[str, ...]]:
    if files.slope is not None:
        return _slope_map(raster, files.scale)
    name, there = raster.path.name, raster.transform
    if files.scale is not None:
        down, along = files.scale[0], files.scale[-1]
        unit = down / abs(there.e), along / abs(there.a)
        return Elevation(raster, unit), (f"Posts of {name} are {down:g} m x {along:g} m apart, as given.",)
    if raster.crs is None:
        raise InputError(
            f"{raster.path} does not say how far apart its posts are; give the scale, the metres between them."
        )
    spacing = own_grid(raster).spacing(np.array([raster.shape[0] // 2]), None)
    return Elevation(raster, None), (f"Posts of {name} are {spacing} apart, by its map and latitude.",)


def _slope_map(raster: Raster, scale: tuple[float, ...] | None) -> tuple[Steepness, tuple[str, ...]]:
    whole_numbers = np.dtype(raster.file.dtypes[0]).kind != "f" and raster.file.scales[0] == 1
    if whole_numbers and scale is None:
        raise InputError(
            f"{raster.path} holds whole numbers of an unknown scale; give the scale, the degrees of each step."
        )
    unit = None if raster.crs else (1.0, 1.0)
    factor = 1.0 if scale is None else scale[0]
    return SlopeMap(raster, unit, factor), (
        f"{raster.path.name} holds slopes, {factor:g} degrees each step.",
    )


def _target(image: Raster, steepness: Steepness, pixel: float | None) -> tuple[Grid, float]:
    """The grid of the result, and how many image pixels one of its pixels is wide."""
    own = own_grid(image)
    if pixel is None:
        return own, 1.0
    if image.crs is None and isinstance(steepness, SlopeMap):
        raise InputError("pixel needs a scale in metres, but neither the image nor the slope has one.")
    spacing = own.spacing(np.array([own.height // 2]), steepness.unit).down[0]
    factor = round(pixel / spacing, 3)
    if not 1 <= factor < min(image.shape):
        raise InputError(
            f"pixel must be at least {spacing:.3g} m, that of {image.path.name}, and leave some pixels, but "
            f"{pixel:g} came."
        )
    rows, cols = (int(side / factor) for side in image.shape)
    return Grid(_scaled(own.transform, factor, factor), own.crs, rows, cols), factor


def _resampling(steepness: Steepness, grid: Grid, factor: float) -> tuple[str, ...]:
    words = () if factor == 1 else (f"The image was averaged, {factor:.3g} pixels to one along each side.",)
    if averages(steepness, grid):
        return (
            *words,
            f"{steepness.raster.path.name} is finer than the image and was averaged to its pixels.",
        )
    return words


def _overlap(grid: Grid, image: Raster, other: Raster) -> Any:
    """The window of the grid that the other raster covers too."""
    from rasterio.windows import Window

    theirs = own_grid(other)
    everything = Window(0, 0, theirs.width, theirs.height)  # pyright: ignore
    left, top, right, bottom = bounds_in(grid, theirs, everything)
    first_row, first_col = max(0, round(top)), max(0, round(left))
    last_row, last_col = min(grid.height, round(bottom)), min(grid.width, round(right))
    if first_row >= last_row or first_col >= last_col:
        raise InputError(
            f"{image.path.name} and {other.path.name} do not overlap: the one covers {_extent(own_grid(image))}, the "
            f"other {_extent(theirs)}."
        )
    return Window(first_col, first_row, last_col - first_col, last_row - first_row)  # pyright: ignore


def _extent(grid: Grid) -> str:
    there = grid.transform
    east, south = there.c + there.a * grid.width, there.f + there.e * grid.height
    return f"x {there.c:.10g} to {east:.10g}, y {there.f:.10g} to {south:.10g}"

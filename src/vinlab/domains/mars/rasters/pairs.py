"""An image and the elevation or slope of the same terrain, brought onto one grid and read by windows."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.mars.rasters.grid import Grid, bounds_in, grid_of, make_window
from vinlab.domains.mars.rasters.reader import Greys, Raster, greys_of, import_rasterio, open_raster
from vinlab.domains.mars.rasters.slope import SlopeSource, is_finer, slope_on
from vinlab.domains.mars.terrain import Terrain
from vinlab.types import InputError

SAME_SHAPE = 0.01
"""Rasters without coordinates cover the same terrain only if their sides agree to this share."""
MOST_PIXELS = 100_000_000
"""Larger rasters are read in tiles."""


@dataclass(frozen=True)
class TerrainFiles:
    """The files that show a piece of terrain, and what they do not declare themselves."""

    image: Path
    elevation: Path | None = None
    """Metres; either this or ``slope``."""
    slope: Path | None = None
    """Degrees, or whole numbers in steps of ``slope_step`` degrees."""
    post_spacing: tuple[float, ...] | None = None
    """Metres between the posts of the elevation, (down, along) or one number for both, where it does not declare
    them."""
    slope_step: float | None = None
    """Degrees of each step of the slope, where it holds whole numbers."""
    pixel_size: float | None = None
    """Metres of a pixel of the result, by averaging; that of the image if None."""
    nodata: float | None = None
    """The value of the image that marks missing data, where the file does not declare it."""

    def __post_init__(self) -> None:
        if (self.elevation is None) == (self.slope is None):
            given = "neither" if self.elevation is None else "both"
            raise InputError(f"expected either an elevation or a slope beside the image, got {given}.")
        if self.post_spacing is not None and self.elevation is None:
            raise InputError("expected a post spacing with an elevation only, got one with a slope.")
        if self.slope_step is not None and self.slope is None:
            raise InputError("expected a slope step with a slope only, got one with an elevation.")
        given = (*(self.post_spacing or ()), *([] if self.slope_step is None else [self.slope_step]))
        if not all(0 < number < np.inf for number in given):
            raise InputError(
                f"expected a positive post spacing or slope step, got {', '.join(map(str, given))}."
            )


@dataclass(frozen=True)
class Pair:
    """Two open rasters of the same terrain on one grid, that of the image."""

    image: Raster
    greys: Greys
    slope: SlopeSource
    grid: Grid
    factor: float
    """Image pixels along a pixel of the grid."""
    overlap: Any
    """The window of the grid in which both rasters lie."""
    notes: tuple[str, ...]

    def read(self, window: Any) -> Terrain:
        """The terrain in a window of the grid."""
        edges = (window.col_off, window.row_off, window.width, window.height)
        there = window if self.factor == 1 else make_window(*(edge * self.factor for edge in edges))
        image, known = self.greys.read(self.image, there, (window.height, window.width))
        slope = slope_on(self.slope, self.grid, window)
        name = f"{self.image.path.stem} at row {window.row_off}, column {window.col_off}"
        return Terrain(image, np.where(known, slope, np.nan).astype(np.float32), name, self.notes)


@contextmanager
def open_pair(files: TerrainFiles) -> Iterator[Pair]:
    """The image and its elevation or slope, opened and brought onto one grid."""
    with ExitStack() as open_files:
        image = open_files.enter_context(open_raster(files.image))
        other = open_files.enter_context(open_raster(files.elevation or files.slope))  # pyright: ignore
        image, other, placing = _placed(image, other)
        slope, measuring = _slope_source(other, files)
        greys, seeing = greys_of(image, files.nodata)
        grid, factor = _target(image, slope, files.pixel_size)
        notes = (*placing, *seeing, *measuring, *_resampling(slope, grid, factor))
        yield Pair(image, greys, slope, grid, factor, _overlap(grid, image, other), notes)


def read_terrain(files: TerrainFiles) -> Terrain:
    """All the terrain that both files cover."""
    with open_pair(files) as pair:
        if pair.overlap.height * pair.overlap.width > MOST_PIXELS:
            raise InputError(
                f"{files.image}: expected at most {MOST_PIXELS:,} pixels to read at once, got {pair.overlap.height} x "
                f"{pair.overlap.width}; read them in tiles (terrain_tiles)."
            )
        terrain = replace(pair.read(pair.overlap), name=files.image.stem)
    _require_known(terrain.known.any(), terrain.name)
    return terrain


def terrain_tiles(files: TerrainFiles, *, side: int = 2048) -> Iterator[Terrain]:
    """The terrain that both files cover, tile by tile; tiles without any data are left out."""
    with open_pair(files) as pair:
        whole, found = pair.overlap, False
        for top in range(whole.row_off, whole.row_off + whole.height, side):
            for left in range(whole.col_off, whole.col_off + whole.width, side):
                width = min(side, whole.col_off + whole.width - left)
                height = min(side, whole.row_off + whole.height - top)
                terrain = pair.read(make_window(left, top, width, height))
                if terrain.known.any():
                    found = True
                    yield terrain
        _require_known(found, files.image)


def _require_known(found: bool | np.bool_, name: Any) -> None:
    if not found:
        raise InputError(f"{name}: expected pixels with both an image and a slope, got none.")


def _placed(image: Raster, other: Raster) -> tuple[Raster, Raster, tuple[str, ...]]:
    """Both rasters with places on one map; without coordinates they must cover the same terrain."""
    if image.crs and other.crs:
        return image, other, ()
    down, along = (theirs / ours for theirs, ours in zip(other.shape, image.shape, strict=True))
    if abs(down / along - 1) > SAME_SHAPE:
        raise InputError(
            f"expected rasters with coordinates or with the same proportions, got {image.path.name} of "
            f"{image.shape[0]} x {image.shape[1]} and {other.path.name} of {other.shape[0]} x {other.shape[1]} pixels."
        )
    note = f"{image.path.name} and {other.path.name} are assumed to cover the same terrain, corner to corner."
    if image.crs:
        there = _scaled(image.transform, 1 / down, 1 / along)
        return image, replace(other, transform=there, crs=image.crs), (note,)
    own = other.transform if other.crs else import_rasterio().Affine.identity()
    there = _scaled(own, down, along)
    return replace(image, transform=there, crs=other.crs), replace(other, transform=own), (note,)


def _scaled(transform: Any, down: float, along: float) -> Any:
    """The same corner with pixels that are ``down`` times as high and ``along`` times as wide."""
    affine = import_rasterio().Affine
    return affine(transform.a * along, 0.0, transform.c, 0.0, transform.e * down, transform.f)


def _slope_source(raster: Raster, files: TerrainFiles) -> tuple[SlopeSource, tuple[str, ...]]:
    if files.slope is not None:
        return _slope_map(raster, files.slope_step)
    name, there = raster.path.name, raster.transform
    if files.post_spacing is not None:
        down, along = files.post_spacing[0], files.post_spacing[-1]
        unit = down / abs(there.e), along / abs(there.a)
        return SlopeSource(raster, unit), (f"Posts of {name} are {down:g} m x {along:g} m apart, as given.",)
    if raster.crs is None:
        raise InputError(
            f"{raster.path}: expected coordinates, or a post spacing in metres (--post-spacing), got neither."
        )
    spacing = grid_of(raster).spacing(np.array([raster.shape[0] // 2]), None)
    return SlopeSource(raster, None), (f"Posts of {name} are {spacing} apart, by its map and latitude.",)


def _slope_map(raster: Raster, step: float | None) -> tuple[SlopeSource, tuple[str, ...]]:
    whole_numbers = np.dtype(raster.file.dtypes[0]).kind != "f" and raster.file.scales[0] == 1
    if whole_numbers and step is None:
        raise InputError(
            f"{raster.path}: expected slopes in degrees, or the degrees of a step (--slope-step), got whole numbers."
        )
    unit = None if raster.crs else (1.0, 1.0)
    factor = 1.0 if step is None else step
    note = f"{raster.path.name} holds slopes, {factor:g} degrees each step."
    return SlopeSource(raster, unit, factor), (note,)


def _target(image: Raster, slope: SlopeSource, pixel_size: float | None) -> tuple[Grid, float]:
    """The grid of the result, and how many image pixels one of its pixels is wide."""
    own = grid_of(image)
    if pixel_size is None:
        return own, 1.0
    if image.crs is None and slope.step is not None:
        raise InputError("expected an image or a slope with coordinates for a pixel size, got neither.")
    spacing = own.spacing(np.array([own.height // 2]), slope.unit).down[0]
    factor = round(pixel_size / spacing, 3)
    if not 1 <= factor < min(image.shape):
        raise InputError(
            f"expected a pixel size of at least {spacing:.3g} m, that of {image.path.name}, and below its sides, got "
            f"{pixel_size:g}."
        )
    rows, cols = (int(side / factor) for side in image.shape)
    return Grid(_scaled(own.transform, factor, factor), own.crs, rows, cols), factor


def _resampling(slope: SlopeSource, grid: Grid, factor: float) -> tuple[str, ...]:
    words = () if factor == 1 else (f"The image was averaged, {factor:.3g} pixels to one along each side.",)
    if is_finer(slope, grid):
        return (*words, f"{slope.raster.path.name} is finer than the image and was averaged to its pixels.")
    return words


def _overlap(grid: Grid, image: Raster, other: Raster) -> Any:
    """The window of the grid that the other raster covers too."""
    theirs = grid_of(other)
    everything = make_window(0, 0, theirs.width, theirs.height)
    left, top, right, bottom = bounds_in(grid, theirs, everything)
    first_row, first_col = max(0, round(top)), max(0, round(left))
    last_row, last_col = min(grid.height, round(bottom)), min(grid.width, round(right))
    if first_row >= last_row or first_col >= last_col:
        raise InputError(
            f"expected rasters that overlap, got {image.path.name} over {_extent(grid_of(image))} and "
            f"{other.path.name} over {_extent(theirs)}."
        )
    return make_window(first_col, first_row, last_col - first_col, last_row - first_row)


def _extent(grid: Grid) -> str:
    there = grid.transform
    east, south = there.c + there.a * grid.width, there.f + there.e * grid.height
    return f"x {there.c:.10g} to {east:.10g}, y {there.f:.10g} to {south:.10g}"

"""Rasters that tell how steep the ground is: elevation models and slope maps, read on the grid of an image."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float32

from vinlab.domains.mars.rasters.grid import Spacing, even_spacing, slope_degrees, true_spacing
from vinlab.domains.mars.rasters.reader import Raster, import_rasterio, in_unit, read_values, reading
from vinlab.types import InputError

FINER = 1.01
"""Posts are averaged where the image's pixels are wider than theirs by more than this factor."""
MARGIN = 2
"""Posts beyond a window that are read as well, so that slopes at its edge are those of the whole."""
STEEPEST = 90.0


@dataclass(frozen=True)
class Grid:
    """Rows and columns of pixels with north up, and where they lie."""

    transform: Any
    crs: Any
    """None where only the place relative to another raster is known."""
    height: int
    width: int

    def spacing(self, rows: np.ndarray, unit: tuple[float, float] | None) -> Spacing:
        """Metres between pixels in some rows; without a system of reference by the metres of a unit of the map."""
        if unit is None:
            return true_spacing(self.transform, self.crs, rows, self.width)
        return even_spacing(len(rows), unit[0] * abs(self.transform.e), unit[1] * abs(self.transform.a))


@dataclass(frozen=True)
class Elevation:
    """An elevation model in metres."""

    raster: Raster
    unit: tuple[float, float] | None
    """Metres of a unit of the map, down and along; None where the reference system knows better."""

    def degrees(self, values: np.ndarray, spacing: Spacing) -> Float32[np.ndarray, "h w"]:
        """The slope of the ground."""
        return slope_degrees(values, spacing)


@dataclass(frozen=True)
class SlopeMap:
    """A map whose numbers are slopes already, up to a factor."""

    raster: Raster
    unit: tuple[float, float] | None
    factor: float

    def degrees(self, values: np.ndarray, spacing: Spacing) -> Float32[np.ndarray, "h w"]:
        """The numbers in degrees."""
        slope = (values * self.factor).astype(np.float32)
        if (slope < 0).any() or (slope > STEEPEST).any():
            raise InputError(
                f"Slopes must lie between 0 and 90 degrees, but {self.raster.path} holds "
                f"{np.nanmin(slope):g} to {np.nanmax(slope):g} degrees at {self.factor:g} for each step."
            )
        return slope


Steepness = Elevation | SlopeMap


def slope_on(source: Steepness, target: Grid, window: Any) -> Float32[np.ndarray, "h w"]:
    """The slope in a window of the target grid, NaN where it is not known.

    It is taken at the wider of both spacings: finer posts are averaged first; from wider ones each pixel has the
    slope of the post that it lies on.
    """
    if averages(source, target):
        grown, inner = _grown(window, target)
        values = _averaged(source.raster, target, grown)
        return source.degrees(values, target.spacing(_rows(grown), source.unit))[inner]
    return _nearest(source, target, window)


def own_grid(raster: Raster) -> Grid:
    """The grid of a raster."""
    return Grid(raster.transform, raster.crs, *raster.shape)


def averages(source: Steepness, target: Grid) -> bool:
    """Whether the source is finer than the target."""
    own = own_grid(source.raster)
    here, there = (grid.spacing(np.array([grid.height // 2]), source.unit).down[0] for grid in (target, own))
    return bool(here > FINER * there)


def _nearest(source: Steepness, target: Grid, window: Any) -> np.ndarray:
    from rasterio.enums import Resampling
    from rasterio.warp import reproject
    from rasterio.windows import transform as transform_of

    own = own_grid(source.raster)
    part = _covering(own, target, window)
    slope = np.full((window.height, window.width), np.nan, np.float32)
    if part is None:
        return slope
    steep = source.degrees(read_values(source.raster, part), own.spacing(_rows(part), source.unit))
    with reading(source.raster.path):
        reproject(
            steep,
            slope,
            src_transform=transform_of(part, own.transform),
            src_crs=_system(own.crs),
            src_nodata=np.nan,
            dst_transform=transform_of(window, target.transform),
            dst_crs=_system(target.crs),
            dst_nodata=np.nan,
            resampling=Resampling.nearest,
        )
    return slope


def _averaged(raster: Raster, target: Grid, window: Any) -> np.ndarray:
    """The values of a finer raster in a window of the target grid."""
    from rasterio.enums import Resampling
    from rasterio.vrt import WarpedVRT

    with (
        reading(raster.path),
        WarpedVRT(
            raster.file,
            src_crs=_system(raster.crs),
            src_transform=raster.transform,
            crs=_system(target.crs),
            transform=target.transform,
            height=target.height,
            width=target.width,
            resampling=Resampling.average,
            add_alpha=raster.file.nodata is None,
        ) as warped,
    ):
        values = warped.read(1, window=window).astype(np.float32)
        known = warped.read_masks(1, window=window) != 0
    return in_unit(raster, values, known)


def _grown(window: Any, grid: Grid) -> tuple[Any, tuple[slice, slice]]:
    """The window with a margin as far as the grid goes, and where the window lies in it."""
    from rasterio.windows import Window

    top, left = max(0, window.row_off - MARGIN), max(0, window.col_off - MARGIN)
    bottom = min(grid.height, window.row_off + window.height + MARGIN)
    right = min(grid.width, window.col_off + window.width + MARGIN)
    row, col = window.row_off - top, window.col_off - left
    inner = slice(row, row + window.height), slice(col, col + window.width)
    return Window(left, top, right - left, bottom - top), inner  # pyright: ignore


def _covering(own: Grid, target: Grid, window: Any) -> Any:
    """The window of a raster that covers that of the target, with a margin; None if they do not meet."""
    left, top, right, bottom = bounds_in(own, target, window)
    first_row, first_col = max(0, int(top) - MARGIN), max(0, int(left) - MARGIN)
    last_row = min(own.height, int(np.ceil(bottom)) + MARGIN)
    last_col = min(own.width, int(np.ceil(right)) + MARGIN)
    if last_row - first_row < 2 or last_col - first_col < 2:
        return None
    from rasterio.windows import Window

    return Window(first_col, first_row, last_col - first_col, last_row - first_row)  # pyright: ignore


def bounds_in(own: Grid, target: Grid, window: Any) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a window of one grid in the pixels of another."""
    from rasterio.warp import transform_bounds
    from rasterio.windows import bounds

    west, south, east, north = bounds(window, target.transform)
    if own.crs != target.crs:
        systems = _system(target.crs), _system(own.crs)
        west, south, east, north = transform_bounds(*systems, west, south, east, north)
    there = own.transform
    cols = sorted(((west - there.c) / there.a, (east - there.c) / there.a))
    rows = sorted(((south - there.f) / there.e, (north - there.f) / there.e))
    return cols[0], rows[0], cols[1], rows[1]


def _rows(window: Any) -> np.ndarray:
    return np.arange(window.row_off, window.row_off + window.height)


def _system(crs: Any) -> Any:
    """The reference system; where there is none any does, as long as both rasters have the same."""
    import_rasterio()
    from rasterio.crs import CRS

    return crs or CRS.from_proj4("+proj=eqc +R=3396190 +units=m +no_defs")

"""Slopes from elevation models and slope maps, read on the grid of an image."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Float32

from vinlab.domains.mars.rasters.grid import Grid, Spacing, bounds_in, grid_of, make_window
from vinlab.domains.mars.rasters.reader import (
    NO_DATA,
    Raster,
    import_rasterio,
    read_values,
    reading,
    system_of,
    warped,
)
from vinlab.types import InputError

FINER = 1.01
"""Posts are averaged where the image's pixels are wider than theirs by more than this factor."""
MARGIN = 2
"""Posts beyond a window that are read as well, so that slopes at its edge are those of the whole."""
STEEPEST = 90.0


def slope_degrees(elevation: Float[np.ndarray, "h w"], spacing: Spacing) -> Float32[np.ndarray, "h w"]:
    """The slope at each post by central differences, at the border by one-sided ones.

    Posts without data, and those whose difference would need one, have no slope.
    """
    heights = np.where(np.abs(elevation) < NO_DATA, elevation, np.nan).astype(np.float64)
    if min(heights.shape) < 2:
        raise InputError(
            f"expected an elevation of at least 2 x 2 posts, got {heights.shape[0]} x {heights.shape[1]}."
        )
    down, along = np.gradient(heights)
    steepness = np.hypot(down / spacing.down[:, None], along / spacing.along[:, None])
    # A central difference does not use the post itself.
    steepness[np.isnan(heights)] = np.nan
    return np.degrees(np.arctan(steepness)).astype(np.float32)


@dataclass(frozen=True)
class SlopeSource:
    """An elevation model in metres, or a map of slopes."""

    raster: Raster
    unit: tuple[float, float] | None
    """Metres of a unit of the map, down and along; None where the reference system tells them."""
    step: float | None = None
    """Degrees of each step of a map of slopes; None for an elevation."""

    def degrees(self, values: np.ndarray, spacing: Spacing) -> Float32[np.ndarray, "h w"]:
        """The slope of the terrain, from values of the raster."""
        if self.step is None:
            return slope_degrees(values, spacing)
        slope = (values * self.step).astype(np.float32)
        if (slope < 0).any() or (slope > STEEPEST).any():
            raise InputError(
                f"{self.raster.path}: expected slopes between 0 and 90 degrees, got {np.nanmin(slope):g} to "
                f"{np.nanmax(slope):g} degrees at {self.step:g} for each step."
            )
        return slope


def slope_on(source: SlopeSource, target: Grid, window: Any) -> Float32[np.ndarray, "h w"]:
    """The slope in a window of the target grid, NaN where it is not known.

    It is computed at the wider of both spacings: finer posts are averaged first; from wider ones each pixel has the
    slope of the post that it lies on.
    """
    if is_finer(source, target):
        raster, (grown, inner) = source.raster, _grown(window, target)
        average = import_rasterio().enums.Resampling.average
        options = {"resampling": average, "add_alpha": raster.file.nodata is None}
        shape = (target.height, target.width)
        with reading(raster.path), warped(raster, target.crs, target.transform, shape, **options) as there:
            values = read_values(raster, grown, file=there)
        return source.degrees(values, target.spacing(_rows(grown), source.unit))[inner]
    return _nearest(source, target, window)


def is_finer(source: SlopeSource, target: Grid) -> bool:
    """Whether the posts of the source are closer than the pixels of the target, so that they are averaged."""
    own = grid_of(source.raster)
    here, there = (grid.spacing(np.array([grid.height // 2]), source.unit).down[0] for grid in (target, own))
    return bool(here > FINER * there)


def _nearest(source: SlopeSource, target: Grid, window: Any) -> np.ndarray:
    rasterio, own = import_rasterio(), grid_of(source.raster)
    part = _covering(own, target, window)
    slope = np.full((window.height, window.width), np.nan, np.float32)
    if part is None:
        return slope
    steep = source.degrees(read_values(source.raster, part), own.spacing(_rows(part), source.unit))
    with reading(source.raster.path):
        rasterio.warp.reproject(
            steep,
            slope,
            src_transform=rasterio.windows.transform(part, own.transform),
            src_crs=system_of(own.crs),
            src_nodata=np.nan,
            dst_transform=rasterio.windows.transform(window, target.transform),
            dst_crs=system_of(target.crs),
            dst_nodata=np.nan,
            resampling=rasterio.enums.Resampling.nearest,
        )
    return slope


def _grown(window: Any, grid: Grid) -> tuple[Any, tuple[slice, slice]]:
    """The window with a margin as far as the grid extends, and where the window lies in it."""
    top, left = max(0, window.row_off - MARGIN), max(0, window.col_off - MARGIN)
    bottom = min(grid.height, window.row_off + window.height + MARGIN)
    right = min(grid.width, window.col_off + window.width + MARGIN)
    row, col = window.row_off - top, window.col_off - left
    inner = slice(row, row + window.height), slice(col, col + window.width)
    return make_window(left, top, right - left, bottom - top), inner


def _covering(own: Grid, target: Grid, window: Any) -> Any:
    """The window of a raster that covers that of the target, with a margin; None if they do not overlap."""
    left, top, right, bottom = bounds_in(own, target, window)
    first_row, first_col = max(0, int(top) - MARGIN), max(0, int(left) - MARGIN)
    last_row = min(own.height, int(np.ceil(bottom)) + MARGIN)
    last_col = min(own.width, int(np.ceil(right)) + MARGIN)
    if last_row - first_row < 2 or last_col - first_col < 2:
        return None
    return make_window(first_col, first_row, last_col - first_col, last_row - first_row)


def _rows(window: Any) -> np.ndarray:
    return np.arange(window.row_off, window.row_off + window.height)

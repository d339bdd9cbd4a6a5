"""Geographic rasters as maps: GeoTIFF, read by rasterio (the extra ``geo``)."""

import io
import logging
import math
import warnings
from typing import Any

import numpy as np

from vinlab.maps.arrays import values_to_obstacles
from vinlab.maps.costs import MapValues, grade
from vinlab.maps.grid_map import GridMap, MapOptions, map_of_graded, require_side, unknown_words, with_unknown
from vinlab.maps.image import GreyImage, shades_to_obstacles
from vinlab.maps.transform import CELLS, Frame
from vinlab.recording.tiff_files import require_few_directories
from vinlab.types import InputError, missing_library

LARGEST_RASTER = 256 * 2**20
"""The most bytes of all bands, and of one block of them, that are unpacked."""


def map_of_geotiff(data: bytes, name: str, options: MapOptions) -> GridMap:
    """The map of the first band, in the raster's coordinates; cells without data are unknown."""
    (band, *_), known, frame = read_bands(data, name, bands=1)
    unknown = ~known | ~np.isfinite(band)
    clean = np.where(unknown, 0, band)
    where = f" in {frame.crs}" if frame.crs else ""
    height, width = (size if math.isfinite(size) else 1.0 for size in frame.cell_size)
    raster = f"A raster{where} with cells of {height:g} x {width:g} {frame.unit}"
    if options.grading.costs is not None:
        options.refuse_threshold()
        found = grade(MapValues(clean, unknown, frame), name, options.grading)
        return map_of_graded(found, raster, options, frame=frame)
    if clean.dtype == np.uint8 and clean.max(initial=0) > 1 and (options.threshold or 0) < 1:
        blocked, words = shades_to_obstacles(GreyImage(clean, 255), options)  # eight bits are shades of grey
    else:
        obstacles, words = values_to_obstacles(clean, name, options)
        blocked = obstacles.astype(bool)
    words = f"{raster}; {words}{unknown_words(unknown, options)}."
    return GridMap(with_unknown(blocked, unknown, options), words, frame=frame)


def read_bands(data: bytes, name: str, *, bands: int | None = None) -> tuple[np.ndarray, np.ndarray, Frame]:
    """The first bands ``[C H W]``, or all, which cells have data in all of them, and the raster's coordinates."""
    rasterio = _rasterio()
    require_few_directories(io.BytesIO(data), name)
    # Its log repeats the message of the error.
    logging.getLogger("rasterio").setLevel(logging.CRITICAL)
    try:
        with (
            warnings.catch_warnings(action="ignore"),
            rasterio.Env(GDAL_CACHEMAX=64 * 2**20),
            rasterio.MemoryFile(data) as file,
            # Only this driver: others can open files elsewhere.
            file.open(driver="GTiff") as raster,
        ):
            _require_modest(raster, name, least_bytes=4 if bands is None else 1)  # all bands become floats
            chosen = list(range(1, (bands or raster.count) + 1))
            values = raster.read(chosen)
            known = np.logical_and.reduce([raster.read_masks(band) != 0 for band in chosen])
            return values, known, _frame(raster)
    except InputError:
        raise
    except Exception as error:  # rasterio has a dozen exceptions of its own
        raise InputError(f"{name}: expected a complete GeoTIFF, got a file that cannot be read.") from error


def _rasterio() -> Any:
    try:
        import rasterio
        import rasterio.errors
        import rasterio.io
    except ImportError as error:
        raise missing_library("Reading GeoTIFF", "rasterio", extra="geo") from error
    return rasterio


def _require_modest(raster: Any, name: str, *, least_bytes: int) -> None:
    require_side(raster.height, raster.width, name)
    kind = np.dtype(raster.dtypes[0])
    if kind.kind not in "uif":
        raise InputError(f"{name}: expected plain numbers in the first band, got {kind}.")
    block_rows, block_cols = raster.block_shapes[0]
    for cells in (raster.height * raster.width, block_rows * block_cols):
        if cells * raster.count * max(least_bytes, kind.itemsize) > LARGEST_RASTER:
            raise InputError(f"{name}: expected at most {LARGEST_RASTER // 2**20} MB unpacked, got more.")


def _frame(raster: Any) -> Frame:
    """The centres of cells in the raster's coordinates."""
    there = raster.transform
    if there.is_identity:
        return CELLS
    x = there.c + (there.a + there.b) / 2
    y = there.f + (there.d + there.e) / 2
    crs = raster.crs
    unit = "degrees" if crs and crs.is_geographic else "m"
    if crs and crs.is_projected and crs.linear_units_factor[1] != 1.0:
        unit = crs.linear_units_factor[0]
    return Frame(there.a, there.b, x, there.d, there.e, y, unit=unit, crs=crs.to_string() if crs else None)

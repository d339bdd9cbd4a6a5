"""Raster files, read by rasterio (the extra ``geo``), by windows: GeoTIFF, PNG, JPEG 2000, PDS images."""

import logging
import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float32, UInt8

from vinlab.domains.mars.rasters.labels import LABELLED, require_beside, require_local_label
from vinlab.recording.tiff_files import require_few_directories
from vinlab.types import InputError, missing_library, reason_of

DRIVERS = {
    rb"II[*+]\0|MM\0[*+]": "GTiff",
    rb"\x89PNG": "PNG",
    rb"\0\0\0\x0cjP  |\xff\x4f\xff\x51": "JP2OpenJPEG",
    rb"\xff\xd8": "JPEG",
    rb"(?s).{0,200}PDS_VERSION_ID": "PDS",
    rb"\s*Object\s*=\s*IsisCube": "ISIS3",
}
"""How the files of each format begin, and the driver that reads them; other drivers may open further files."""
HIRISE_ORTHO = "_ORTHO.JP2"
"""The ending of HiRISE orthoimages; 0 is no data in them, though they do not declare it."""
STRETCH = (0.1, 99.9)
"""Percentiles that become black and white where an image has more than 8 bits."""
CACHE = 256 * 2**20
"""Bytes of blocks that GDAL keeps."""
MOST_PIXELS, LARGEST_BLOCK = 10**10, 256 * 2**20
"""Pixels of a raster, and bytes of a part of it that is unpacked at once."""
GLANCE = 1024
"""Pixels along a side of the reduced image from which the percentiles are taken."""
NO_DATA = 1e30
"""Larger values mark missing data, whatever the file declares."""


@dataclass(frozen=True)
class Raster:
    """An open raster with its place on the map, where it has one."""

    file: Any
    path: Path
    transform: Any
    crs: Any
    """None where the file does not declare its place."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.file.height, self.file.width


@contextmanager
def open_raster(path: str | Path) -> Iterator[Raster]:
    """An open raster; a fault of the file becomes one sentence."""
    path, rasterio = Path(path), import_rasterio()
    if not path.is_file():
        raise InputError(f"{path} cannot be read: there is no such file.")
    with reading(path):
        driver = _driver(path)
        if driver in LABELLED:
            require_local_label(path)
        file = rasterio.open(path, driver=driver)
    with file, rasterio.Env(GDAL_CACHEMAX=CACHE):
        require_beside(path, file.files)
        _require_modest(path, file)
        there = file.transform
        if not all(math.isfinite(number) for number in there[:6]):
            raise InputError(f"{path}: expected finite coordinates, got {tuple(there[:6])}.")
        if there.b or there.d:
            raise InputError(f"{path}: expected a raster with north up, got one that is rotated on its map.")
        placed = file.crs and (file.crs.is_projected or file.crs.is_geographic) and not there.is_identity
        yield Raster(file, path, there, file.crs if placed else None)


def _require_modest(path: Path, file: Any) -> None:
    """Refuse a raster of which one block would fill the memory."""
    if file.count < 1 or file.width * file.height > MOST_PIXELS:
        raise InputError(
            f"{path}: expected a band of at most {MOST_PIXELS:,} pixels, got {file.count} of {file.height} x "
            f"{file.width}."
        )
    rows, cols = file.block_shapes[0]
    by_pixel = file.interleaving is not None and file.interleaving.name == "pixel"
    size = rows * cols * np.dtype(file.dtypes[0]).itemsize * (file.count if by_pixel else min(file.count, 3))
    if size > LARGEST_BLOCK:
        raise InputError(
            f"{path}: expected blocks of at most {LARGEST_BLOCK // 2**20} MB, got {rows} x {cols} pixels in one."
        )


def _driver(path: Path) -> str:
    with path.open("rb") as file:
        begin = file.read(300)
        file.seek(-min(path.stat().st_size, 64), 2)
        end = file.read()
    found = next((driver for pattern, driver in DRIVERS.items() if re.match(pattern, begin)), None)
    if found is None:
        raise InputError(f"{path}: expected GeoTIFF, PNG, JPEG, JPEG 2000, PDS or ISIS, got another format.")
    if found == "GTiff":
        with path.open("rb") as file:
            require_few_directories(file, str(path))
    if found == "PNG" and b"IEND" not in end:  # GDAL would fill the rest with 0
        raise InputError(f"{path} cannot be read; it is damaged, cut off: its last part is missing.")
    return found


def import_rasterio() -> Any:
    """The library with the modules used here, if it is installed."""
    try:
        import rasterio
        import rasterio.crs
        import rasterio.enums
        import rasterio.errors
        import rasterio.vrt
        import rasterio.warp
        import rasterio.windows
    except ImportError as error:
        raise missing_library("Reading rasters", "rasterio", extra="geo") from error
    # Its log repeats what the one sentence of an error says.
    logging.getLogger("rasterio").setLevel(logging.CRITICAL)
    return rasterio


def system_of(crs: Any) -> Any:
    """The reference system; where there is none a placeholder, the same for all rasters."""
    return crs or import_rasterio().crs.CRS.from_proj4("+proj=eqc +R=3396190 +units=m +no_defs")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Whatever GDAL reports about a broken file becomes one sentence."""
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except InputError:
        raise
    except Exception as error:  # rasterio and GDAL have dozens of kinds of their own
        reason = reason_of(error, most=150)
        raise InputError(
            f"{path} cannot be read; it is damaged, cut off, or not a known raster ({reason})."
        ) from error


@dataclass(frozen=True)
class Greys:
    """How the values of an image become 8-bit grey, and which of them mark missing data."""

    bands: tuple[int, ...]
    low: float = 0.0
    high: float = 255.0
    nodata: float | None = None

    def read(
        self, raster: Raster, window: Any, shape: tuple[int, int]
    ) -> tuple[UInt8[np.ndarray, "h w"], Bool[np.ndarray, "h w"]]:
        """The grey image of a window, averaged to a shape, and where it is known."""
        average = import_rasterio().enums.Resampling.average
        with reading(raster.path), self._marked(raster, window, shape) as file:
            layers = file.read(
                self.bands, window=window, out_shape=(len(self.bands), *shape), resampling=average
            )
            known = file.read_masks(1, window=window, out_shape=shape) != 0
        values = layers[0] if len(layers) == 1 else layers.mean(axis=0)
        if self.nodata is not None:
            known &= values != self.nodata
        known &= np.isfinite(values)
        if (self.low, self.high) != (0.0, 255.0):
            values = (np.where(known, values, self.low) - self.low) * (255.0 / (self.high - self.low))
        return np.where(known, np.clip(np.rint(values), 0, 255), 0).astype(np.uint8), known

    def _marked(self, raster: Raster, window: Any, shape: tuple[int, int]) -> Any:
        """The file; where pixels are averaged, those without data are masked, or they would darken the others."""
        if self.nodata is None or window is None or (window.height, window.width) == shape:
            return nullcontext(raster.file)
        marks = {"src_nodata": self.nodata, "nodata": self.nodata}
        return warped(raster, raster.crs, raster.transform, raster.shape, **marks)


def warped(raster: Raster, crs: Any, transform: Any, shape: tuple[int, int], **options: Any) -> Any:
    """A raster brought onto another grid, as rasterio reads it."""
    source = {"src_crs": system_of(raster.crs), "src_transform": raster.transform}
    target = {"crs": system_of(crs), "transform": transform, "height": shape[0], "width": shape[1]}
    return import_rasterio().vrt.WarpedVRT(raster.file, **source, **target, **options)


def greys_of(raster: Raster, nodata: float | None) -> tuple[Greys, tuple[str, ...]]:
    """How to read an image as 8-bit grey, and sentences about what is assumed or changed."""
    file, name, notes = raster.file, raster.path.name, []
    kind = np.dtype(file.dtypes[0])
    if kind.kind not in "uif":
        raise InputError(f"{raster.path}: expected grey values, got a first band of type {kind}.")
    if file.colorinterp[0].name == "palette":
        raise InputError(f"{raster.path}: expected a grey image, got one with a palette of colours.")
    bands = (1, 2, 3) if file.count >= 3 else (1,)
    if len(bands) == 3:
        notes.append(f"{name} has {file.count} bands; the mean of the first three is its grey.")
    if nodata is None and file.nodata is None and raster.path.name.upper().endswith(HIRISE_ORTHO):
        nodata = 0.0
        notes.append(f"{name} is an orthoimage of HiRISE: 0 is no data.")
    greys = Greys(bands, nodata=nodata)
    if kind != np.uint8:
        greys = _stretched(raster, greys)
        notes.append(
            f"{name} has values of type {kind}; {greys.low:.4g} to {greys.high:.4g} (percentiles {STRETCH[0]} and "
            f"{STRETCH[1]}) became the 256 shades of 8 bits."
        )
    return greys, tuple(notes)


def _stretched(raster: Raster, greys: Greys) -> Greys:
    """The same with the limits of a stretch, taken from a reduced image."""
    shape = (min(raster.shape[0], GLANCE), min(raster.shape[1], GLANCE))
    with reading(raster.path):
        layers = raster.file.read(greys.bands, out_shape=(len(greys.bands), *shape))
        known = raster.file.read_masks(1, out_shape=shape) != 0
    values = layers.mean(axis=0)
    known &= np.isfinite(values) & (np.abs(values) < NO_DATA)
    if greys.nodata is not None:
        known &= values != greys.nodata
    if not known.any():
        raise InputError(f"{raster.path}: expected some pixels with data, got none.")
    low, high = (float(limit) for limit in np.percentile(values[known], STRETCH))
    return Greys(greys.bands, low, high if high > low else low + 1.0, greys.nodata)


def read_values(raster: Raster, window: Any, *, file: Any = None) -> Float32[np.ndarray, "h w"]:
    """The first band of a window in the unit that the raster declares, NaN where it has no data.

    It is read from ``file`` where the raster was brought onto another grid.
    """
    opened = raster.file if file is None else file
    with reading(raster.path):
        values = opened.read(1, window=window).astype(np.float32)
        known = opened.read_masks(1, window=window) != 0
    known = known & (np.abs(values) < NO_DATA)
    values = values * raster.file.scales[0] + raster.file.offsets[0]
    return np.where(known, values, np.nan).astype(np.float32)

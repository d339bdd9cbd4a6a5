"""Rasters that the tests of Mars write: GeoTIFF, PNG, JPEG 2000, and a PDS image with its label in front."""

import warnings

import numpy as np
import rasterio
from rasterio.crs import CRS
from rasterio.transform import from_origin

RADIUS = 3396190.0
MARS = CRS.from_proj4(f"+proj=eqc +lat_ts=0 +lat_0=0 +lon_0=0 +R={RADIUS:.0f} +units=m +no_defs")
PDS_NULL = np.array(0xFF7FFFFB, np.uint32).view(np.float32)
"""What HiRISE elevation models hold where they have no data."""


def write_raster(
    path, values, *, west=0.0, north=0.0, pixel=1.0, crs=MARS, driver="GTiff", nodata=None, **more
):
    """A raster with north up; without a system of reference it has no coordinates at all."""
    values = np.atleast_3d(values.T).T if values.ndim == 2 else values
    profile = {"driver": driver, "count": len(values), "height": values.shape[1], "width": values.shape[2]}
    if crs is not None:
        profile |= {"crs": crs, "transform": from_origin(west, north, pixel, pixel)}
    with (
        warnings.catch_warnings(action="ignore"),
        rasterio.open(path, "w", dtype=values.dtype, nodata=nodata, **profile, **more) as file,
    ):
        file.write(values)
    return path


def write_pds(path, values, *, west, north, pixel):
    """A PDS image with attached label, equirectangular, as HiRISE elevation models are published."""
    height, width = values.shape
    record = width * 4
    degree = RADIUS * np.pi / 180
    fields = f"""PDS_VERSION_ID = PDS3
RECORD_TYPE = FIXED_LENGTH
RECORD_BYTES = {record}
FILE_RECORDS = {{records}}
LABEL_RECORDS = {{label}}
^IMAGE = {{first}}
TARGET_NAME = MARS
OBJECT = IMAGE_MAP_PROJECTION
  MAP_PROJECTION_TYPE = "EQUIRECTANGULAR"
  A_AXIS_RADIUS = {RADIUS / 1000} <KM>
  B_AXIS_RADIUS = {RADIUS / 1000} <KM>
  C_AXIS_RADIUS = {RADIUS / 1000} <KM>
  POSITIVE_LONGITUDE_DIRECTION = EAST
  CENTER_LATITUDE = 0.0 <DEG>
  CENTER_LONGITUDE = 0.0 <DEG>
  LINE_FIRST_PIXEL = 1
  SAMPLE_FIRST_PIXEL = 1
  MAP_RESOLUTION = {float(degree / pixel)!r} <PIX/DEG>
  MAP_SCALE = {pixel!r} <METERS/PIXEL>
  LINE_PROJECTION_OFFSET = {float(north / pixel - 0.5)!r} <PIXEL>
  SAMPLE_PROJECTION_OFFSET = {float(-west / pixel - 0.5)!r} <PIXEL>
END_OBJECT = IMAGE_MAP_PROJECTION
OBJECT = IMAGE
  LINES = {height}
  LINE_SAMPLES = {width}
  SAMPLE_TYPE = PC_REAL
  SAMPLE_BITS = 32
  BANDS = 1
  BAND_STORAGE_TYPE = BAND_SEQUENTIAL
  MISSING_CONSTANT = 16#FF7FFFFB#
END_OBJECT = IMAGE
END
"""
    label = -(-(len(fields) + 20) // record)
    text = fields.format(records=label + height, label=label, first=label + 1)
    path.write_bytes(text.encode().ljust(label * record) + values.astype("<f4").tobytes())
    return path

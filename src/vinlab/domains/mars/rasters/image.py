"""One image of terrain, without its slopes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt8

from vinlab.domains.mars.rasters.reader import greys_of, open_raster, reading
from vinlab.types import CELL, InputError

MOST_PIXELS = 6_000_000
"""Larger images are refused: a network takes up to 75 bytes for each pixel."""


@dataclass(frozen=True)
class TerrainImage:
    """An image whose sides are whole numbers of cells, and where it lies if the file declares it."""

    image: UInt8[np.ndarray, "h w"]
    notes: tuple[str, ...]
    transform: Any = None
    """From pixels to the coordinates of the map, where the file has any."""
    crs: Any = None


def read_terrain_image(path: str | Path) -> TerrainImage:
    """The image of a file as 8-bit grey, cropped to whole cells."""
    path = Path(path)
    plain = _plain_png(path)
    if plain is not None:
        image, notes = _cropped(plain, path)
        return TerrainImage(image, notes)
    with open_raster(path) as raster:
        _require_size(raster.shape, path, CELL)
        greys, seen = greys_of(raster, None)
        grey, known = greys.read(raster, None, raster.shape)
        if not known.any():
            raise InputError(f"{path}: expected some pixels with data, got none.")
        gaps = () if known.all() else (f"{int((~known).sum()):,} pixels without data became black.",)
        image, cropped = _cropped(grey, path)
        there = raster.transform if raster.crs else None
        return TerrainImage(image, (*seen, *gaps, *cropped), there, raster.crs)


def _plain_png(path: Path) -> np.ndarray | None:
    """A grey PNG of 8 bits, which is read without rasterio; None for all other files."""
    from PIL import Image

    if not path.is_file():
        raise InputError(f"{path} cannot be read: there is no such file.")
    with reading(path), path.open("rb") as file:
        if file.read(4) != b"\x89PNG":
            return None
    with reading(path), Image.open(path, formats=["PNG"]) as image:
        _require_size((image.height, image.width), path, 1)
        return np.array(image) if image.mode == "L" else None


def _require_size(shape: tuple[int, int], path: Path, least: int) -> None:
    if shape[0] * shape[1] > MOST_PIXELS:
        raise InputError(
            f"{path}: expected at most {MOST_PIXELS:,} pixels, got {shape[0]} x {shape[1]}; crop the image."
        )
    if min(shape) < least:
        raise InputError(
            f"{path}: expected at least one cell of {least} x {least} pixels, got {shape[0]} x {shape[1]}."
        )


def _cropped(image: np.ndarray, path: Path) -> tuple[np.ndarray, tuple[str, ...]]:
    """The image without the last rows and columns that fill no cell, and a note about them."""
    _require_size((image.shape[0], image.shape[1]), path, CELL)
    rows, cols = (side // CELL * CELL for side in image.shape)
    if (rows, cols) == image.shape:
        return image, ()
    lost = (
        f"The last {image.shape[0] - rows} rows and {image.shape[1] - cols} columns of pixels fill no cell."
    )
    return image[:rows, :cols], (lost,)

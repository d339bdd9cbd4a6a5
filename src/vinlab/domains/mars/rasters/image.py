"""One image of ground, without anything that says how steep it is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt8

from vinlab.domains.mars.rasters.reader import greys_of, open_raster, reading
from vinlab.types import InputError

MOST_PIXELS = 4096 * 4096
"""Larger images are refused: a network plans on one cell for each 8 x 8 pixels."""


@dataclass(frozen=True)
class TerrainImage:
    """An image whose sides are whole numbers of cells, and where it lies if the file says so."""

    image: UInt8[np.ndarray, "h w"]
    notes: tuple[str, ...]
    transform: Any = None
    """From pixels to the coordinates of the map, where the file has any."""
    crs: Any = None


def read_terrain_image(path: str | Path, *, cell: int = 8) -> TerrainImage:
    """The image of a file as 8-bit grey, cut to whole cells."""
    path = Path(path)
    plain = _plain_png(path)
    if plain is not None:
        image, notes = _cropped(plain, path, cell)
        return TerrainImage(image, notes)
    with open_raster(path) as raster:
        _require_modest(raster.shape, path, cell)
        greys, seen = greys_of(raster, None)
        grey, known = greys.read(raster, None, raster.shape)
        if not known.any():
            raise InputError(f"{path} shows nothing: all of its pixels are without data.")
        gaps = () if known.all() else (f"{int((~known).sum()):,} pixels without data were taken as black.",)
        image, cut = _cropped(grey, path, cell)
        there = raster.transform if raster.crs else None
        return TerrainImage(image, (*seen, *gaps, *cut), there, raster.crs)


def _plain_png(path: Path) -> np.ndarray | None:
    """A grey PNG of 8 bits needs no further library; None for all other files."""
    from PIL import Image

    if not path.is_file():
        raise InputError(f"{path} cannot be read: there is no such file.")
    with path.open("rb") as file:
        if file.read(4) != b"\x89PNG":
            return None
    with reading(path), Image.open(path, formats=["PNG"]) as picture:
        _require_modest((picture.height, picture.width), path, 1)
        return np.array(picture) if picture.mode == "L" else None


def _require_modest(shape: tuple[int, int], path: Path, cell: int) -> None:
    if shape[0] * shape[1] > MOST_PIXELS:
        raise InputError(
            f"{path} has {shape[0]} x {shape[1]} pixels, more than the {MOST_PIXELS:,} on which a network plans; "
            "cut a part out of it."
        )
    if min(shape) < cell:
        raise InputError(f"{path} has {shape[0]} x {shape[1]} pixels, less than one cell of {cell} x {cell}.")


def _cropped(image: np.ndarray, path: Path, cell: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """The image without the last rows and columns that fill no cell, and what was left out."""
    _require_modest((image.shape[0], image.shape[1]), path, cell)
    rows, cols = (side // cell * cell for side in image.shape)
    if (rows, cols) == image.shape:
        return image, ()
    lost = (
        f"The last {image.shape[0] - rows} rows and {image.shape[1] - cols} columns of pixels fill no cell."
    )
    return image[:rows, :cols], (lost,)

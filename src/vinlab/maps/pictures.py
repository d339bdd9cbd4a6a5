"""Image files with all their channels: PNG and JPEG of 8 or 16 bits, and GeoTIFF with any number of bands."""

import io
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float32, Num

from vinlab.maps.geotiff import read_bands
from vinlab.maps.grid_map import require_side
from vinlab.maps.image import JPEG_START, require_modest_jpeg, require_sound_chunks
from vinlab.maps.safe_files import read_content
from vinlab.maps.transform import CELLS, Frame
from vinlab.types import InputError

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff")
COLOURS = 3


@dataclass(frozen=True)
class Picture:
    """The channels of an image."""

    values: Float32[np.ndarray, "C H W"]
    """Whole numbers of 8 or 16 bits as 0 to 1, other numbers as they are; 0 where unknown."""
    known: Bool[np.ndarray, "H W"]
    """False where the image is transparent or has no data."""
    frame: Frame = CELLS


def read_picture(path: str | Path) -> Picture:
    """The channels of an image file; the content tells the format, not the name."""
    return picture_of_bytes(read_content(Path(path)), str(path))


def picture_of_bytes(data: bytes, name: str) -> Picture:
    """The channels in the content of an image file."""
    if re.match(rb"II[*+]\0|MM\0[*+]", data[:4]):
        return _geotiff(data, name)
    if data[:4] == b"\x89PNG" or data.startswith(JPEG_START):
        return _image(data, name)
    raise InputError(f"{name}: expected a PNG, JPEG or GeoTIFF image, got another format.")


def with_channels(picture: Picture, channels: int, name: str) -> Picture:
    """The picture with this number of channels: grey becomes colour and colour grey, others are refused."""
    values, own = picture.values, len(picture.values)
    if own == channels:
        return picture
    if own == 1 and channels == COLOURS:
        return Picture(np.repeat(values, COLOURS, axis=0), picture.known, picture.frame)
    if own == COLOURS and channels == 1:
        grey = np.tensordot(np.array([0.299, 0.587, 0.114], np.float32), values, axes=1)[None]
        return Picture(grey.astype(np.float32), picture.known, picture.frame)
    raise InputError(f"{name}: expected {channels} channel{'s' * (channels > 1)}, got {own}.")


def _geotiff(data: bytes, name: str) -> Picture:
    bands, known, frame = read_bands(data, name)
    known = known & np.isfinite(bands).all(axis=0)
    return Picture(_scaled(bands, known), known, frame)


def _image(data: bytes, name: str) -> Picture:
    from PIL import Image

    if data[:4] == b"\x89PNG":
        require_sound_chunks(data, name)
    else:
        require_modest_jpeg(data, name)
    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(io.BytesIO(data), formats=["PNG", "JPEG"]) as image,
        ):
            require_side(image.height, image.width, name)
            return _channels(image)
    except InputError:
        raise
    except Exception as error:  # PIL raises nearly any exception on broken files
        raise InputError(f"{name}: expected a complete image, got a damaged one.") from error


def _channels(image: Any) -> Picture:
    """The channels of an open image; what is more transparent than not is unknown."""
    if image.mode.startswith("I"):
        return _opaque(np.asarray(image).clip(0, 65535).astype(np.uint16)[None])
    grey = image.mode in ("1", "L", "LA")
    transparent = "A" in image.mode or "transparency" in image.info
    mode = ("LA" if grey else "RGBA") if transparent else ("L" if grey else "RGB")
    pixels = np.atleast_3d(np.asarray(image.convert(mode))).transpose(2, 0, 1)
    if not transparent:
        return _opaque(pixels)
    known = pixels[-1] >= 128
    return Picture(_scaled(pixels[:-1], known), known)


def _opaque(values: np.ndarray) -> Picture:
    return Picture(as_brightness(values), np.ones(values.shape[1:], bool))


def _scaled(values: np.ndarray, known: np.ndarray) -> Float32[np.ndarray, "C H W"]:
    """Whole numbers of 8 or 16 bits as 0 to 1; what is unknown becomes 0."""
    found = as_brightness(values)
    found[:, ~known] = 0
    return found


def as_brightness(values: Num[np.ndarray, "*S"]) -> Float32[np.ndarray, "*S"]:
    """Whole numbers of 8 or 16 bits as 0 to 1, other numbers as they are."""
    whites = {"uint8": 255.0, "uint16": 65535.0}
    found = values.astype(np.float32)
    found /= np.float32(whites.get(values.dtype.name, 1.0))
    return found

"""Pictures as maps: PNG, and PGM as robots write it."""

import io
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import UInt8, UInt16

from vinlab.maps.grid_map import GridMap, MapOptions, require_side
from vinlab.types import InputError

PGM_HEADER = re.compile(rb"(P[25])" + rb"(?:\s|#[^\n]*\n)+(\d{1,9})" * 3 + rb"(?:\s*#[^\n]*\n|\s)")


@dataclass(frozen=True)
class Picture:
    """Shades of grey."""

    values: UInt8[np.ndarray, "H W"] | UInt16[np.ndarray, "H W"]
    white: int
    """The value of the brightest shade."""


def map_of_picture(data: bytes, name: str, options: MapOptions) -> GridMap:
    """The map that a picture shows, one pixel for each cell."""
    threshold = options.require_picture_threshold()
    picture = read_picture(data, name)
    dark = picture.values < threshold * picture.white
    blocked = dark if options.blocked != "high" else ~dark
    which = f"darker than {threshold} is {'blocked' if options.blocked != 'high' else 'free'}"
    return GridMap(blocked.astype(np.uint8), f"A picture, one pixel a cell; {which}.")


def read_picture(data: bytes, name: str) -> Picture:
    """The shades of a PNG or PGM picture; transparent parts show white paper."""
    if data.startswith(b"\x89PNG"):
        return _read_png(data, name)
    if re.match(rb"P[25]\s", data):
        return _read_pgm(data, name)
    raise InputError(f"{name} is neither a PNG nor a PGM picture.")


def _read_png(data: bytes, name: str) -> Picture:
    from PIL import Image

    if len(data) < 33 or data[12:16] != b"IHDR":
        raise InputError(f"{name} is not a whole PNG picture: its header is cut off.")
    width, height = (int.from_bytes(data[first : first + 4]) for first in (16, 20))
    require_side(height, width, name)
    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as picture:
            return _shades(picture)
    except Exception as error:  # PIL raises nearly any kind on broken files
        raise InputError(f"{name} is not a whole PNG picture: {_reason(error)}.") from error


def _shades(picture: Any) -> Picture:
    from PIL import Image

    if picture.mode.startswith("I"):
        return Picture(np.asarray(picture).clip(0, 65535).astype(np.uint16), 65535)
    if "A" in picture.mode or "transparency" in picture.info:
        paper = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(paper, picture.convert("RGBA"))
    return Picture(np.array(picture.convert("L"), dtype=np.uint8), 255)


def _reason(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120].rstrip(".")


def _read_pgm(data: bytes, name: str) -> Picture:
    header = PGM_HEADER.match(data[:10_000])
    if not header:
        raise InputError(f"{name} is not a whole PGM picture: width, height and largest value are wanted.")
    width, height, white = (int(number) for number in header.groups()[1:])
    require_side(height, width, name)
    if not 0 < white < 65536:
        raise InputError(f"{name} must have a largest value of 1 to 65535, but says {white}.")
    kind = np.dtype(np.uint8 if white < 256 else ">u2")
    read = _binary_pixels if header[1] == b"P5" else _written_pixels
    pixels = read(data[header.end() :], height * width, kind, name)
    return Picture(pixels.reshape(height, width).astype(kind.newbyteorder("=")), white)


def _binary_pixels(body: bytes, count: int, kind: np.dtype[Any], name: str) -> np.ndarray:
    wanted = count * kind.itemsize
    if len(body) < wanted:
        raise InputError(f"{name} is cut off: {wanted} bytes of pixels are wanted, but {len(body)} came.")
    return np.frombuffer(body, kind, count)


def _written_pixels(body: bytes, count: int, kind: np.dtype[Any], name: str) -> np.ndarray:
    body = re.sub(rb"#[^\n]*", b" ", body)
    if re.search(rb"[^\d\s]", body):
        raise InputError(f"{name} must hold its pixels as whole numbers, but other letters came.")
    pixels = np.fromstring(body.decode("ascii"), dtype=np.float64, sep=" ")
    if len(pixels) < count:
        raise InputError(f"{name} is cut off: {count} pixels are wanted, but {len(pixels)} came.")
    return pixels[:count].clip(0, np.iinfo(kind).max).astype(kind)

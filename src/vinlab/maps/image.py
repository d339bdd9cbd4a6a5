"""Images as maps: PNG, JPEG, WebP, and PGM as ROS writes it."""

import io
import re
import warnings
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, UInt8, UInt16

from vinlab.maps.costs import MapValues, grade
from vinlab.maps.grid_map import GridMap, MapOptions, map_of_graded, require_side
from vinlab.maps.safe_files import LARGEST_TEXT
from vinlab.types import InputError, reason_of

PGM_HEADER = re.compile(rb"(P[25])" + rb"(?:\s|#[^\n]*\n)+(\d{1,9})" * 3 + rb"(?:\s*#[^\n]*\n|\r\n|\s)")

JPEG_START = b"\xff\xd8\xff"
MOST_SCANS = 100
"""Parts in which a JPEG image may be sent, one finer than the other; ten are usual."""
MOST_SEGMENTS, MOST_CHUNKS = 1000, 100_000
"""Parts before the pixels of a JPEG, and of a PNG in all: PIL keeps each of them, however small."""


@dataclass(frozen=True)
class GreyImage:
    """Shades of grey."""

    values: UInt8[np.ndarray, "H W"] | UInt16[np.ndarray, "H W"]
    white: int
    """The value of white."""


def map_of_image(data: bytes, name: str, options: MapOptions) -> GridMap:
    """The map that an image shows, one pixel for each cell; its shades may be costs or heights."""
    if options.grading.costs is not None:
        image = read_image(data, name)
        options.refuse_threshold()
        if options.grading.costs == "nav2" and image.white != 255:
            raise InputError(f"{name}: expected a costmap as an image of 8 bits, got white at {image.white}.")
        values = MapValues(image.values, np.zeros(image.values.shape, bool), white=image.white)
        found = grade(values, name, options.grading, bright=options.obstacles == "bright")
        return map_of_graded(found, "An image, one pixel a cell", options)
    options.require_brightness()
    blocked, words = shades_to_obstacles(read_image(data, name), options)
    return GridMap(blocked.astype(np.uint8), f"An image, one pixel a cell; {words}.")


def shades_to_obstacles(image: GreyImage, options: MapOptions) -> tuple[Bool[np.ndarray, "H W"], str]:
    """The blocked cells of an image, and in words the rule."""
    threshold, bright = options.require_brightness(), options.obstacles == "bright"
    dark = image.values < threshold * image.white
    return ~dark if bright else dark, f"darker than {threshold} is {'free' if bright else 'blocked'}"


def read_image(data: bytes, name: str) -> GreyImage:
    """The shades of a PNG, JPEG, WebP or PGM image; transparent parts are white."""
    if data.startswith(b"\x89PNG"):
        _require_sound_png(data, name)
        return _open_image(data, name, "PNG")
    if data.startswith(JPEG_START):
        require_modest_jpeg(data, name)
        return _open_image(data, name, "JPEG")
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _open_image(data, name, "WebP")
    if re.match(rb"P[25]\s", data):
        return _read_pgm(data, name)
    raise InputError(f"{name}: expected a PNG, JPEG, WebP or PGM image, got another format.")


def _require_sound_png(data: bytes, name: str) -> None:
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise InputError(f"{name}: expected a complete PNG image, got one whose header is cut off.")
    width, height = (int.from_bytes(data[first : first + 4]) for first in (16, 20))
    require_side(height, width, name)
    require_sound_chunks(data, name)


def _open_image(data: bytes, name: str, kind: str) -> GreyImage:
    """The shades of an image; its size is checked before its pixels are unpacked."""
    from PIL import Image

    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(io.BytesIO(data), formats=[kind.upper()]) as image,
        ):
            require_side(image.height, image.width, name)
            return _shades(image)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # PIL raises nearly any exception on broken files
        raise InputError(
            f"{name}: expected a complete {kind} image, got a damaged one: {reason_of(error)}."
        ) from error


def require_modest_jpeg(data: bytes, name: str) -> None:
    """Refuse a JPEG with very many parts: each scan is small, and passes over the whole image."""
    if (count := data.count(b"\xff\xda")) > MOST_SCANS:
        raise InputError(f"{name}: expected a JPEG image of at most {MOST_SCANS} scans, got {count}.")
    place, begin = 2, re.compile(rb"\xff{1,16}([\x01-\xfe])(..)?", re.DOTALL)
    for _ in range(MOST_SEGMENTS):
        found = begin.match(data, place)
        if not found:
            raise InputError(f"{name}: expected a complete JPEG image, got one whose header is damaged.")
        if found[1] == b"\xda":
            return
        place = found.end(1) + int.from_bytes(found[2] or b"\xff\xff")
    raise InputError(
        f"{name}: expected a JPEG image of at most {MOST_SEGMENTS} parts before its pixels, got more."
    )


def require_sound_chunks(data: bytes, name: str) -> None:
    """Refuse a PNG of which a part is cut off or changed; PIL shows such pixels without a word."""
    place = 8
    for _ in range(MOST_CHUNKS):
        if place + 12 > len(data):
            break
        length = int.from_bytes(data[place : place + 4])
        kind, end = data[place + 4 : place + 8], place + 8 + length
        if zlib.crc32(data[place + 4 : end]) != int.from_bytes(data[end : end + 4]) or end + 4 > len(data):
            break
        if kind == b"IEND":
            return
        place = end + 4
    raise InputError(f"{name}: expected a complete PNG image, got one with a damaged or missing part.")


def _shades(image: Any) -> GreyImage:
    from PIL import Image

    if image.mode.startswith("I"):
        return GreyImage(np.asarray(image).clip(0, 65535).astype(np.uint16), 65535)
    if "A" in image.mode or "transparency" in image.info:
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image.convert("RGBA"))
    return GreyImage(np.array(image.convert("L"), dtype=np.uint8), 255)


def _read_pgm(data: bytes, name: str) -> GreyImage:
    header = PGM_HEADER.match(data[:10_000])
    if not header:
        raise InputError(
            f"{name}: expected the width, height and largest value of a PGM image, got a damaged header."
        )
    width, height, white = (int(number) for number in header.groups()[1:])
    require_side(height, width, name)
    if not 0 < white < 65536:
        raise InputError(f"{name}: expected a largest value of 1 to 65535, got {white}.")
    kind = np.dtype(np.uint8 if white < 256 else ">u2")
    read = _binary_pixels if header[1] == b"P5" else _written_pixels
    body = data[header.end() :]
    if header[0].endswith(b"\r\n") and len(body) == height * width * kind.itemsize - 1:
        body = b"\n" + body  # the header ended with the carriage return alone
    pixels = read(body, height * width, kind, name)
    if (brightest := int(pixels.max())) > white:
        raise InputError(f"{name}: expected pixels of at most {white}, its largest value, got {brightest}.")
    return GreyImage(pixels.reshape(height, width).astype(kind.newbyteorder("=")), white)


def _binary_pixels(body: bytes, count: int, kind: np.dtype[Any], name: str) -> np.ndarray:
    wanted = count * kind.itemsize
    if len(body) < wanted:
        raise InputError(f"{name}: expected {wanted} bytes of pixels, got {len(body)}; the file is cut off.")
    return np.frombuffer(body, kind, count)


def _written_pixels(body: bytes, count: int, kind: np.dtype[Any], name: str) -> np.ndarray:
    if len(body) > LARGEST_TEXT:
        raise InputError(
            f"{name}: expected at most {LARGEST_TEXT // 2**20} MB of written pixels, got more; P5 is smaller."
        )
    body = re.sub(rb"#[^\n]*", b" ", body)
    if re.search(rb"[^\d\s]", body):
        raise InputError(f"{name}: expected pixels as whole numbers, got other characters.")
    pixels = np.fromstring(body.decode("ascii"), dtype=np.float64, sep=" ")
    if len(pixels) < count:
        raise InputError(f"{name}: expected {count} pixels, got {len(pixels)}; the file is cut off.")
    return pixels[:count].clip(0, 65535).astype(np.uint16)

"""Reading a map file of any format; the content tells the format, not the name."""

import re
from importlib import import_module
from pathlib import Path

from vinlab.maps.grid_map import GridMap, MapOptions
from vinlab.maps.safe_files import read_content
from vinlab.types import InputError

FORMATS = "PNG, PGM, JPEG, WebP, GeoTIFF, .npy, .npz, a MovingAI .map, or the .yaml of a ROS map"

BEGINNINGS = (
    (rb"\x89PNG", "image:map_of_image"),
    (rb"P[25]\s", "image:map_of_image"),
    (rb"\xff\xd8\xff", "image:map_of_image"),
    (rb"RIFF....WEBP", "image:map_of_image"),
    (rb"II[*+]\0|MM\0[*+]", "geotiff:map_of_geotiff"),
    (rb"\x93NUMPY", "arrays:map_of_array"),
    (rb"PK", "arrays:map_of_archive"),
    (rb"(?:\xef\xbb\xbf)?\s*type\s+\w+", "movingai:map_of_movingai"),
)
"""How the files of each format begin, and the module and function of their readers, imported when one is met."""

SEVERAL_MAPS = ("arrays:map_of_array", "arrays:map_of_archive")
"""The readers of files that may hold several maps."""

ROS_MAP = re.compile(rb"^(?:\xef\xbb\xbf)?\s*['\"]?image['\"]?\s*:", re.MULTILINE)
SCENARIOS = re.compile(rb"(?:\xef\xbb\xbf)?\s*version\s+\d")


def read_map(path: str | Path, options: MapOptions | None = None) -> GridMap:
    """The map of a file: PNG, PGM, GeoTIFF, ``.npy``, ``.npz``, MovingAI, or the yaml of a ROS map."""
    return map_of_file(read_content(Path(path)), Path(path), options or MapOptions())


def map_of_file(data: bytes, path: Path, options: MapOptions) -> GridMap:
    """The map in the content of a file, which may name an image beside it."""
    if ROS_MAP.search(data[:4096]) and not _reader(data):
        options.refuse_index(str(path))
        from vinlab.maps.ros import read_ros_map

        return read_ros_map(data, path, options)
    return map_from_bytes(data, str(path), options)


def map_from_bytes(data: bytes, name: str, options: MapOptions | None = None) -> GridMap:
    """The map in the content of one file, without a folder to find others in."""
    reader = _reader(data)
    options = options or MapOptions()
    if reader is not None:
        if reader not in SEVERAL_MAPS:
            options.refuse_index(name)
        module, function = reader.split(":")
        return getattr(import_module(f"vinlab.maps.{module}"), function)(data, name, options)
    if SCENARIOS.match(data[:100]):
        raise InputError(f"{name}: expected a map, got a list of scenarios.")
    if ROS_MAP.search(data[:4096]):
        raise InputError(f"{name}: expected the image of a ROS map, got its yaml file.")
    raise InputError(f"{name}: expected {FORMATS}, got another format.")


def _reader(data: bytes) -> str | None:
    """Where the reader of a file is that begins like this."""
    return next((place for begin, place in BEGINNINGS if re.match(begin, data[:100], re.DOTALL)), None)

"""Maps of robots: the yaml file of ROS's ``map_server`` and the picture that it names."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.maps.grid_map import GridMap, MapOptions, unknown_words, with_unknown
from vinlab.maps.image import Picture, read_picture
from vinlab.maps.safe_files import as_text, read_content, resolve_sibling
from vinlab.maps.transform import Frame
from vinlab.types import InputError

LARGEST_YAML = 64 * 1024
MODES = ("trinary", "scale")


@dataclass(frozen=True)
class RobotMap:
    """What the yaml file says."""

    image: str
    resolution: float
    """Metres per cell."""
    origin: tuple[float, float, float]
    """x, y and heading of the lower left corner of the picture."""
    negate: bool
    occupied: float
    """More likely occupied than this is blocked."""
    free: float
    """Less likely occupied than this is free; what lies between is unknown."""


def read_ros_map(data: bytes, path: Path, options: MapOptions) -> GridMap:
    """The map of a yaml file, in metres from its origin; y grows upwards."""
    options.refuse_values("A robot's map")
    known = parse_yaml(data, str(path))
    place = resolve_sibling(path, known.image)
    picture = read_picture(read_content(place), str(place))
    blocked, unknown = occupancy(picture, known)
    frame = world_frame(known, len(blocked))
    words = (
        f"A robot's map of {known.resolution:g} m per cell, origin {known.origin}; occupied above "
        f"{known.occupied:g}, free below {known.free:g}{unknown_words(unknown, options)}."
    )
    return GridMap(with_unknown(blocked, unknown, options), words, frame=frame)


def occupancy(picture: Picture, known: RobotMap) -> tuple[np.ndarray, np.ndarray]:
    """Which cells are blocked, and which are unknown."""
    share = picture.values / np.float32(picture.white)
    occupied = share if known.negate else 1 - share
    blocked, free = occupied > known.occupied, occupied < known.free
    return blocked, ~blocked & ~free


def world_frame(known: RobotMap, rows: int) -> Frame:
    """Cells in metres: the origin is the lower left corner of the lower left cell."""
    x, y, heading = known.origin
    along, across = known.resolution * math.cos(heading), known.resolution * math.sin(heading)
    # From the corner to the middle of the upper left cell: half a cell right, all rows but half a cell up.
    right, up = 0.5, rows - 0.5
    return Frame(
        a=along,
        b=across,
        c=x + along * right - across * up,
        d=across,
        e=-along,
        f=y + across * right + along * up,
        unit="m",
    )


def parse_yaml(data: bytes, name: str) -> RobotMap:
    """The fields of the yaml file, each checked."""
    fields = _fields(data, name)
    image = fields.get("image")
    if not isinstance(image, str) or not image:
        raise InputError(f"{name} must name its picture under 'image'.")
    if fields.get("mode", "trinary") not in MODES:
        raise InputError(f"{name} must have the mode {' or '.join(MODES)}.")
    occupied = _number(fields, "occupied_thresh", name, default=0.65)
    free = _number(fields, "free_thresh", name, default=0.196)
    if not 0 <= free <= occupied <= 1:
        raise InputError(f"{name} must have 0 <= free_thresh <= occupied_thresh <= 1.")
    resolution = _number(fields, "resolution", name)
    if not resolution > 0:
        raise InputError(f"{name} must have a resolution above 0, but says {resolution:g}.")
    negate = _number(fields, "negate", name, default=0.0)
    if negate not in (0, 1):
        raise InputError(f"{name} must have 0 or 1 for negate, but says {negate:g}.")
    return RobotMap(image, resolution, _origin(fields, name), bool(negate), occupied, free)


def _fields(data: bytes, name: str) -> dict[str, Any]:
    import yaml

    if len(data) > LARGEST_YAML:
        raise InputError(f"{name} is too large for the yaml file of a map.")
    try:
        fields = yaml.safe_load(as_text(data, name))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} is not a plain yaml file.") from error
    if not isinstance(fields, dict):
        raise InputError(f"{name} must hold fields such as image, resolution and origin.")
    return fields


def _number(fields: dict[str, Any], key: str, name: str, *, default: float | None = None) -> float:
    number = fields.get(key, default)
    # Of a nested value only the type is told: aliases can make its text endless.
    if not isinstance(number, int | float) or not math.isfinite(number):
        raise InputError(f"{name} must have a finite number for {key}, but a {type(number).__name__} came.")
    return float(number)


def _origin(fields: dict[str, Any], name: str) -> tuple[float, float, float]:
    origin = fields.get("origin", [0.0, 0.0, 0.0])
    if not isinstance(origin, list) or len(origin) not in (2, 3):
        raise InputError(f"{name} must have an origin of [x, y, heading].")
    numbers = [_number({"origin": number}, "origin", name) for number in [*origin, 0.0][:3]]
    return numbers[0], numbers[1], numbers[2]

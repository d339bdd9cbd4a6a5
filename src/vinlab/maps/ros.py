"""ROS maps: the yaml file of ``map_server`` and the image that it names."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.maps.costs import without_costs
from vinlab.maps.grid_map import GridMap, MapOptions, unknown_words, with_unknown
from vinlab.maps.image import GreyImage, read_image
from vinlab.maps.safe_files import as_text, read_content, resolve_sibling
from vinlab.maps.transform import LARGEST, Frame
from vinlab.types import InputError

LARGEST_YAML = 64 * 1024
MODES = ("trinary", "scale", "raw")


@dataclass(frozen=True)
class RosMap:
    """The fields of the yaml file."""

    image: str
    resolution: float
    """Metres per cell."""
    origin: tuple[float, float, float]
    """x, y and heading of the lower left corner of the image."""
    negate: bool
    occupied: float
    """Cells with a higher probability of being occupied are blocked."""
    free: float
    """Cells with a lower probability of being occupied are free; those between the two are unknown."""
    mode: str = "trinary"
    """Whether cells between the two are unknown, have costs (scale), or pixels are costs themselves (raw)."""


def read_ros_map(data: bytes, path: Path, options: MapOptions) -> GridMap:
    """The map of a yaml file, in metres from its origin; y grows upwards."""
    options.refuse_values("A ROS map")
    known = parse_yaml(data, str(path))
    file = resolve_sibling(path, known.image)
    image = read_image(read_content(file), str(file))
    frame = world_frame(known, len(image.values))
    words = f"A ROS map of {known.resolution:g} m per cell, origin {known.origin}"
    if known.mode != "trinary":
        return replace(_graded(image, str(file), known, words, options), frame=frame)
    without_costs(options.grading, "A ROS map of mode trinary")
    blocked, unknown = occupancy(image, known)
    words += (
        f"; occupied above {known.occupied:g}, free below {known.free:g}{unknown_words(unknown, options)}."
    )
    return GridMap(with_unknown(blocked, unknown, options), words, frame=frame)


def _graded(image: GreyImage, name: str, known: RosMap, words: str, options: MapOptions) -> GridMap:
    """The map of a mode with costs."""
    from vinlab.maps.nav2 import map_of_bytes, map_of_shades

    if options.grading.costs not in (None, "nav2"):
        raise InputError(
            f"A ROS map of mode {known.mode} defines its costs: expected --costs nav2 or none, "
            f"got {options.grading.costs}."
        )
    if known.mode == "raw":
        return map_of_bytes(image, name, words, options)
    return map_of_shades(_occupied(image, known), known.free, known.occupied, words, options)


def occupancy(image: GreyImage, known: RosMap) -> tuple[np.ndarray, np.ndarray]:
    """Which cells are blocked, and which are unknown."""
    occupied = _occupied(image, known)
    blocked, free = occupied > known.occupied, occupied < known.free
    return blocked, ~blocked & ~free


def _occupied(image: GreyImage, known: RosMap) -> np.ndarray:
    """The probability that each cell is occupied."""
    share = image.values / np.float32(image.white)
    return share if known.negate else 1 - share


def world_frame(known: RosMap, rows: int) -> Frame:
    """Cells in metres; the origin is the lower left corner of the lower left cell."""
    x, y, heading = known.origin
    along, across = known.resolution * math.cos(heading), known.resolution * math.sin(heading)
    # From the corner to the centre of the upper left cell: half a cell right, all rows but half a cell up.
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


def parse_yaml(data: bytes, name: str) -> RosMap:
    """The checked fields of the yaml file."""
    fields = _fields(data, name)
    image = fields.get("image")
    if not isinstance(image, str) or not image:
        raise InputError(
            f"{name}: expected the name of an image under 'image', got a {type(image).__name__}."
        )
    mode = fields.get("mode", "trinary")
    if mode not in MODES:
        raise InputError(f"{name}: expected the mode {', '.join(MODES)}, got another.")
    occupied = _number(fields, "occupied_thresh", name, default=0.65)
    free = _number(fields, "free_thresh", name, default=0.196)
    if not 0 <= free <= occupied <= 1:
        raise InputError(
            f"{name}: expected 0 <= free_thresh <= occupied_thresh <= 1, got {free:g} and {occupied:g}."
        )
    resolution = _number(fields, "resolution", name)
    if not resolution > 0:
        raise InputError(f"{name}: expected a resolution above 0, got {resolution:g}.")
    negate = _number(fields, "negate", name, default=0.0)
    if negate not in (0, 1):
        raise InputError(f"{name}: expected 0 or 1 for negate, got {negate:g}.")
    origin = fields.get("origin", [0.0, 0.0, 0.0])
    if not isinstance(origin, list) or len(origin) not in (2, 3):
        raise InputError(f"{name}: expected an origin of [x, y, heading], got a {type(origin).__name__}.")
    x, y, heading = (_number({"origin": number}, "origin", name) for number in [*origin, 0.0][:3])
    return RosMap(image, resolution, (x, y, heading), bool(negate), occupied, free, mode)


def _fields(data: bytes, name: str) -> dict[str, Any]:
    import yaml

    if len(data) > LARGEST_YAML:
        raise InputError(
            f"{name}: expected a yaml file of at most {LARGEST_YAML // 1024} kB, got {len(data) // 1024} kB."
        )
    try:
        fields = yaml.load(as_text(data, name), Loader=_plain_loader())
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: expected a plain yaml file, got something else.") from error
    if not isinstance(fields, dict):
        raise InputError(
            f"{name}: expected fields such as image, resolution and origin, got a {type(fields).__name__}."
        )
    return fields


def _plain_loader() -> Any:
    """A loader of plain values: an alias or a merge can make a short file endless, and a field is given once.

    Values with a tag are refused: PyYAML fails in many ways on texts that do not fit theirs.
    """
    import yaml

    class PlainLoader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent) or self.peek_event().tag is not None:
                raise yaml.YAMLError("an alias or a tag")
            return super().compose_node(parent, index)

        def flatten_mapping(self, node: Any) -> None:
            keys = [key.value for key, _ in node.value if isinstance(key.value, str)]
            if "<<" in keys or len(set(keys)) < len(keys):
                raise yaml.YAMLError("a merge, or a field given twice")

    return PlainLoader


def _number(fields: dict[str, Any], key: str, name: str, *, default: float | None = None) -> float:
    number = fields.get(key, default)
    is_number = isinstance(number, int | float) and (key == "negate" or not isinstance(number, bool))
    if not is_number or not abs(number) <= LARGEST:
        raise InputError(f"{name}: expected a finite number for {key}, got a {type(number).__name__}.")
    return float(number)

"""The costs of ROS maps and of Nav2's costmaps, which are read and written: yaml and image, or ``.npy``."""

import io
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
from jaxtyping import Float, Float64, UInt8

from vinlab.maps.costs import (
    NAV2_FREE_SPACE,
    NAV2_LETHAL,
    NAV2_MULTIPLIER,
    NAV2_UNKNOWN,
    CostOptions,
    grade_bytes,
)
from vinlab.maps.grid_map import GridMap, MapOptions, map_of_graded
from vinlab.maps.image import GreyImage
from vinlab.maps.transform import Frame
from vinlab.recording.files import write_bytes, write_text
from vinlab.types import InputError

FULL = 100
"""The occupancy of a cell that is certainly occupied, in percent."""


def map_of_shades(
    occupied: Float[np.ndarray, "H W"],
    free_below: float,
    occupied_above: float,
    words: str,
    options: MapOptions,
) -> GridMap:
    """The map of a yaml file with ``mode: scale``: between its two thresholds the occupancy grows from 0 to 100 %."""
    occupied = occupied.astype(np.float64)
    share = (occupied - free_below) / max(occupied_above - free_below, 1e-12)
    percent = np.where(occupied > occupied_above, FULL, np.rint(np.clip(share, 0, 1) * FULL))
    percent = np.where((percent >= FULL) & (occupied <= occupied_above), FULL - 1, percent)
    found = grade_bytes(bytes_of_occupancy(percent), words, options.grading)
    return map_of_graded(found, f"{words}, read by scale as occupancy", _nav2(options))


def map_of_bytes(image: GreyImage, name: str, words: str, options: MapOptions) -> GridMap:
    """The map of a yaml file with ``mode: raw``: the pixels are bytes of a costmap, or occupancies of 0 to 100.

    They are occupancies, as ``map_server`` reads them, where some are 100 and none is above but 255; ``--costs nav2``
    makes them bytes in any case.
    """
    if image.white != NAV2_UNKNOWN:
        raise InputError(f"{name}: expected a costmap as an image of 8 bits, got white at {image.white}.")
    values, meant = image.values, "raw bytes of a costmap"
    above = (values > FULL) & (values != NAV2_UNKNOWN)
    if options.grading.costs is None and (values == FULL).any() and not above.any():
        values, meant = bytes_of_occupancy(values.astype(np.float64)), "raw occupancies of 0 to 100"
    found = grade_bytes(values, name, options.grading)
    return map_of_graded(found, f"{words}, read as {meant}", _nav2(options))


def _nav2(options: MapOptions) -> MapOptions:
    return replace(options, grading=replace(options.grading, costs="nav2"))


def bytes_of_occupancy(percent: Float64[np.ndarray, "H W"]) -> UInt8[np.ndarray, "H W"]:
    """Occupancies of 0 to 100 as Nav2's static layer turns them into costs; all else is unknown."""
    graded = np.floor(percent / FULL * NAV2_LETHAL)
    known = (percent >= 0) & (percent <= FULL)
    return np.where(known, graded, NAV2_UNKNOWN).astype(np.uint8)


def costmap_bytes(map: GridMap, options: CostOptions | None = None) -> UInt8[np.ndarray, "H W"]:
    """The map as a costmap: the inverse of reading one with the same ``cost_scale``; blocked cells are lethal."""
    if map.relief is not None:
        raise InputError(
            "A costmap has no directions: expected a map with costs of cells, got one with heights."
        )
    scale = None if options is None else options.cost_scale
    multiplier = NAV2_MULTIPLIER if scale is None else scale
    costs = np.ones(map.obstacles.shape) if map.costs is None else map.costs
    free = map.obstacles == 0
    found = np.rint((costs - 1.0) * NAV2_FREE_SPACE / multiplier) if multiplier > 0 else costs - 1.0
    wrong = free & ~((found >= 0) & (found <= NAV2_FREE_SPACE))
    if wrong.any():
        raise InputError(
            f"costs: expected 1 to {1 + multiplier:g}, which a costmap can hold, got {costs[wrong].flat[0]:g}."
        )
    return np.where(free, found, NAV2_LETHAL).astype(np.uint8)


def write_costmap(
    path: str | Path, costmap: UInt8[np.ndarray, "H W"] | GridMap, frame: Frame | None = None
) -> None:
    """Write the bytes of a costmap, or of a map with costs: ``.npy``, or ``.yaml`` with a PGM image beside it.

    A yaml file holds world coordinates: those of ``frame`` or of the map; without any, cells of 1 m.
    """
    path = Path(path)
    bytes = costmap_bytes(costmap) if isinstance(costmap, GridMap) else costmap
    if path.suffix == ".npy":
        data = io.BytesIO()
        np.save(data, bytes)
        write_bytes(path, data.getvalue())
        return
    if path.suffix not in (".yaml", ".yml"):
        raise InputError(f"expected a costmap file of type .npy, .yaml, .yml, got '{path.name}'.")
    if frame is None and isinstance(costmap, GridMap):
        frame = costmap.frame
    rows, cols = bytes.shape
    image = path.with_suffix(".pgm")
    resolution, origin = _grid_origin(frame, rows)
    write_bytes(image, b"P5\n%d %d\n255\n" % (cols, rows) + np.ascontiguousarray(bytes).tobytes())
    fields = (
        f"image: {image.name}\nmode: raw\nresolution: {resolution!r}\norigin: {list(origin)!r}\nnegate: 0\n"
        "occupied_thresh: 0.65\nfree_thresh: 0.196\n"
    )
    write_text(path, fields)


def _grid_origin(frame: Frame | None, rows: int) -> tuple[float, tuple[float, float, float]]:
    """The resolution and origin of a yaml file, from the coordinates of cells; the inverse of ``ros.world_frame``."""
    if frame is None or frame.unit == "cells":
        return 1.0, (0.0, 0.0, 0.0)
    if not (math.isclose(frame.e, -frame.a) and math.isclose(frame.b, frame.d, abs_tol=1e-12)):
        raise InputError(
            "A ROS map has square cells and y upwards: expected such world coordinates, got others."
        )
    along, across, right, up = frame.a, frame.b, 0.5, rows - 0.5
    x = frame.c - along * right + across * up
    y = frame.f - across * right - along * up
    # Without the last digits, which only rounding made.
    return round(math.hypot(along, across), 12), (round(x, 12), round(y, 12), math.atan2(across, along))

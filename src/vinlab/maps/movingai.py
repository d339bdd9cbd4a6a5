"""The maps of the MovingAI benchmarks: one character for each cell, row by row."""

import re

import numpy as np
from jaxtyping import UInt8

from vinlab.maps.costs import without_costs
from vinlab.maps.grid_map import GridMap, MapOptions, require_side
from vinlab.maps.safe_files import as_text
from vinlab.types import InputError

LAND, WATER = ".GS", "W"
"""Floor and swamp; and water, which is free, but not from land. Trees and out of bounds are blocked."""
KNOWN = LAND + WATER + "@OT"


def map_of_movingai(data: bytes, name: str, options: MapOptions) -> GridMap:
    """The map of a ``.map`` file; corner cutting is forbidden, as in the lengths of the benchmark."""
    options.refuse_values("A MovingAI map")
    without_costs(options.grading, "A MovingAI map")
    lines = as_text(data, name).splitlines()
    height, width, first = _header(lines, name)
    require_side(height, width, name)
    rows = lines[first : first + height]
    if len(rows) < height:
        raise InputError(f"{name}: expected {height} rows, got {len(rows)}; the file is cut off.")
    if any(line.strip() for line in lines[first + height :]):
        raise InputError(f"{name}: expected {height} rows, got more lines after them.")
    for number, row in enumerate(rows):
        if len(row) != width or set(row) - set(KNOWN):
            raise InputError(
                f"{name}: expected {width} of the characters {KNOWN} in each row, got others in row {number}."
            )
    letters = np.frombuffer("".join(rows).encode("ascii"), np.uint8).reshape(height, width)
    land, water = (_blocked(letters, kind) for kind in (LAND, WATER))
    is_dry = bool(water.all())
    wet = "" if is_dry else ", and water unless the goal lies in it"
    words = f"A MovingAI map: trees and out of bounds are blocked{wet}; corner cutting is forbidden."
    return GridMap(land, words, corner_cutting=False, water_obstacles=None if is_dry else water)


def _blocked(letters: UInt8[np.ndarray, "H W"], free: str) -> UInt8[np.ndarray, "H W"]:
    """1 in all cells but those of the given kinds."""
    return (~np.isin(letters, np.frombuffer(free.encode("ascii"), np.uint8))).astype(np.uint8)


def _header(lines: list[str], name: str) -> tuple[int, int, int]:
    """The height, the width, and the number of the first line of the map."""
    fields = {}
    for number, line in enumerate(lines[:20]):
        if line.strip() == "map":
            if {"height", "width"} <= fields.keys():
                return fields["height"], fields["width"], number + 1
            break
        found = re.fullmatch(r"(height|width)\s+(-?\d{1,9})\s*", line)
        if found and found[1] in fields:
            raise InputError(f"{name}: expected one line {found[1]}, got two.")
        if found:
            fields[found[1]] = int(found[2])
    raise InputError(f"{name}: expected the lines type, height, width and map of a MovingAI map, got others.")

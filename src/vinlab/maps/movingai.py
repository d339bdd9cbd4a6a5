"""The maps of the MovingAI benchmarks: one character for each cell, row by row."""

import re

import numpy as np

from vinlab.maps.grid_map import GridMap, MapOptions, require_side
from vinlab.maps.safe_files import as_text
from vinlab.types import InputError

PASSABLE = ".GS"
"""Floor and swamp; trees, water and out of bounds are blocked."""
KNOWN = PASSABLE + "@OTW"


def map_of_movingai(data: bytes, name: str, options: MapOptions) -> GridMap:
    """The map of a ``.map`` file; corner cutting is forbidden, as in the lengths of the benchmark."""
    options.refuse_values("A MovingAI map")
    lines = as_text(data, name).splitlines()
    height, width, first = _header(lines, name)
    require_side(height, width, name)
    rows = lines[first : first + height]
    if len(rows) < height:
        raise InputError(f"{name}: expected {height} rows, got {len(rows)}; the file is cut off.")
    for number, row in enumerate(rows):
        if len(row) != width or set(row) - set(KNOWN):
            raise InputError(
                f"{name}: expected {width} of the characters {KNOWN} in each row, got others in row {number}."
            )
    letters = np.frombuffer("".join(rows).encode("ascii"), np.uint8).reshape(height, width)
    obstacles = ~np.isin(letters, np.frombuffer(PASSABLE.encode("ascii"), np.uint8))
    words = "A MovingAI map: trees, water and out of bounds are blocked; corner cutting is forbidden."
    return GridMap(obstacles.astype(np.uint8), words, corner_cutting=False)


def _header(lines: list[str], name: str) -> tuple[int, int, int]:
    """The height, the width, and the number of the first line of the map."""
    fields = {}
    for number, line in enumerate(lines[:20]):
        if line.strip() == "map":
            if {"height", "width"} <= fields.keys():
                return fields["height"], fields["width"], number + 1
            break
        found = re.fullmatch(r"(height|width)\s+(-?\d{1,9})\s*", line)
        if found:
            fields[found[1]] = int(found[2])
    raise InputError(f"{name}: expected the lines type, height, width and map of a MovingAI map, got others.")

"""Tables of demonstrated paths: CSV with a line for each cell or point, and JSON with a list of them for each path."""

import csv
import io
import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from vinlab.maps.safe_files import as_text, read_content
from vinlab.recording.json_files import LARGEST_JSON, parse_json
from vinlab.types import InputError

CELL_COLUMNS, WORLD_COLUMNS = ("row", "col"), ("x", "y")


@dataclass(frozen=True)
class WrittenPath:
    """A path as a file holds it."""

    name: str
    """The file, and the path in it."""
    image: str
    """The name of the image file that it lies on."""
    points: Float64[np.ndarray, "T 2"]
    """``(row, col)`` of cells, or ``(x, y)`` in world coordinates."""
    world: bool
    columns: Mapping[str, str] = field(default_factory=dict)
    """What else the file says of it."""


def read_paths(path: str | Path) -> list[WrittenPath]:
    """The paths of a ``.csv`` or ``.json`` file.

    CSV has a header with ``image``, ``path``, and ``row`` and ``col`` (cells) or ``x`` and ``y`` (world coordinates);
    the lines of a path follow each other in its order. JSON is a list of objects with ``image``, and ``cells``
    (``[row, col]``) or ``points`` (``[x, y]``). Further columns or fields are kept by name.
    """
    path = Path(path)
    text = as_text(read_content(path), str(path))
    found = _from_json(text, path) if path.suffix.lower() == ".json" else _from_csv(text, path)
    if not found:
        raise InputError(f"{path}: expected at least one path, got none.")
    return found


class _Lines:
    """The lines of one path: its numbers one after the other, and what else the first line says."""

    def __init__(self, others: Mapping[str, str]) -> None:
        self.numbers = array("d")
        self.others = others


def _from_csv(text: str, path: Path) -> list[WrittenPath]:
    lines = csv.reader(io.StringIO(text), skipinitialspace=True)
    try:
        columns = [name.strip() for name in next(lines, [])]
        world = _is_world(columns, path)
        axes = WORLD_COLUMNS if world else CELL_COLUMNS
        others = [name for name in columns if name not in (*axes, "image", "path")]
        groups: dict[tuple[str, str], _Lines] = {}
        for row in lines:
            if row:
                line = dict(zip(columns, row, strict=False))
                key = line.get("image", "").strip(), line.get("path", "").strip()
                if key not in groups:
                    groups[key] = _Lines({name: line.get(name, "").strip() for name in others})
                groups[key].numbers.extend(_number(line, axis, lines.line_num, path) for axis in axes)
    except csv.Error as error:
        raise InputError(
            f"{path}: line {lines.line_num}: expected a line of a table, got a {error}."
        ) from None
    return [
        WrittenPath(
            name=f"{path}: path {number or '(no name)'} on {image}",
            image=image,
            points=np.array(found.numbers).reshape(-1, 2),
            world=world,
            columns=found.others,
        )
        for (image, number), found in groups.items()
    ]


def _is_world(columns: Sequence[str], path: Path) -> bool:
    """Whether a table holds world coordinates; a sentence where columns are missing."""
    world = set(WORLD_COLUMNS) <= set(columns) and not set(CELL_COLUMNS) <= set(columns)
    wanted = ("image", "path", *(WORLD_COLUMNS if world else CELL_COLUMNS))
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise InputError(
            f"{path}: expected the columns image, path, row, col (or x, y in place of row, col), got a table "
            f"without {', '.join(missing)}."
        )
    return world


def _number(line: Mapping[str, str], column: str, at: int, path: Path) -> float:
    text = line.get(column, "").strip()
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{path}: line {at}: expected a number as {column}, got '{text[:40]}'.")
    return number


def _from_json(text: str, path: Path) -> list[WrittenPath]:
    if len(text) > LARGEST_JSON:
        raise InputError(f"{path}: expected at most {LARGEST_JSON // 2**20} MB of JSON, got more.")
    entries = parse_json(text, str(path))
    if isinstance(entries, dict):
        entries = entries.get("paths")
    if not isinstance(entries, list):
        raise InputError(f"{path}: expected a list of paths, got {type(entries).__name__}.")
    return [_entry(entry, f"{path}: path {number}") for number, entry in enumerate(entries)]


def _entry(entry: Any, name: str) -> WrittenPath:
    if not isinstance(entry, dict) or not isinstance(entry.get("image"), str):
        raise InputError(f"{name}: expected an object with the name of its image, got something else.")
    world = "points" in entry and "cells" not in entry
    points = entry.get("points" if world else "cells")
    try:
        cells: np.ndarray = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        cells = np.zeros((0, 0))
    if cells.ndim != 2 or cells.shape[-1] != 2 or not np.isfinite(cells).all():
        raise InputError(f"{name}: expected cells as [row, col] or points as [x, y], got something else.")
    known = ("image", "cells", "points")
    columns = {key: str(value) for key, value in entry.items() if key not in known}
    return WrittenPath(f"{name} on {entry['image']}", entry["image"], cells, world, columns)

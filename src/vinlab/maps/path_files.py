"""Tables of demonstrated paths: CSV with a line for each cell or point, and JSON with a list of them for each path."""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from vinlab.maps.safe_files import as_text, read_content
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


def _from_csv(text: str, path: Path) -> list[WrittenPath]:
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    columns = [name.strip() for name in reader.fieldnames or ()]
    reader.fieldnames = columns
    world = _is_world(columns, path)
    axes = WORLD_COLUMNS if world else CELL_COLUMNS
    groups: dict[tuple[str, str], list[tuple[int, Mapping[str, Any]]]] = {}
    for line in reader:
        key = (line["image"] or "").strip(), (line["path"] or "").strip()
        groups.setdefault(key, []).append((reader.line_num, line))
    others = [name for name in columns if name not in (*axes, "image", "path")]
    return [
        WrittenPath(
            name=f"{path}: path {number or '(no name)'} on {image}",
            image=image,
            points=np.array([[_number(line, axis, at, path) for axis in axes] for at, line in lines]),
            world=world,
            columns={name: (lines[0][1][name] or "").strip() for name in others},
        )
        for (image, number), lines in groups.items()
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


def _number(line: Mapping[str, Any], column: str, at: int, path: Path) -> float:
    text = (line[column] or "").strip()
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{path}: line {at}: expected a number as {column}, got '{text[:40]}'.")
    return number


def _from_json(text: str, path: Path) -> list[WrittenPath]:
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{path}: expected JSON, got something else.") from None
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
        array: np.ndarray = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros((0, 0))
    if array.ndim != 2 or array.shape[-1] != 2 or not np.isfinite(array).all():
        raise InputError(f"{name}: expected cells as [row, col] or points as [x, y], got something else.")
    known = ("image", "cells", "points")
    columns = {key: str(value) for key, value in entry.items() if key not in known}
    return WrittenPath(f"{name} on {entry['image']}", entry["image"], array, world, columns)

"""Tables of demonstrated paths: CSV with a line for each cell or point, and JSON with a list of them for each path."""

import csv
import io
import math
import re
from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from vinlab.maps.safe_files import as_text, read_content
from vinlab.recording.json_files import LARGEST_JSON, parse_json
from vinlab.types import InputError

CELL_COLUMNS, WORLD_COLUMNS = ("row", "col"), ("x", "y")
WRITTEN_NUMBER = re.compile(r"[-+.\deE]+", re.ASCII)
"""The signs of a number; Python's own would read 1_0 as ten."""
MOST_PATHS, MOST_COLUMNS = 100_000, 100
"""Of a table: each path keeps what its columns say of it."""


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
    lines = csv.reader(io.StringIO(text), skipinitialspace=True)
    try:
        columns = _columns(next(lines, []), path)
        world = _is_world(columns, path)
        axes = WORLD_COLUMNS if world else CELL_COLUMNS
        needed = [columns.index(name) for name in ("image", "path", *axes)]
        others = [name for name in columns if name not in (*axes, "image", "path")]
        # The numbers of each path one after the other, and what else its first line says.
        groups: dict[tuple[str, str], tuple[array[float], dict[str, str]]] = {}
        for row in filter(None, lines):
            if len(row) < len(columns):
                row += [""] * (len(columns) - len(row))
            _require_no_more(row, columns, lines.line_num, path)
            image, number, *texts = (row[place].strip() for place in needed)
            if (found := groups.get((image, number))) is None:
                line = dict(zip(columns, row, strict=False))
                found = groups[image, number] = array("d"), {name: line[name].strip() for name in others}
                _require_few(groups, path)
            for axis, text in zip(axes, texts, strict=True):
                found[0].append(_number(text, axis, lines.line_num, path))
    except csv.Error as error:
        raise InputError(
            f"{path}: line {lines.line_num}: expected a line of a table, got a {error}."
        ) from None
    return [
        WrittenPath(
            name=f"{path}: path {number or '(no name)'} on {image}",
            image=image,
            points=np.array(numbers).reshape(-1, 2),
            world=world,
            columns=columns,
        )
        for (image, number), (numbers, columns) in groups.items()
    ]


def _columns(names: Sequence[str], path: Path) -> list[str]:
    """The names in the first line of a table."""
    if len(names) > MOST_COLUMNS:
        raise InputError(f"{path}: expected at most {MOST_COLUMNS} columns, got {len(names)}.")
    columns = [name.strip() for name in names]
    twice = [name for name in columns if name and columns.count(name) > 1]
    if twice:
        raise InputError(f"{path}: expected each column once, got '{twice[0][:40]}' twice.")
    return columns


def _require_no_more(row: Sequence[str], columns: Sequence[str], at: int, path: Path) -> None:
    """Refuse a line with more fields than columns: a comma for a point would shift all that follows."""
    if any(map(str.strip, row[len(columns) :])):
        raise InputError(f"{path}: line {at}: expected {len(columns)} fields, got {len(row)}.")


def _require_few(paths: Collection[Any], path: Path) -> None:
    if len(paths) > MOST_PATHS:
        raise InputError(f"{path}: expected at most {MOST_PATHS:,} paths, got more.")


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


def _number(text: str, column: str, at: int, path: Path) -> float:
    try:
        number = float(text) if WRITTEN_NUMBER.fullmatch(text) else math.nan
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
    _require_few(entries, path)
    return [_entry(entry, f"{path}: path {number}") for number, entry in enumerate(entries)]


def _entry(entry: Any, name: str) -> WrittenPath:
    if not isinstance(entry, dict) or not isinstance(entry.get("image"), str):
        raise InputError(f"{name}: expected an object with the name of its image, got something else.")
    world = "points" in entry and "cells" not in entry
    points = entry.get("points" if world else "cells")
    try:
        found = np.array(points)
        cells: np.ndarray = found.astype(np.float64) if found.dtype.kind in "if" else np.zeros((0, 0))
    except (TypeError, ValueError):
        cells = np.zeros((0, 0))
    if cells.ndim != 2 or cells.shape[-1] != 2 or not np.isfinite(cells).all():
        raise InputError(f"{name}: expected cells as [row, col] or points as [x, y], got something else.")
    known = ("image", "cells", "points")
    columns = {key: str(value) for key, value in entry.items() if key not in known}
    return WrittenPath(f"{name} on {entry['image']}", entry["image"], cells, world, columns)

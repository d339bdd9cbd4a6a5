"""The scenarios of the MovingAI benchmarks: starts and goals on one map, with the optimal lengths."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float64, Int64

from vinlab.maps.grid_map import GridMap, MapOptions
from vinlab.maps.read import SCENARIOS, map_of_file, read_map
from vinlab.maps.safe_files import as_text, read_content, resolve_sibling
from vinlab.types import InputError

MAX_SCENARIOS = 100_000


@dataclass(frozen=True)
class Scenarios:
    """Problems on one map."""

    map: GridMap
    starts: Int64[np.ndarray, "N 2"]
    goals: Int64[np.ndarray, "N 2"]
    lengths: Float64[np.ndarray, " N"]
    """The optimal lengths that the file states."""

    def __len__(self) -> int:
        return len(self.starts)


def read_map_or_scenarios(path: Path, options: MapOptions) -> GridMap | Scenarios:
    """The map of a file, or the scenarios if it is a list of them."""
    data = read_content(path)
    if SCENARIOS.match(data[:100]):
        return _scenarios_of(data, path, options)
    return map_of_file(data, path, options)


def read_scenarios(path: str | Path, options: MapOptions | None = None) -> Scenarios:
    """The scenarios of a file and the map beside it that they name."""
    return _scenarios_of(read_content(Path(path)), Path(path), options)


def _scenarios_of(data: bytes, path: Path, options: MapOptions | None) -> Scenarios:
    lines = as_text(data, str(path)).splitlines()[1:]
    rows = [_fields(line, number + 2, path) for number, line in enumerate(lines) if line.strip()]
    if not 0 < len(rows) <= MAX_SCENARIOS:
        raise InputError(f"{path}: expected 1 to {MAX_SCENARIOS} scenarios, got {len(rows)}.")
    names = {row[0] for row in rows}
    if len(names) > 1:
        raise InputError(f"{path}: expected scenarios of one map, got {len(names)} maps.")
    map = read_map(resolve_sibling(path, re.split(r"[/\\]", names.pop())[-1]), options)
    numbers = np.array([row[1] for row in rows], dtype=np.int64)
    _require_same_size(numbers[:, :2], map, path)
    # The file has x, y; vinlab has row, col.
    starts, goals = numbers[:, [3, 2]], numbers[:, [5, 4]]
    for name, cells in (("start", starts), ("goal", goals)):
        _require_free(cells, map, name, path)
    return Scenarios(map, starts, goals, np.array([row[2] for row in rows]))


def _fields(line: str, number: int, path: Path) -> tuple[str, list[int], float]:
    """The name of the map, the six whole numbers, and the length."""
    fields = line.split("\t") if "\t" in line else line.split()
    try:
        _, name, *numbers, length = fields
        whole, stated = [int(entry) for entry in numbers], float(length)
        if len(whole) != 6 or not math.isfinite(stated) or max(map(abs, whole)) > 10**6:
            raise ValueError
    except ValueError:
        raise InputError(
            f"{path}: expected nine fields in each line (bucket, map, two sizes, start x y, goal x y, length), "
            f"got others in line {number}."
        ) from None
    return name, whole, stated


def _require_same_size(sizes: np.ndarray, map: GridMap, path: Path) -> None:
    height, width = map.obstacles.shape
    if (sizes != (width, height)).any():
        raise InputError(f"{path}: expected the size of its map, {height} x {width} cells, got another.")


def _require_free(cells: np.ndarray, map: GridMap, name: str, path: Path) -> None:
    inside: np.ndarray = np.asarray(((cells >= 0) & (cells < map.obstacles.shape)).all(axis=1))
    on_map = np.where(inside[:, None], cells, 0)
    bad = ~inside | (map.obstacles[on_map[:, 0], on_map[:, 1]] != 0)
    if bad.any():
        first = int(bad.argmax())
        row, col = cells[first].tolist()
        raise InputError(
            f"{path}: expected a free cell as the {name} of scenario {first}, got ({row}, {col})."
        )

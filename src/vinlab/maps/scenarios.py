"""The scenarios of the MovingAI benchmarks: many starts and goals on one map, with the length of the best way."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float64, Int64

from vinlab.maps.grid_map import GridMap, MapOptions
from vinlab.maps.read import SCENARIOS, read_map
from vinlab.maps.safe_files import as_text, read_content, resolve_sibling
from vinlab.types import InputError

MOST = 100_000


@dataclass(frozen=True)
class Scenarios:
    """Tasks on one map."""

    map: GridMap
    starts: Int64[np.ndarray, "N 2"]
    goals: Int64[np.ndarray, "N 2"]
    lengths: Float64[np.ndarray, " N"]
    """The optimal lengths that the file states."""

    def __len__(self) -> int:
        return len(self.starts)


def is_scenario_file(path: str | Path) -> bool:
    """Whether a file is a list of scenarios; one that cannot be read is not."""
    try:
        with Path(path).open("rb") as file:
            return Path(path).is_file() and bool(SCENARIOS.match(file.read(100)))
    except (OSError, ValueError):
        return False


def read_scenarios(path: str | Path, options: MapOptions | None = None) -> Scenarios:
    """The scenarios of a file and the map beside it that they name."""
    path = Path(path)
    lines = as_text(read_content(path), str(path)).splitlines()[1:]
    rows = [_fields(line, number + 2, path) for number, line in enumerate(lines) if line.strip()]
    if not 0 < len(rows) <= MOST:
        raise InputError(f"{path} must hold between 1 and {MOST} scenarios, but {len(rows)} came.")
    names = {row[0] for row in rows}
    if len(names) > 1:
        raise InputError(f"{path} must speak of one map, but names {len(names)}.")
    map = read_map(resolve_sibling(path, re.split(r"[/\\]", names.pop())[-1]), options)
    numbers = np.array([row[1] for row in rows], dtype=np.int64)
    _require_same_size(numbers[:, :2], map, path)
    # The file says x, y; we say row, col.
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
            f"{path} must have nine fields in each line (bucket, map, two sizes, start x y, goal x y, length); "
            f"line {number} has not."
        ) from None
    return name, whole, stated


def _require_same_size(sizes: np.ndarray, map: GridMap, path: Path) -> None:
    height, width = map.obstacles.shape
    if (sizes != (width, height)).any():
        raise InputError(f"{path} is made for another size than the {height} x {width} cells of its map.")


def _require_free(cells: np.ndarray, map: GridMap, name: str, path: Path) -> None:
    inside: np.ndarray = np.asarray(((cells >= 0) & (cells < map.obstacles.shape)).all(axis=1))
    on_map = np.where(inside[:, None], cells, 0)
    bad = ~inside | (map.obstacles[on_map[:, 0], on_map[:, 1]] != 0)
    if bad.any():
        first = int(bad.argmax())
        row, col = cells[first].tolist()
        raise InputError(f"{path}: the {name} ({row}, {col}) of scenario {first} is blocked or off the map.")

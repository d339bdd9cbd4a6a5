"""The scenarios of the MovingAI benchmarks: starts and goals on one map, with the optimal lengths."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float64, Int64

from vinlab.maps.grid_map import GridMap, MapOptions
from vinlab.maps.read import SCENARIOS, map_of_file, read_map
from vinlab.maps.safe_files import as_text, read_content, resolve_sibling
from vinlab.types import InputError

MAX_SCENARIOS = 100_000

DEFAULT_DIGITS = 6
"""Significant digits to which C++ prints numbers; whole numbers are printed without decimals."""

DIAGONAL_ERROR = 2e-8
"""How far, as a share of their length, stated lengths are off: some were added up with a float32 square root of 2."""

WHOLE, LENGTH = re.compile(r"[-+]?\d{1,7}"), re.compile(r"\d{1,9}(?:\.\d{0,20})?")


@dataclass(frozen=True)
class Scenarios:
    """Problems on one map."""

    map: GridMap
    starts: Int64[np.ndarray, "N 2"]
    goals: Int64[np.ndarray, "N 2"]
    lengths: Float64[np.ndarray, " N"]
    """The optimal lengths that the file states."""
    tolerances: Float64[np.ndarray, " N"]
    """How far a length may be from the stated one to be the same at the precision that the file gives."""

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, chosen: Bool[np.ndarray, " N"] | Int64[np.ndarray, " M"]) -> "Scenarios":
        parts = (self.starts, self.goals, self.lengths, self.tolerances)
        return Scenarios(self.map, *(part[chosen] for part in parts))

    @property
    def has_route(self) -> Bool[np.ndarray, " N"]:
        """False where the file states the length 0 though the start is not the goal: there is no route."""
        return (self.lengths > 0) | (self.starts == self.goals).all(axis=1)


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
    lengths = [row[2] for row in rows]
    # The file has x, y; vinlab has row, col.
    ends = numbers[:, [3, 2]], numbers[:, [5, 4]]
    scenarios = Scenarios(map, *ends, np.array([float(length) for length in lengths]), _tolerances(lengths))
    _require_free(scenarios, path)
    return scenarios


def _fields(line: str, number: int, path: Path) -> tuple[str, list[int], str]:
    """The name of the map, the six whole numbers, and the length as written; tabs or spaces stand between them."""
    fields = line.split()
    names, numbers, length = fields[1:-7], fields[-7:-1], fields[-1]
    if not (
        len(fields) >= 9 and LENGTH.fullmatch(length) and all(WHOLE.fullmatch(number) for number in numbers)
    ):
        raise InputError(
            f"{path}: expected nine fields in each line (bucket, map, two sizes, start x y, goal x y, length), "
            f"got {len(fields)} in line {number}."
        )
    return " ".join(names), [int(entry) for entry in numbers], length


def _tolerances(lengths: list[str]) -> Float64[np.ndarray, " N"]:
    """Half a unit of the last decimal that the file gives for each length.

    A file gives a number of decimals, or of significant digits without the zeros at the end; whichever is coarser. A
    file of whole numbers alone gives significant digits.
    """
    whole, decimals = zip(*(length.partition(".")[::2] for length in lengths), strict=True)
    places = np.array([len(text.lstrip("0")) for text in whole])
    most = max(len(text) for text in decimals)
    digits = max(len((left + right).lstrip("0")) for left, right in zip(whole, decimals, strict=True))
    given = np.minimum(most or DEFAULT_DIGITS, max(digits, DEFAULT_DIGITS) - places)
    return 0.5 * 10.0**-given + DIAGONAL_ERROR * np.array([float(length) for length in lengths])


def _require_same_size(sizes: np.ndarray, map: GridMap, path: Path) -> None:
    height, width = map.obstacles.shape
    if (sizes != (width, height)).any():
        raise InputError(f"{path}: expected the size of its map, {height} x {width} cells, got another.")


def _require_free(scenarios: Scenarios, path: Path) -> None:
    """All ends lie on the map, and where there is a route in free cells."""
    map, goals = scenarios.map, scenarios.goals
    for name, cells in (("goal", goals), ("start", scenarios.starts)):
        inside: np.ndarray = np.asarray(((cells >= 0) & (cells < map.obstacles.shape)).all(axis=1))
        _require(inside, f"{path}: expected a cell of the map as the {name}", cells)
        free = map.is_free(cells, goals) | ~scenarios.has_route
        _require(free, f"{path}: expected a free cell as the {name}", cells)


def _require(good: Bool[np.ndarray, " N"], expected: str, cells: Int64[np.ndarray, "N 2"]) -> None:
    if not good.all():
        first = int(good.argmin())
        row, col = cells[first].tolist()
        raise InputError(f"{expected} of scenario {first}, got ({row}, {col}).")

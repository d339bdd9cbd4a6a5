"""Arrays as maps: ``.npy``, ``.npz`` with ``obstacles`` or ``costs``, and the datasets of Neural A*."""

import io
import math
import zipfile
from dataclasses import replace
from functools import partial

import numpy as np

from vinlab.maps.costs import CostOptions, MapValues, grade, require_cell_costs
from vinlab.maps.grid_map import (
    GridMap,
    MapOptions,
    map_of_graded,
    require_graded_size,
    require_side,
    unknown_words,
    with_unknown,
)
from vinlab.recording.array_files import members_of, open_archive, read_array, read_member
from vinlab.types import InputError

NEURAL_ASTAR_MAPS, NEURAL_ASTAR_GOALS = ("arr_0", "arr_4", "arr_8"), ("arr_1", "arr_5", "arr_9")
"""The maps of training, validation and test, and their goals."""

BLOCKED = ("obstacles", "blocked")
"""The arrays that may say which cells are blocked; without one those of infinite cost are."""


def map_of_array(data: bytes, name: str, options: MapOptions) -> GridMap:
    """The map of a ``.npy`` file: 1 is blocked."""
    return _map_of(read_array(io.BytesIO(data), name), name, options)


def map_of_archive(data: bytes, name: str, options: MapOptions) -> GridMap:
    """The map of an ``.npz`` file: ``costs``, ``obstacles`` (1 is blocked), or a map of Neural A* (1 is free)."""
    with open_archive(data, name) as archive:
        names = members_of(archive)
        if "costs" in names:
            return _map_of_costs(archive, names, name, options)
        if "obstacles" in names:
            return _map_of_ours(archive, names, name, options)
        if {*NEURAL_ASTAR_MAPS, *NEURAL_ASTAR_GOALS} <= names:
            return _map_of_neural_astar(archive, name, options)
        held = ", ".join(sorted(names)[:8])[:200] or "none"
    raise InputError(f"{name}: expected an array 'obstacles' or 'costs', got {held}.")


def _map_of_costs(archive: zipfile.ZipFile, names: set[str], name: str, options: MapOptions) -> GridMap:
    """The map of an archive with ``costs``: finite and above zero in free cells."""
    member = partial(read_member, archive)
    options.refuse_values("A file with costs")
    if options.grading != CostOptions():
        raise InputError(
            f"{name}: expected no --costs for a file that holds costs, got {options.grading.costs}."
        )
    costs = one_map(member("costs", name), name, options.index, f"'costs' in {name}").astype(np.float64)
    require_side(costs.shape[0], costs.shape[1], name)
    require_graded_size(costs.shape)
    blocked, words = np.isposinf(costs), "infinite ones are blocked"
    for key in BLOCKED:
        if key in names:
            words = f"'{key}' in {name}"
            named = one_map(member(key, name), name, options.index, words)
            strange = named[(named != 0) & (named != 1)]
            if strange.size:
                raise InputError(f"{words}: expected only 0 and 1, got {strange.flat[0]:g}.")
            if named.shape != costs.shape:
                raise InputError(
                    f"{name}: expected costs and {key} of one shape, got {costs.shape} and {named.shape}."
                )
            blocked |= named == 1
            words = f"cells of '{key}' are blocked"
    require_cell_costs(costs, blocked, f"'costs' in {name}")
    start, goal = (
        position_in(member(key, name), options.index) if key in names else None for key in ("starts", "goals")
    )
    told = f"An array of costs; {words}, and a move costs its length times the mean of its two cells."
    return GridMap(
        blocked.astype(np.uint8), told, start=start, goal=goal, costs=np.where(blocked, 1.0, costs)
    )


def _map_of_ours(archive: zipfile.ZipFile, names: set[str], name: str, options: MapOptions) -> GridMap:
    ends = {}
    for end, key in (("start", "starts"), ("goal", "goals")):
        if key in names:
            ends[end] = position_in(read_member(archive, key, name), options.index)
    return _map_of(read_member(archive, "obstacles", name), name, options, **ends)


def position_in(positions: np.ndarray, index: int) -> tuple[int, int] | None:
    """A position of a list of them; None where the list holds no valid one."""
    if positions.ndim != 2 or positions.shape[1] != 2 or not 0 <= index < len(positions):
        return None
    row, col = positions[index].tolist()
    return (int(row), int(col)) if math.isfinite(row) and math.isfinite(col) else None


def _map_of_neural_astar(archive: zipfile.ZipFile, name: str, options: MapOptions) -> GridMap:
    if options.obstacles is None:
        options = replace(options, obstacles="dark")
    index = options.index
    for maps, goals in zip(NEURAL_ASTAR_MAPS, NEURAL_ASTAR_GOALS, strict=True):
        array = read_member(archive, maps, name)
        if array.ndim != 3:
            raise InputError(f"'{maps}' in {name}: expected maps (N, H, W), got the shape {array.shape}.")
        if index < len(array) or maps == NEURAL_ASTAR_MAPS[-1]:
            goal = _marked(read_member(archive, goals, name), array.shape, index)
            return _map_of(array, name, replace(options, index=index), goal=goal)
        index -= len(array)
    raise AssertionError


def _marked(goals: np.ndarray, shape: tuple[int, ...], index: int) -> tuple[int, int] | None:
    """The cell that a one-hot map of the same size marks; None where there is no such map."""
    if goals.ndim < 3 or goals.shape[-2:] != shape[-2:] or not 0 <= index < len(goals):
        return None
    if goals[index].size != shape[-2] * shape[-1]:
        return None
    row, col = np.unravel_index(int(goals[index].argmax()), goals.shape[-2:])
    return int(row), int(col)


def one_map(array: np.ndarray, name: str, index: int, words: str) -> np.ndarray:
    """One map of an array of one or several; ``words`` name the array."""
    if array.ndim == 3:
        if not 0 <= index < len(array):
            raise InputError(f"{name}: expected an index of 0 to {len(array) - 1}, got {index}.")
        array = array[index]
    if array.ndim != 2:
        raise InputError(f"{words}: expected maps of two axes (rows, columns), got the shape {array.shape}.")
    return array


def _map_of(
    array: np.ndarray,
    name: str,
    options: MapOptions,
    *,
    start: tuple[int, int] | None = None,
    goal: tuple[int, int] | None = None,
) -> GridMap:
    if array.ndim != 3:
        options.refuse_index(name)
    array = one_map(array, name, options.index, name)
    require_side(array.shape[0], array.shape[1], name)
    if options.grading.costs is not None:
        options.refuse_threshold()
        unknown = _unknown_in(array)
        found = grade(MapValues(np.where(unknown, 0, array), unknown), name, options.grading)
        return replace(map_of_graded(found, "An array", options), start=start, goal=goal)
    obstacles, words = values_to_obstacles(array, name, options)
    return GridMap(obstacles, f"An array; {words}.", start=start, goal=goal)


def values_to_obstacles(array: np.ndarray, name: str, options: MapOptions) -> tuple[np.ndarray, str]:
    """The obstacles in an array of numbers, and in words the rule; not-a-number is unknown."""
    unknown = _unknown_in(array)
    if options.threshold is None:
        strange = array[(array != 0) & (array != 1) & ~unknown]
        if strange.size:
            raise InputError(f"{name}: expected only 0 and 1, or a --threshold, got {strange.flat[0]}.")
        high, words = array == 1, {"dark": "0 is blocked", "bright": "1 is blocked"}
    else:
        if not math.isfinite(options.threshold):
            raise InputError(f"threshold: expected a finite number, got {options.threshold}.")
        level = f"{options.threshold:g}"
        high = array > options.threshold
        words = {"dark": f"values up to {level} are blocked", "bright": f"values above {level} are blocked"}
    which = options.obstacles or "bright"
    blocked = high if which == "bright" else ~high
    return with_unknown(blocked, unknown, options), words[which] + unknown_words(unknown, options)


def _unknown_in(array: np.ndarray) -> np.ndarray:
    return np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, bool)

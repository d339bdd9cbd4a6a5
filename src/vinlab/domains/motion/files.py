"""Files of mazes in the layout of Gated Path Planning Networks: ``.npz`` with mazes (1 = free) and goals (one-hot).

The sets of Neural A* have the same layout with one array more in each part.
"""

from pathlib import Path
from typing import Final

import numpy as np

from vinlab.domains.gridworld.files import array_names, read_arrays, require_maps
from vinlab.domains.gridworld.validation import require_binary
from vinlab.domains.motion.problem import MotionProblems, require_free_maps
from vinlab.types import InputError

PARTS: Final = ("", "test_", "valid_", "train_")
"""Prefixes of the arrays, in the order in which a part is looked for."""

UNNAMED: Final = ("arr_6", "arr_7"), ("arr_3", "arr_4"), ("arr_0", "arr_1")
"""The authors' own names of mazes and goals, of the test, validation and training part."""

WITH_DISTANCES: Final = ("arr_8", "arr_9", "arr_10", "arr_11")
"""The test part of a set of Neural A*: mazes, goals, moves and distances; GPPN's files end before it."""

HEADINGS: Final = {1: (0,), 4: (0, 1, 3, 2)}
"""For each of the authors' orientations (north, east, west, south) ours (clockwise from north)."""


def has_gppn_layout(path: Path) -> bool:
    """Whether a file holds mazes in this layout."""
    return _names(path) is not None


def read_gppn_mazes(path: Path, layers: int) -> MotionProblems:
    """The mazes of the first part of the file that there is, of test, validation and training; starts are the goals."""
    names = _names(path)
    if names is None:
        raise InputError(f"{path}: expected the arrays mazes and goals, got a file without them.")
    arrays = read_arrays(path, names)
    wanted = arrays[names[0]].shape
    require_maps(arrays[names[0]], f"{names[0]} in {path}")
    if arrays[names[1]].shape != (wanted[0], layers, *wanted[1:]) or layers not in HEADINGS:
        raise InputError(
            f"{names[1]} in {path}: expected the shape {(wanted[0], layers, *wanted[1:])} for moves with "
            f"{layers} orientation{'s' * (layers > 1)}, got {arrays[names[1]].shape}."
        )
    mazes, goals = (require_binary(arrays[name], f"{name} in {path}") for name in names)
    if not (goals.reshape(len(goals), -1).sum(axis=1) == 1).all():
        raise InputError(f"{names[1]} in {path}: expected exactly one goal for each maze, got others.")
    obstacles = (1 - mazes).astype(np.uint8)
    require_free_maps(obstacles)
    _, layer, row, col = np.nonzero(goals)
    states = np.stack([row, col, np.array(HEADINGS[layers])[layer]], axis=-1)
    if obstacles[np.arange(len(states)), row, col].any():
        raise InputError(f"{names[1]} in {path}: expected goals in free cells, got one in a wall.")
    return MotionProblems(obstacles, states, states)


def _names(path: Path) -> tuple[str, str] | None:
    """The names of the arrays of mazes and goals."""
    known = array_names(path)
    if known.issuperset(WITH_DISTANCES):
        return WITH_DISTANCES[:2]
    candidates = [*((f"{part}mazes", f"{part}goals") for part in PARTS), *UNNAMED]
    return next((names for names in candidates if known.issuperset(names)), None)

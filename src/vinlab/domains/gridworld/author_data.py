"""The training files of the paper's authors: maps, goals and the expert's labels."""

import io
import math
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int64, UInt8

from vinlab.domains.gridworld.expert import pack_demonstrations
from vinlab.domains.gridworld.mat_files import require_complete
from vinlab.domains.gridworld.problem import observe
from vinlab.recording.files import read_bytes
from vinlab.types import MOVE_NAMES, Demonstrations, InputError, reason_of

KEYS = ("im_data", "value_data", "state_xy_data", "label_data")
"""The arrays with one row per state."""

ROW_KEYS = ("batch_im_data", "batch_value_data", "state_x_data", "state_y_data", "batch_label_data")
"""The same states shuffled within their map, in rows of ten; filler repeats a map's last state."""

LARGEST_ARRAY = 64 * 2**20
"""Bytes of an array of a file."""
NUMERIC = {"double": 8, "single": 4, "logical": 1} | {
    f"{sign}int{8 * size}": size for sign in ("", "u") for size in (1, 2, 4, 8)
}
"""The classes of arrays that hold numbers, and the bytes of a number."""

AUTHORS_ATTEMPTS = 5000
"""Maps attempted for each of the files; some attempts gave none."""


@dataclass(frozen=True)
class LabelledMaps:
    """Maps with a goal, and on each of them states with the move the authors' expert made there."""

    obstacles: UInt8[np.ndarray, "B H W"]
    goals: Int64[np.ndarray, "B 2"]
    index: Int64[np.ndarray, " N"]
    """The map that each state belongs to; sorted."""
    states: Int64[np.ndarray, "N 2"]
    labels: Int64[np.ndarray, " N"]

    def share(self, attempts: int) -> "LabelledMaps":
        """The first maps: the share that this number of the file's attempts would have given."""
        count = -(-len(self.obstacles) * min(attempts, AUTHORS_ATTEMPTS) // AUTHORS_ATTEMPTS)
        kept = self.index < count
        return LabelledMaps(
            self.obstacles[:count], self.goals[:count], self.index[kept], self.states[kept], self.labels[kept]
        )

    def demonstrations(self) -> Demonstrations:
        """The same as a dataset for imitation."""
        moves = np.eye(len(MOVE_NAMES), dtype=bool)[self.labels]
        return pack_demonstrations(observe(self.obstacles, self.goals), self.index, self.states, moves)


@dataclass(frozen=True)
class LabelledRows:
    """Rows of states of one map each, in the order of the maps."""

    index: Int64[np.ndarray, " N"]
    """The map of each row; sorted."""
    states: Int64[np.ndarray, "N S 2"]
    labels: Int64[np.ndarray, "N S"]


def read_authors_file(path: str | os.PathLike[str]) -> LabelledMaps:
    """The maps of a ``.mat`` file of square grid-worlds, each with all its labelled states, all of them checked."""
    arrays = free, marks, states, labels = _read_arrays(Path(path), KEYS)
    side = int(free.shape[1] ** 0.5)
    if side**2 != free.shape[1] or not (len(free) == len(marks) == len(states) == len(labels) > 0):
        raise InputError(
            f"{path}: expected square maps, one for each state, got im_data of shape {free.shape}."
        )
    if marks.shape != free.shape or states.shape[1] != 2 or labels.shape[1] != 1:
        shapes = ", ".join(f"{key} {array.shape}" for key, array in zip(KEYS, arrays, strict=True))
        raise InputError(
            f"{path}: expected a map, a mark for each of its cells, a state and a label a row, got {shapes}."
        )
    _require_sense(path, side, *arrays)
    is_new = _begins_map(free, marks)
    goals = np.stack(np.divmod(marks[is_new].argmax(axis=1), side), axis=-1)
    return LabelledMaps(
        obstacles=(free[is_new] == 0).astype(np.uint8).reshape(-1, side, side),
        goals=goals,
        index=np.cumsum(is_new) - 1,
        states=states.astype(np.int64),
        labels=labels.astype(np.int64).ravel(),
    )


def _require_sense(path: str | os.PathLike[str], side: int, *arrays: np.ndarray) -> None:
    """Refuse what is no map, goal, state or move; the first row at fault is named."""
    free, marks, states, labels = arrays
    every, is_goal, require = np.arange(len(free)), marks > 0, partial(_require, path)
    require(((free == 0) | (free == 1)).all(axis=1), "0 and 1 in im_data")
    require(np.isfinite(marks).all(axis=1), "finite numbers in value_data")
    require((is_goal.sum(axis=1) == 1) & (marks >= 0).all(axis=1), "one mark of a goal in value_data")
    require(free[every, is_goal.argmax(axis=1)] == 1, "a goal in a free cell")
    require(_are_whole(states, side), f"two whole numbers from 0 to {side - 1} in state_xy_data")
    cells = states.astype(np.int64) @ np.array([side, 1])
    require(free[every, cells] == 1, "a state in a free cell")
    require(
        _are_whole(labels, len(MOVE_NAMES)), f"a whole number from 0 to {len(MOVE_NAMES) - 1} in label_data"
    )


def _are_whole(numbers: np.ndarray, end: int) -> np.ndarray:
    """In which rows all are whole numbers from 0 to below the end."""
    return ((numbers >= 0) & (numbers < end) & (numbers == np.floor(numbers))).all(axis=1)


def _require(path: str | os.PathLike[str], good: Any, expected: str) -> None:
    if not good.all():
        raise InputError(f"{path}: expected {expected}, got something else in row {int(good.argmin())}.")


def read_authors_rows(path: str | os.PathLike[str]) -> LabelledRows:
    """The rows of ten states in which the authors' training reads the same maps."""
    free, marks, row, col, labels = _read_arrays(Path(path), ROW_KEYS)
    if not (len(free) == len(marks) == len(labels) > 0 and row.shape == col.shape == labels.shape):
        raise InputError(
            f"{path}: expected one map for each row of states, got batch_im_data of shape {free.shape}."
        )
    side = int(free.shape[1] ** 0.5)
    if side**2 != free.shape[1] or marks.shape != free.shape:
        raise InputError(
            f"{path}: expected square maps and a mark for each of their cells, got batch_im_data of shape {free.shape} "
            f"and batch_value_data of shape {marks.shape}."
        )
    ends = (side, side, len(MOVE_NAMES))
    for entries, end, key in zip((row, col, labels), ends, ROW_KEYS[2:], strict=True):
        _require(path, _are_whole(entries, end), f"whole numbers from 0 to {end - 1} in {key}")
    return LabelledRows(
        index=np.cumsum(_begins_map(free, marks)) - 1,
        states=np.stack([row, col], axis=-1).astype(np.int64),
        labels=labels.astype(np.int64),
    )


def _begins_map(free: np.ndarray, marks: np.ndarray) -> np.ndarray:
    """Where another map or goal than in the entry before begins."""
    both = np.concatenate([free, marks], axis=1)
    return np.append(True, (both[1:] != both[:-1]).any(axis=1))


def _read_arrays(path: Path, keys: tuple[str, ...]) -> list[np.ndarray]:
    """The arrays of a file; its parts are complete, their checksums right and their sizes modest."""
    import scipy.io

    data = _content(path)
    try:
        require_complete(data)
        held = {name: (shape, kind) for name, shape, kind in scipy.io.whosmat(io.BytesIO(data))}
        missing = [key for key in keys if key not in held]
        if missing:
            raise InputError(
                f"{path}: expected the arrays {', '.join(keys)}, got a file without {', '.join(missing)}."
            )
        for key in keys:
            _require_modest(path, key, *held[key])
        content = scipy.io.loadmat(io.BytesIO(data), variable_names=keys)
        arrays = [np.asarray(content[key]) for key in keys]
    except InputError:
        raise
    except Exception as error:  # SciPy raises many kinds for files that are damaged or foreign.
        reason = reason_of(error)
        raise InputError(f"{path}: expected a .mat file, got one that cannot be read: {reason}.") from error
    for key, array in zip(keys, arrays, strict=True):
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise InputError(
                f"{path}: expected rows of numbers in {key}, got {array.dtype} of {array.shape}."
            )
    return arrays


def _content(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except InputError as error:
        if path.exists():
            raise
        raise InputError(f"{path} cannot be read: No such file or directory.") from error


def _require_modest(path: Path, key: str, shape: tuple[int, ...], kind: str) -> None:
    if kind not in NUMERIC or len(shape) != 2:
        raise InputError(f"{path}: expected rows of numbers in {key}, got {kind} of {shape}.")
    if math.prod(shape) * NUMERIC[kind] > LARGEST_ARRAY:
        raise InputError(
            f"{path}: expected at most {LARGEST_ARRAY // 2**20} MB in {key}, got {kind} of {shape}."
        )

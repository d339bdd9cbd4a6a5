"""The training files of the paper's authors: maps, goals and the expert's labels."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int64, UInt8

from vinlab.domains.gridworld.expert import pack_demonstrations
from vinlab.types import MOVE_NAMES, Demonstrations, InputError

KEYS = ("im_data", "value_data", "state_xy_data", "label_data")
"""The arrays with one row per state."""

ROW_KEYS = ("batch_im_data", "batch_value_data", "state_x_data", "state_y_data", "batch_label_data")
"""The same states shuffled within their map, in rows of ten; filler repeats a map's last state."""

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
        return pack_demonstrations(self.obstacles, self.goals, self.index, self.states, moves)


@dataclass(frozen=True)
class LabelledRows:
    """Rows of states of one map each, in the order of the maps."""

    index: Int64[np.ndarray, " N"]
    """The map of each row; sorted."""
    states: Int64[np.ndarray, "N S 2"]
    labels: Int64[np.ndarray, "N S"]


def read_authors_file(path: str | os.PathLike[str]) -> LabelledMaps:
    """The maps of a ``.mat`` file of square grid-worlds, each with all its labelled states."""
    free, marks, states, labels = _read_arrays(Path(path), KEYS)
    side = int(free.shape[1] ** 0.5)
    if side**2 != free.shape[1] or not (len(free) == len(marks) == len(states) == len(labels) > 0):
        raise InputError(
            f"{path}: expected square maps, one for each state, got im_data of shape {free.shape}."
        )
    is_new = _begins_map(free, marks)
    goals = np.stack(np.divmod(marks[is_new].argmax(axis=1), side), axis=-1)
    return LabelledMaps(
        obstacles=(free[is_new] == 0).astype(np.uint8).reshape(-1, side, side),
        goals=goals,
        index=np.cumsum(is_new) - 1,
        states=states.astype(np.int64),
        labels=labels.astype(np.int64).ravel(),
    )


def read_authors_rows(path: str | os.PathLike[str]) -> LabelledRows:
    """The rows of ten states in which the authors' training reads the same maps."""
    free, marks, row, col, labels = _read_arrays(Path(path), ROW_KEYS)
    if not (len(free) == len(marks) == len(labels) > 0 and row.shape == col.shape == labels.shape):
        raise InputError(
            f"{path}: expected one map for each row of states, got batch_im_data of shape {free.shape}."
        )
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
    import scipy.io

    try:
        with path.open("rb") as file:
            content = scipy.io.loadmat(file, variable_names=keys)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    except Exception as error:  # SciPy raises many kinds for files that are damaged or foreign.
        raise InputError(f"{path}: expected a .mat file, got one that cannot be read: {error}") from error
    missing = [key for key in keys if key not in content]
    if missing:
        raise InputError(
            f"{path}: expected the arrays {', '.join(keys)}, got a file without {', '.join(missing)}."
        )
    return [content[key] for key in keys]

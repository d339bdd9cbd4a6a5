"""The training files of the paper's authors: maps, goals and the expert's labels."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int64, UInt8

from vinlab.domains.gridworld.expert import pack_demonstrations
from vinlab.types import MOVE_NAMES, Demonstrations, InputError

KEYS = ("im_data", "value_data", "state_xy_data", "label_data")
"""The arrays with one row per state; the arrays of batches repeat states as padding and are not read."""

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


def read_authors_file(path: str | os.PathLike[str]) -> LabelledMaps:
    """The maps of a ``.mat`` file of square grid-worlds, each with all its labelled states."""
    free, marks, states, labels = _read_arrays(Path(path))
    side = int(free.shape[1] ** 0.5)
    if side**2 != free.shape[1] or not (len(free) == len(marks) == len(states) == len(labels) > 0):
        raise InputError(
            f"{path}: expected square maps, one for each state, got im_data of shape {free.shape}."
        )
    rows = np.concatenate([free, marks], axis=1)
    is_new = np.append(True, (rows[1:] != rows[:-1]).any(axis=1))
    goals = np.stack(np.divmod(marks[is_new].argmax(axis=1), side), axis=-1)
    return LabelledMaps(
        obstacles=(free[is_new] == 0).astype(np.uint8).reshape(-1, side, side),
        goals=goals,
        index=np.cumsum(is_new) - 1,
        states=states.astype(np.int64),
        labels=labels.astype(np.int64).ravel(),
    )


def _read_arrays(path: Path) -> list[np.ndarray]:
    import scipy.io

    try:
        with path.open("rb") as file:
            content = scipy.io.loadmat(file, variable_names=KEYS)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    except Exception as error:  # SciPy raises many kinds for files that are damaged or foreign.
        raise InputError(f"{path}: expected a .mat file, got one that cannot be read: {error}") from error
    missing = [key for key in KEYS if key not in content]
    if missing:
        raise InputError(
            f"{path}: expected the arrays {', '.join(KEYS)}, got a file without {', '.join(missing)}."
        )
    return [content[key] for key in KEYS]

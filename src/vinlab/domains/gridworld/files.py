"""Files of grid-world problems: ``.npz`` with the arrays ``obstacles``, ``starts`` and ``goals``."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.gridworld.environment import is_free
from vinlab.domains.gridworld.validation import are_whole, require_binary
from vinlab.recording.array_files import members_of, open_archive, read_member
from vinlab.recording.files import read_bytes
from vinlab.types import GridProblems, InputError

ARRAYS = ("obstacles", "starts", "goals")

LARGEST_FILE, LARGEST_ARRAY, LARGEST_ARRAYS = 192 * 2**20, 256 * 2**20, 320 * 2**20
"""Bytes of a file, of an array that is unpacked (images of terrain are larger than maps), and of all its arrays."""
MOST_CELLS, LARGEST_SIDE = 2**25, 4096
"""Cells of all maps of a file, and along a side of one."""


def read_problems(path: str | os.PathLike[str]) -> GridProblems:
    """The problems of a file, each one checked; other arrays in the file are ignored."""
    path = Path(path)
    arrays = read_arrays(path, ARRAYS)
    require_maps(arrays["obstacles"], f"obstacles in {path}")
    obstacles = require_binary(arrays["obstacles"], f"obstacles in {path}")
    starts = _positions(arrays["starts"], obstacles, f"starts in {path}")
    goals = _positions(arrays["goals"], obstacles, f"goals in {path}")
    return GridProblems(obstacles, starts, goals)


def require_maps(array: np.ndarray, name: str) -> None:
    """Maps of a bounded size, before they are looked at."""
    if array.ndim != 3:
        raise InputError(f"{name}: expected the shape (N, H, W), got {array.shape}.")
    if array.size > MOST_CELLS or max(array.shape[1:]) > LARGEST_SIDE:
        raise InputError(
            f"{name}: expected at most {LARGEST_SIDE} cells a side and {MOST_CELLS:,} in all, got {array.shape}."
        )


def write_problems(
    path: str | os.PathLike[str], problems: GridProblems, others: Mapping[str, np.ndarray] | None = None
) -> None:
    """Write problems, and other arrays with them, to a file; a failure leaves the old file as it was."""
    path = Path(path)
    if not path.name:
        raise InputError(
            f"Problems cannot be written to '{path}': expected the name of a file, got a folder."
        )
    arrays: dict[str, Any] = {name: getattr(problems, name) for name in ARRAYS} | dict(others or {})
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            np.savez_compressed(file, **arrays)
        os.replace(temporary, path)
    except OSError as error:
        raise InputError(f"Problems cannot be written to {path}: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def read_arrays(
    path: Path, wanted: Sequence[str], optional: Sequence[str] = (), *, texts: Sequence[str] = ()
) -> dict[str, np.ndarray]:
    """Arrays of a file by name: all required ones, and those of the optional ones that it has.

    They hold numbers; those named in ``texts`` may hold words.
    """
    with open_archive(read_bytes(path, most=LARGEST_FILE), str(path)) as archive:
        names = members_of(archive)
        missing = [name for name in wanted if name not in names]
        if missing:
            raise InputError(
                f"{path}: expected the arrays {', '.join(wanted)}, got a file without {', '.join(missing)}."
            )
        found: dict[str, np.ndarray] = {}
        for name in (*wanted, *optional):
            if name in names:
                left = LARGEST_ARRAYS - sum(array.nbytes for array in found.values())
                kinds = "buifU" if name in texts else "buif"
                found[name] = read_member(
                    archive, name, str(path), most=min(LARGEST_ARRAY, left), kinds=kinds
                )
        return found


def array_names(path: Path) -> set[str]:
    """The names of the arrays of a file; none if it is no archive."""
    try:
        with open_archive(read_bytes(path, most=LARGEST_FILE), str(path)) as archive:
            return members_of(archive)
    except InputError:
        return set()


def _positions(array: np.ndarray, obstacles: np.ndarray, name: str) -> np.ndarray:
    """Positions as integers, one free cell for each map."""
    wanted = (len(obstacles), 2)
    if array.shape != wanted:
        raise InputError(
            f"{name}: expected the shape {wanted}, a (row, col) for each map, got {array.shape}."
        )
    if not are_whole(array):
        raise InputError(f"{name}: expected whole numbers (row, col), got values of type {array.dtype}.")
    positions = np.clip(array, -1, 2**31 - 1).astype(np.int64)
    bad = ~is_free(obstacles, positions)
    if bad.any():
        first = int(bad.argmax())
        raise InputError(
            f"{name}: expected free cells of maps of {obstacles.shape[1]} x {obstacles.shape[2]}, "
            f"got {tuple(array[first].tolist())} in problem {first}, blocked or outside the map."
        )
    return positions

"""Files of grid-world problems: ``.npz`` with the arrays ``obstacles``, ``starts`` and ``goals``."""

import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.gridworld.environment import is_free
from vinlab.domains.gridworld.validation import are_whole, require_binary
from vinlab.types import GridProblems, InputError

ARRAYS = ("obstacles", "starts", "goals")


def read_problems(path: str | os.PathLike[str]) -> GridProblems:
    """The problems of a file, each one checked; other arrays in the file are ignored."""
    path = Path(path)
    arrays = read_arrays(path, ARRAYS)
    obstacles = require_binary(arrays["obstacles"], f"obstacles in {path}")
    if obstacles.ndim != 3:
        raise InputError(f"obstacles in {path}: expected the shape (N, H, W), got {obstacles.shape}.")
    starts = _positions(arrays["starts"], obstacles, f"starts in {path}")
    goals = _positions(arrays["goals"], obstacles, f"goals in {path}")
    return GridProblems(obstacles, starts, goals)


def write_problems(
    path: str | os.PathLike[str], problems: GridProblems, others: Mapping[str, np.ndarray] | None = None
) -> None:
    """Write problems, and other arrays with them, to a file; a failure leaves the old file as it was."""
    path = Path(path)
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


def read_arrays(path: Path, wanted: Sequence[str], optional: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """Arrays of a file by name: all required ones, and those of the optional ones that it has."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.removesuffix(".npy") for name in archive.namelist()}
        missing = [name for name in wanted if name not in names]
        if missing:
            raise InputError(
                f"{path}: expected the arrays {', '.join(wanted)}, got a file without {', '.join(missing)}."
            )
        with np.load(path, allow_pickle=False) as file:
            # NumPy returns the bytes of a member that is not an array; asarray makes them one that is refused.
            return {name: np.asarray(file[name]) for name in (*wanted, *optional) if name in names}
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (zipfile.BadZipFile, zlib.error, EOFError):
        raise InputError(f"{path}: expected an .npz file, got another or an incomplete one.") from None
    except (ValueError, MemoryError, NotImplementedError, RuntimeError) as error:
        raise InputError(
            f"{path}: expected plain arrays of numbers, got one that cannot be read: {error}"
        ) from None


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

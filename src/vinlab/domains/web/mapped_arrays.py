"""Arrays of a site that are memory-mapped, each checked before compiled code relies on it."""

from pathlib import Path

import numpy as np

from vinlab.domains.web.link_graph import Links
from vinlab.types import InputError, reason_of


def read_links(folder: Path, prefix: str, pages: int) -> Links:
    """The links of every page; the compiled search relies on them."""
    targets = page_numbers(folder, f"{prefix}targets", pages)
    return Links(read_offsets(folder, f"{prefix}offsets", pages, len(targets)), targets)


def read_offsets(folder: Path, name: str, rows: int, entries: int) -> np.ndarray:
    """Where the entries of each row begin, and the last ones end."""
    offsets = map_array(folder, name, 1, "i", rows + 1)
    if offsets[0] != 0 or offsets[-1] != entries or (np.diff(offsets) < 0).any():
        raise InputError(f"{folder / name}.npy: expected numbers that rise from 0 to {entries}, got others.")
    return offsets


def page_numbers(folder: Path, name: str, pages: int, length: int | None = None) -> np.ndarray:
    """The numbers of pages."""
    sides = () if length is None else (length,)
    return within(folder, name, map_array(folder, name, 1, "i", *sides), 0, pages)


def within(folder: Path, name: str, array: np.ndarray, first: int, end: int) -> np.ndarray:
    """The array, if its whole numbers lie from ``first`` to below ``end``."""
    if len(array) and not first <= int(array.min()) <= int(array.max()) < end:
        raise InputError(
            f"{folder / name}.npy: expected {first} to {end - 1}, got {int(array.min())} to {int(array.max())}."
        )
    return array


def map_array(folder: Path, name: str, axes: int, kind: str, *sides: int) -> np.ndarray:
    """A memory-mapped array with so many axes, of this kind of numbers, finite, with these first sides."""
    path = folder / f"{name}.npy"
    try:
        if not path.is_file():
            raise InputError(f"{path}: expected an array of a site, got no regular file.")
        # Copy-on-write, because torch expects writable arrays; nothing is written back.
        array = np.load(path, mmap_mode="c", allow_pickle=False)
    except InputError:
        raise
    except Exception as error:  # NumPy parses the header as Python, and fails in many ways
        reason = reason_of(error)
        raise InputError(f"{path}: expected an array of a site, got {reason}.") from error
    good = isinstance(array, np.ndarray) and array.ndim == axes and array.dtype.kind == kind
    if not good or array.shape[: len(sides)] != sides:
        raise InputError(
            f"{path}: expected {axes} axes of {'whole numbers' if kind == 'i' else 'numbers'}"
            f"{f' and the sides {sides}' if sides else ''}, got something else."
        )
    if kind == "f" and not all(
        np.isfinite(part).all() for part in np.array_split(array, 1 + array.size // 2**24)
    ):
        raise InputError(f"{path}: expected finite numbers, got nan or infinite ones.")
    return array

"""Checks of the options that several commands have; a refusal names the option and the bound."""

import os
from pathlib import Path
from typing import Final

from vinlab.types import InputError

MOST_SEED: Final = 2**32 - 1
MOST_BACKUPS: Final = 100_000
"""The largest K that can be asked for."""
MOST_PROBLEMS: Final = 1_000_000
MOST_CELLS: Final = 2**24
"""Cells of all maps that are generated at once; sampling them takes about 40 bytes each."""
MOST_TERRAIN_CELLS: Final = 2**22
"""The same for terrain, with an image of 64 pixels for each."""
LARGEST_SIDE: Final = 4096
MOST_SEEDS: Final = 1000
MOST_JOBS: Final = 256
MOST_CLICKS: Final = 1000


def most_threads() -> int:
    """The largest number of threads: a run of a larger machine can be repeated on a smaller one."""
    return max(64, os.cpu_count() or 1)


def require_between(least: int, number: int, most: int, name: str) -> int:
    """The number, if it is neither too small nor too large."""
    if number < least:
        raise InputError(f"{name}: expected at least {least}, got {_short(number)}.")
    if number > most:
        raise InputError(f"{name}: expected at most {most:,}, got {_short(number)}.")
    return number


def _short(number: int) -> str:
    """The number; of very long ones the size, which Python does not turn into digits."""
    return str(number) if abs(number) < 10**20 else "a number of more than 20 digits"


def require_cells(size: int, count: int, most: int, largest: int) -> None:
    """Refuse maps that would not fit into the memory."""
    require_between(1, size, largest, "--size")
    require_between(1, count, MOST_PROBLEMS, "--count")
    if size * size * count > most:
        raise InputError(
            f"--size and --count: expected at most {most:,} cells in all maps, got {size * size * count:,}."
        )


def require_backups(iterations: int | None) -> int | None:
    """The K that was asked for, if there is one."""
    return None if iterations is None else require_between(1, iterations, MOST_BACKUPS, "--iterations")


def require_one_of_two(resume: bool, overwrite: bool) -> None:
    """A run is either continued or replaced."""
    if resume and overwrite:
        raise InputError("expected --resume or --overwrite, got both: one continues a run, one deletes it.")


def require_folder(out: Path) -> Path:
    """The folder of a run, which has a name of its own."""
    if not out.name or out.name == "..":
        raise InputError(f"--out: expected the name of a new folder, got '{out}'.")
    return out


def require_file_name(out: Path, name: str = "--out", *, reads: Path | None = None) -> Path:
    """The name of a file to write, which is not the file that is read."""
    if not out.name or out.name == ".." or out.is_dir():
        raise InputError(f"{name}: expected the name of a file to write, got the folder '{out}'.")
    if reads is not None and out.exists() and reads.exists() and out.samefile(reads):
        raise InputError(f"{name}: expected another file than the one that is read, got '{out}'.")
    return out

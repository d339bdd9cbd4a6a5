"""The bytes of files from unknown sources: regular files of a bounded size, and nothing else."""

import os
from pathlib import Path

from vinlab.recording.files import require_regular
from vinlab.types import InputError

LARGEST_FILE = 64 * 2**20
"""Bytes; larger files are refused."""
LARGEST_TEXT = 24 * 2**20
MOST_FOLDERS = 10_000
"""Folders in which files are looked for, so that no whole disk is walked through."""


def read_content(path: Path) -> bytes:
    """The bytes of a regular file that is neither empty nor too large."""
    try:
        require_regular(path, path.stat().st_mode)
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be read: {reason}.") from error
    if len(data) > LARGEST_FILE:
        raise InputError(f"{path}: expected at most {LARGEST_FILE // 2**20} MB, got more.")
    if not data:
        raise InputError(f"{path}: expected a map, got an empty file.")
    return data


def files_below(folder: Path, suffix: str) -> list[Path]:
    """The files with a suffix in a folder and below it, sorted; links to other folders are not followed."""
    found: list[Path] = []
    for number, (place, _, names) in enumerate(os.walk(folder)):
        if number >= MOST_FOLDERS:
            raise InputError(f"{folder}: expected at most {MOST_FOLDERS:,} folders below it, got more.")
        found += [Path(place) / name for name in names if name.endswith(suffix)]
    return sorted(found)


def resolve_sibling(path: Path, name: str) -> Path:
    """The file that another one names, in the same folder or below and nowhere else."""
    if "\0" in name or len(name) > 1000:
        raise InputError(
            f"{path}: expected the name of a file, got one with a zero byte or of more than 1000 characters."
        )
    folder = path.parent.resolve()
    try:
        named = (folder / name).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(
            f"{path}: expected the name of a file beside it, got one that cannot be resolved: {error}."
        ) from error
    if not named.is_relative_to(folder):
        raise InputError(
            f"{path}: expected the name of a file beside it, got {name!r:.80}, which lies outside its folder."
        )
    if not named.is_file():
        raise InputError(f"{path}: expected the file {name!r:.80} beside it, got none.")
    return named


def as_text(data: bytes, name: str) -> str:
    """The text of a file; in memory its lines take several times its size."""
    if len(data) > LARGEST_TEXT:
        raise InputError(f"{name}: expected a text of at most {LARGEST_TEXT // 2**20} MB, got more.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name}: expected text, got other bytes.") from None

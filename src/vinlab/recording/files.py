"""Atomic writes: a file is complete or absent, whatever stops the program."""

import json
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from vinlab.recording.serialization import standard_json, to_plain
from vinlab.types import InputError

TEMPORARY_SUFFIX = ".tmp"

LARGEST_FILE = 512 * 2**20
"""Bytes; larger files are refused before they are read."""


def write_bytes(path: str | Path, data: bytes) -> None:
    """Replace the file in one step; after a failure the old file is unchanged."""
    path = Path(path)
    if not path.name:
        raise InputError(f"Cannot write '{path}': expected the name of a file, got a folder.")
    with _write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:  # Ctrl-C too leaves no partial file
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise


def write_text(path: str | Path, text: str) -> None:
    """Replace the file by the text in one step."""
    write_bytes(path, text.encode())


def write_json(path: str | Path, value: Any) -> None:
    """Replace the file by the value as standard JSON in one step; nan and inf become null."""
    write_text(path, json.dumps(standard_json(to_plain(value)), indent=2, allow_nan=False) + "\n")


def append_line(path: str | Path, line: str) -> None:
    """Append one line, completely or not at all."""
    path = Path(path)
    with _write_errors(path):
        if path.exists():
            require_regular(path, path.stat().st_mode)
        size = path.stat().st_size if path.exists() else 0
        try:
            with path.open("ab") as file:
                file.write(line.encode() + b"\n")
        except BaseException:
            with suppress(OSError):
                os.truncate(path, size)
            raise


def sync(path: str | Path) -> None:
    """Wait until what was written to the file is on the disk."""
    with _write_errors(Path(path)), Path(path).open("rb+") as file:
        os.fsync(file.fileno())


def rename(path: Path, target: Path) -> None:
    """Give a file another name, in place of any file that has it."""
    with _write_errors(target):
        os.replace(path, target)


def remove(path: str | Path) -> None:
    """Remove the file if it exists."""
    with _write_errors(Path(path)):
        Path(path).unlink(missing_ok=True)


def remove_temporary_files(folder: Path, names: Iterable[str]) -> None:
    """Remove what interrupted writes of these files left in the folder."""
    for name in names:
        for temporary in folder.glob(f".{name}.*{TEMPORARY_SUFFIX}"):
            remove(temporary)


def read_bytes(path: str | Path, *, most: int = LARGEST_FILE) -> bytes:
    """The content of a regular file that is neither empty nor larger than ``most`` bytes."""
    path = Path(path)
    try:
        require_regular(path, path.stat().st_mode)
        if (size := path.stat().st_size) > most:
            raise InputError(f"Cannot read {path}: expected at most {most:,} bytes, got {size:,}.")
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"Cannot read {path}: there is no such file.") from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {_reason(error)}.") from error
    if not data:
        raise InputError(f"Cannot read {path}: the file is empty.")
    return data


def require_regular(path: Path, mode: int) -> None:
    """Refuse a folder, and a pipe or device, which could be waited on for ever."""
    if stat.S_ISDIR(mode):
        raise InputError(f"{path}: expected a file, got a folder.")
    if not stat.S_ISREG(mode):
        raise InputError(f"{path}: expected a regular file, got a device or a pipe.")


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    """Turn an error of the system into one sentence."""
    try:
        yield
    except OSError as error:
        raise InputError(f"Cannot write {path}: {_reason(error)}.") from error


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__

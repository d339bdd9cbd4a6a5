"""Atomic writes: a file is complete or absent, whatever stops the program."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from vinlab.recording.serialization import standard_json, to_plain
from vinlab.types import InputError

TEMPORARY_SUFFIX = ".tmp"


def write_bytes(path: str | Path, data: bytes) -> None:
    """Replace the file in one step; after a failure the old file is unchanged."""
    path = Path(path)
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


def remove(path: str | Path) -> None:
    """Remove the file if it exists."""
    with _write_errors(Path(path)):
        Path(path).unlink(missing_ok=True)


def remove_temporary_files(folder: Path, names: Iterable[str]) -> None:
    """Remove what interrupted writes of these files left in the folder."""
    for name in names:
        for temporary in folder.glob(f".{name}.*{TEMPORARY_SUFFIX}"):
            remove(temporary)


def read_bytes(path: str | Path) -> bytes:
    """The content of a file that exists and is not empty."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"Cannot read {path}: there is no such file.") from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {_reason(error)}.") from error
    if not data:
        raise InputError(f"Cannot read {path}: the file is empty.")
    return data


def read_json(path: str | Path) -> Any:
    """The value that a JSON file holds."""
    data = read_bytes(path)
    try:
        return json.loads(data)
    except UnicodeDecodeError:
        raise InputError(f"Cannot read {path}: it is not a JSON file.") from None
    except json.JSONDecodeError as error:
        raise InputError(f"Cannot read {path}: {_json_fault(error)}.") from None


def read_json_object(path: str | Path) -> dict[str, Any]:
    """The fields of a JSON file that holds one object."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise InputError(f"Cannot read {path}: expected a JSON object, got a {type(value).__name__}.")
    return value


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    """Turn an error of the system into one sentence."""
    try:
        yield
    except OSError as error:
        raise InputError(f"Cannot write {path}: {_reason(error)}.") from error


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__


def _json_fault(error: json.JSONDecodeError) -> str:
    """Whether the text is truncated or not JSON at all."""
    if error.doc.lstrip()[:1] not in ("{", "["):
        return "it is not a JSON file"
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        return "the JSON is truncated"
    return f"it is not valid JSON ({error.msg.lower()} at line {error.lineno})"

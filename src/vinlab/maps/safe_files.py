"""The bytes of files from strangers: regular files of a bounded size, and nothing else."""

from pathlib import Path

from vinlab.types import InputError

LARGEST_FILE = 64 * 2**20
"""Larger files are refused unread."""


def read_content(path: Path) -> bytes:
    """The bytes of a file that is there, is a regular file, and is neither empty nor too large."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; a map file is wanted.")
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is not a regular file.")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be read: {reason}.") from error
    if len(data) > LARGEST_FILE:
        raise InputError(f"{path} is larger than {LARGEST_FILE // 2**20} MB, the limit of a map file.")
    if not data:
        raise InputError(f"{path} is empty.")
    return data


def resolve_sibling(path: Path, name: str) -> Path:
    """A file that another one names: it must lie in the same folder or below, whatever the name tries."""
    if "\0" in name or len(name) > 1000:
        raise InputError(f"{path} names a file whose name cannot be one.")
    folder = path.parent.resolve()
    try:
        named = (folder / name).resolve()
    except (OSError, RuntimeError) as error:
        raise InputError(f"{path} names a file that cannot be found: {error}.") from error
    if not named.is_relative_to(folder):
        raise InputError(f"{path} names '{name}', which lies outside its own folder; put it beside the file.")
    if not named.is_file():
        raise InputError(f"{path} names '{name}', but there is no such file beside it.")
    return named


def as_text(data: bytes, name: str) -> str:
    """The text of a file."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name} must be text, but holds bytes that are none.") from None

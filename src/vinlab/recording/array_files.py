"""Arrays from unknown sources: ``.npy`` and ``.npz``, with every size checked before anything is unpacked."""

import io
import math
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from vinlab.types import InputError

LARGEST_ARRAY = 128 * 2**20
"""The most bytes of an array that are unpacked, unless a reader says otherwise."""
MAX_MEMBERS = 1000
CHUNK = 2**20
"""Bytes that are unpacked at a time."""
LARGEST_HEADER = 10_000
"""Bytes of the header of an array, as NumPy bounds it; NumPy unpacks it before it looks."""
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Those of NumPy. Others unpack a whole block at once, however large."""


@contextmanager
def open_archive(data: bytes, name: str) -> Iterator[zipfile.ZipFile]:
    """The content of an ``.npz`` file whose members are few and plain; a fault becomes one sentence."""
    if (count := data.count(b"PK\x01\x02")) > MAX_MEMBERS:  # before they are listed
        raise InputError(f"{name}: expected at most {MAX_MEMBERS} arrays, got {count}.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _require_plain(archive, name)
            yield archive
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, IndexError) as error:
        raise InputError(
            f"{name}: expected a complete .npz file of plain arrays, got a damaged one."
        ) from error
    except (NotImplementedError, RuntimeError, ValueError, UnicodeError) as error:
        raise InputError(
            f"{name}: expected a plain .npz file, got one that is encrypted or packed in an unknown format."
        ) from error


def _require_plain(archive: zipfile.ZipFile, name: str) -> None:
    members = archive.infolist()
    if any(member.compress_type not in PACKINGS for member in members):
        raise InputError(f"{name}: expected arrays stored or deflated, got another packing.")
    if len({member.filename for member in members}) < len(members):
        raise InputError(f"{name}: expected each array once, got two of one name.")


def members_of(archive: zipfile.ZipFile) -> set[str]:
    """The names of the arrays."""
    return {member.removesuffix(".npy") for member in archive.namelist() if member.endswith(".npy")}


def read_member(
    archive: zipfile.ZipFile, key: str, name: str, *, most: int = LARGEST_ARRAY, kinds: str = "buif"
) -> np.ndarray:
    """An array of an archive."""
    with archive.open(f"{key}.npy") as file:
        return read_array(file, f"'{key}' in {name}", most=most, kinds=kinds)


def read_array(file: Any, name: str, *, most: int = LARGEST_ARRAY, kinds: str = "buif") -> np.ndarray:
    """A plain array of some kinds of numbers; its size is checked before it is unpacked."""
    try:
        shape, by_columns, kind = _header(file)
    except Exception as error:  # NumPy parses the header as Python, and fails in many ways
        raise InputError(f"{name}: expected a complete file of plain arrays, got a damaged one.") from error
    if kind.kind not in kinds:
        raise InputError(f"{name}: expected plain arrays of numbers, got {str(kind)[:60]}.")
    if any(type(side) is not int for side in shape):
        raise InputError(f"{name}: expected whole numbers as the shape, got {str(shape)[:60]}.")
    wanted = math.prod(shape) * kind.itemsize
    if min(shape, default=1) < 1 or wanted > most:
        raise InputError(
            f"{name}: expected at least one cell and at most {most / 2**20:,.6g} MB, got the shape {str(shape)[:60]}."
        )
    data = bytearray(wanted)
    held = 0
    # In parts, as at once it would take twice the memory.
    while held < wanted and (part := file.read(min(CHUNK, wanted - held))):
        data[held : held + len(part)] = part
        held += len(part)
    if held < wanted:
        raise InputError(f"{name}: expected {wanted} bytes, got {held}; the file is cut off.")
    if file.read(1):
        raise InputError(f"{name}: expected {wanted} bytes, got more.")
    return np.frombuffer(data, kind).reshape(shape, order="F" if by_columns else "C")


def _header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type of an array; no more than a modest header is read."""
    magic = file.read(8)
    version = np.lib.format.read_magic(io.BytesIO(magic))
    first, second = np.lib.format.read_array_header_1_0, np.lib.format.read_array_header_2_0
    read, width = {(1, 0): (first, 2), (2, 0): (second, 4)}[version]
    length = file.read(width)
    if int.from_bytes(length, "little") > LARGEST_HEADER:
        raise ValueError("the header is too long")
    return read(io.BytesIO(length + file.read(int.from_bytes(length, "little"))))

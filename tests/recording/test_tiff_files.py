"""Chains of directories of TIFF files are followed before GDAL opens them."""

import io
import struct

import pytest

from vinlab.recording import tiff_files
from vinlab.recording.tiff_files import require_few_directories
from vinlab.types import InputError


def chain(count: int, *, order: str = "<", big: bool = False, loop: bool = False) -> io.BytesIO:
    """A file of so many directories with two entries each, the last of which may name the first."""
    mark = b"II" if order == "<" else b"MM"
    first, size = (16, 8 + 2 * 20 + 8) if big else (8, 2 + 2 * 12 + 4)
    begin = struct.pack(f"{order}HHHQ", 43, 8, 0, first) if big else struct.pack(f"{order}HI", 42, first)
    data = mark + begin
    for number in range(count):
        last = number == count - 1
        following = (first if loop else 0) if last else first + size * (number + 1)
        if big:
            data += struct.pack(f"{order}Q", 2) + bytes(40) + struct.pack(f"{order}Q", following)
        else:
            data += struct.pack(f"{order}H", 2) + bytes(24) + struct.pack(f"{order}I", following)
    return io.BytesIO(data)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("big", [False, True])
def test_as_many_directories_as_may_be_are_allowed_and_one_more_is_refused(order, big, monkeypatch):
    monkeypatch.setattr(tiff_files, "MOST_DIRECTORIES", 5)
    require_few_directories(chain(4, order=order, big=big), "a.tif")
    for many in (chain(6, order=order, big=big), chain(1, order=order, big=big, loop=True)):
        with pytest.raises(InputError, match=r"a\.tif: expected at most 5 images in a TIFF file, got more"):
            require_few_directories(many, "a.tif")


@pytest.mark.parametrize("data", [b"II*\0", b"II*\0" + b"\xff" * 20, b"MM\0*\0\0\0\x08\xff\xff"])
def test_what_is_damaged_is_left_to_the_reader(data):
    require_few_directories(io.BytesIO(data), "a.tif")

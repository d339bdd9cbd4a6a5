"""TIFF files from unknown sources: how many directories they chain together, before GDAL opens each of them."""

from io import BufferedIOBase
from typing import Literal

from vinlab.types import InputError

MOST_DIRECTORIES = 1000
"""Images, overviews and masks in a file."""


def require_few_directories(file: BufferedIOBase, name: str) -> None:
    """Refuse a chain of very many directories, or one that ends in itself; what is damaged is left to GDAL."""
    begin = file.read(4)
    order: Literal["little", "big"] = "little" if begin[:2] == b"II" else "big"
    big = begin[2:] in (b"+\0", b"\0+")
    offset, count, entry = (8, 8, 20) if big else (4, 2, 12)

    def number(place: int, size: int) -> int:
        file.seek(place)
        return int.from_bytes(file.read(size), order)

    end = file.seek(0, 2)
    place = number(8 if big else 4, offset)
    for _ in range(MOST_DIRECTORIES):
        if not 0 < place < end:
            return
        entries = number(place, count)
        if entries * entry > end:
            return
        place = number(place + count + entry * entries, offset)
    raise InputError(f"{name}: expected at most {MOST_DIRECTORIES} images in a TIFF file, got more.")

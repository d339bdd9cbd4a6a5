"""Files of MATLAB, version 5: whether all their parts are there and unpack to what was packed."""

import struct
import zlib
from collections.abc import Iterator

HEADER = 128
COMPRESSED, MATRIX = 15, 14
MOST_UNPACKED = 2**30
"""Bytes of all parts together; SciPy unpacks what it is asked for, whatever the size."""


def require_complete(data: bytes) -> None:
    """Raise ValueError where a part is cut off, is followed by anything else, or unpacks wrongly."""
    order = {b"IM": "<", b"MI": ">"}.get(data[126:128])
    if order is None or len(data) <= HEADER:
        raise ValueError("it is no file of MATLAB, version 5")
    unpacked = 0
    for kind, part in _parts(data, order):
        if kind == COMPRESSED:
            unpacked += _unpacked_length(part, MOST_UNPACKED - unpacked)


def _parts(data: bytes, order: str) -> Iterator[tuple[int, memoryview]]:
    place = HEADER
    while place < len(data):
        if len(data) - place < 8:
            raise ValueError("its last part is cut off")
        kind, length = struct.unpack_from(f"{order}II", data, place)
        if kind not in (COMPRESSED, MATRIX) or place + 8 + length > len(data):
            raise ValueError("a part is damaged or cut off")
        yield kind, memoryview(data)[place + 8 : place + 8 + length]
        place += 8 + length


def _unpacked_length(part: memoryview, most: int) -> int:
    """How many bytes a part unpacks to, without keeping them; zlib checks their sum."""
    stream, length, rest = zlib.decompressobj(), 0, bytes(part)
    while not stream.eof:
        chunk = stream.decompress(rest, 2**20)
        rest, length = stream.unconsumed_tail, length + len(chunk)
        if length > most:
            raise ValueError(f"it unpacks to more than {MOST_UNPACKED // 2**20} MB")
        if not chunk and not rest and not stream.eof:
            raise ValueError("a part is cut off")
    return length

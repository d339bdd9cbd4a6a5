"""Files packed by xz, unpacked as they are read, in a bounded memory."""

import io
import lzma
from typing import Any

LARGEST_DICTIONARY = 128 * 2**20
"""Bytes that unpacking may take; a short file can ask for gigabytes, and ``xz -9`` needs 65 MB."""
CHUNK = 2**16


def unpacked(file: io.BufferedIOBase) -> io.BufferedReader:
    """The content of a packed file; LZMAError or EOFError where it is damaged, cut off or needs too much memory."""
    return io.BufferedReader(_Unpacked(file))


class _Unpacked(io.RawIOBase):
    """One packed stream."""

    def __init__(self, file: io.BufferedIOBase) -> None:
        self._file = file
        self._decoder = lzma.LZMADecompressor(memlimit=LARGEST_DICTIONARY)

    def readable(self) -> bool:
        """It is read alone."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, or a part of it; 0 at the end."""
        while not self._decoder.eof:
            packed = self._file.read(CHUNK) if self._decoder.needs_input else b""
            if self._decoder.needs_input and not packed:
                raise EOFError("the file is cut off")
            if data := self._decoder.decompress(packed, len(buffer)):
                buffer[: len(data)] = data
                return len(data)
        if self._decoder.unused_data or self._file.read(1):
            raise lzma.LZMAError("there is more behind its end")
        return 0

"""One sound map in every format, and files with any header."""

import functools
import io
import struct
import warnings
import zipfile
import zlib
from typing import Any

import numpy as np
from PIL import Image

from reliability.odd_bytes import Rng

SIDE = 12


def sound_map(rng: Rng) -> np.ndarray:
    """Obstacles with free corners."""
    obstacles = (rng.random((SIDE, SIDE)) < 0.2).astype(np.uint8)
    obstacles[0, 0] = obstacles[-1, -1] = 0
    return obstacles


def png(array: np.ndarray, **options: Any) -> bytes:
    """An image file."""
    file = io.BytesIO()
    Image.fromarray(array).save(file, "PNG", **options)
    return file.getvalue()


def chunked(
    width: int, height: int, depth: int, colour: int, pixels: bytes, interlace: int = 0, extra: bytes = b""
) -> bytes:
    """A PNG with any header."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    size = struct.pack(">IIBBBBB", width % 2**32, height % 2**32, depth, colour, 0, 0, interlace)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + extra + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def npy(array: np.ndarray) -> bytes:
    """An array file."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=array.dtype == object)
    return file.getvalue()


def npy_header(
    descr: str, shape: str, *, order: str = "False", version: int = 1, length: int | None = None
) -> bytes:
    """The beginning of an array file, whatever it says."""
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    size = len(header) if length is None else length
    packed = struct.pack("<H", size % 2**16) if version == 1 else struct.pack("<I", size)
    return b"\x93NUMPY" + bytes([version, 0]) + packed + header


def archive(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED, *, twice: bool = False) -> bytes:
    """A zip file."""
    file = io.BytesIO()
    # A name that stands twice is warned of.
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(file, "w", method) as packed:
        for name, data in list(members.items()) * (1 + twice):
            packed.writestr(name, data)
    return file.getvalue()


def wide_archive(members: dict[str, tuple[bytes, int]]) -> bytes:
    """A zip file whose members are a beginning and so many zeros, packed; made without packing all of them."""
    entries, directory = b"", b""
    for name, (head, count) in members.items():
        data, crc = _packed_zeros(head, count)
        fields = struct.pack(
            "<HHHHHIIIHH", 20, 0, zipfile.ZIP_DEFLATED, 0, 33, crc, len(data), len(head) + count, len(name), 0
        )
        place = struct.pack("<HHHII", 0, 0, 0, 0, len(entries))
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + fields + place + name.encode()
        entries += b"PK\x03\x04" + fields + name.encode() + data
    sizes = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(entries), 0)
    return entries + directory + b"PK\x05\x06" + sizes


@functools.cache
def _packed_zeros(head: bytes, count: int) -> tuple[bytes, int]:
    """A deflated beginning and zeros, with their checksum; one packed block of zeros is repeated."""
    zeros, pack = bytes(2**20), zlib.compressobj(9, zlib.DEFLATED, -15)
    whole, rest = divmod(count, len(zeros))
    first = pack.compress(head) + pack.flush(zlib.Z_FULL_FLUSH)
    block = pack.compress(zeros) + pack.flush(zlib.Z_FULL_FLUSH)
    last = pack.compress(zeros[:rest]) + pack.flush(zlib.Z_FINISH)
    crc = zlib.crc32(head)
    for _ in range(whole):
        crc = zlib.crc32(zeros, crc)
    return first + block * whole + last, zlib.crc32(zeros[:rest], crc)


def lossy(array: np.ndarray, kind: str) -> bytes:
    """A JPEG or WebP image."""
    file = io.BytesIO()
    Image.fromarray(array).save(file, kind)
    return file.getvalue()


def movingai(array: np.ndarray) -> bytes:
    """A map of letters."""
    rows = "\n".join("".join(".@"[cell] for cell in row) for row in array)
    return f"type octile\nheight {array.shape[0]}\nwidth {array.shape[1]}\nmap\n{rows}\n".encode()


def geotiff(array: np.ndarray, **options: Any) -> bytes:
    """A raster with coordinates."""
    import rasterio
    from rasterio.io import MemoryFile
    from rasterio.transform import Affine

    there = options.pop("transform", Affine(2.0, 0, 10, 0, -2.0, 20))
    with MemoryFile() as file:
        with file.open(
            driver="GTiff",
            height=array.shape[0],
            width=array.shape[1],
            count=1,
            dtype=array.dtype,
            transform=there,
            **options,
        ) as raster:
            raster.write(array, 1)
        assert rasterio
        return bytes(file.read())


def sound_files(obstacles: np.ndarray) -> dict[str, bytes]:
    """The same map in every format of one file."""
    grey = (255 * (1 - obstacles)).astype(np.uint8)
    problem = {
        "obstacles.npy": npy(obstacles[None]),
        "starts.npy": npy(np.array([[0, 0]])),
        "goals.npy": npy(np.array([[11, 11]])),
    }
    size = f"{SIDE} {SIDE}".encode()
    return {
        "grey.png": png(grey),
        "colour.png": png(np.stack([grey] * 3, axis=-1)),
        "alpha.png": png(np.stack([grey, grey, grey, np.full_like(grey, 255)], axis=-1)),
        "deep.png": png(grey.astype(np.uint16) * 257),
        "bits.png": png(grey > 0),
        "binary.pgm": b"P5 " + size + b" 255\n" + grey.tobytes(),
        "deep.pgm": b"P5 " + size + b" 65535\n" + (grey.astype(">u2") * 257).tobytes(),
        "written.pgm": b"P2\n# map\n"
        + size
        + b"\n255\n"
        + b" ".join(str(cell).encode() for cell in grey.ravel()),
        "array.npy": npy(obstacles),
        "floats.npy": npy(np.asfortranarray(obstacles.astype(np.float64))),
        "problems.npz": archive(problem),
        "image.jpg": lossy(grey, "JPEG"),
        "image.webp": lossy(grey, "WEBP"),
        "octile.map": movingai(obstacles),
        "raster.tif": geotiff(grey),
        "packed.tif": geotiff(grey, compress="deflate", tiled=True, blockxsize=16, blockysize=16),
        "floats.tif": geotiff(obstacles.astype(np.float32)),
    }


CHECKED = ("grey.png", "colour.png", "alpha.png", "deep.png", "bits.png", "problems.npz")
"""Formats with checksums: a damaged file is refused, or gives the same map."""
LENGTHS = ("binary.pgm", "deep.pgm", "array.npy", "floats.npy", "octile.map")
"""Formats that state their size: a file that is cut is refused, or gives the same map."""

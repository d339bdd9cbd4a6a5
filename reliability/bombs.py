"""Small files that unpack to much, what is no file at all, and the largest map there may be."""

import bz2
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from reliability.cases import Case, command
from reliability.map_formats import archive, chunked, npy, npy_header, png, sound_map
from reliability.odd_bytes import Rng
from vinlab.maps import MapOptions, read_map_or_scenarios


def bombs(rng: Rng) -> Iterator[Case]:
    """Small files that unpack to much, and what is no file at all."""
    zeros = b"\0" * (30 * 2**20)
    head = npy_header("'|u1'", "(30000, 30000)")
    long_header = b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + zeros
    aliases = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))
    merges = "a0: &a0 {x: 1}\n" + "\n".join(
        f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 9)
    )
    ending = "\nimage: map.pgm\nresolution: 0.05\norigin: [0, 0, 0]"
    text_bomb = struct.pack(">I", 0) + b"tEXt" + struct.pack(">I", zlib.crc32(b"tEXt"))
    files = {
        "bzip2.npz": archive({"obstacles.npy": head + zeros}, zipfile.ZIP_BZIP2),
        "lzma.npz": archive({"obstacles.npy": head + zeros}, zipfile.ZIP_LZMA),
        "deflate.npz": archive({"obstacles.npy": head + zeros}),
        "header.npz": archive({"obstacles.npy": long_header}),
        "twice.npz": archive({"obstacles.npy": npy(sound_map(rng))}, twice=True),
        "nested.npz": archive({"obstacles.npy": archive({"obstacles.npy": head + zeros})}),
        "huge.png": chunked(2**31 - 1, 2**31 - 1, 8, 0, zlib.compress(b"")),
        "wide.png": chunked(60_000, 60_000, 8, 0, zlib.compress(zeros)),
        "deep.png": chunked(4096, 4096, 16, 6, zlib.compress(zeros)),
        "interlaced.png": chunked(4096, 4096, 8, 6, zlib.compress(zeros), interlace=1),
        "palette.png": chunked(64, 64, 8, 3, zlib.compress(bytes(65 * 64))),
        "text.png": chunked(8, 8, 8, 0, zlib.compress(bytes(72)), extra=text_bomb * 10_000),
        "long.png": chunked(8, 8, 8, 0, zlib.compress(zeros)),
        "odd.png": chunked(8, 8, 7, 9, zlib.compress(bytes(72))),
        "lines.map": b"type octile\nheight 4\nwidth 4\nmap\n" + b"\n" * (60 * 2**20),
        "lines.scen": b"version 1\n" + b"\n" * (60 * 2**20),
        "long.map": b"type octile\nheight 2\nwidth 9999\nmap\n" + b"." * (30 * 2**20),
        "written.pgm": b"P2 4000 4000 255\n" + b"1 " * (30 * 2**20),
        "digits.pgm": b"P2 2 2 255\n" + b"9" * 10**6,
        "header.pgm": b"P5" + b" " * (20 * 2**20) + b"4 4 255\n",
        "aliases.yaml": ("a0: &a0 [x]\n" + aliases + ending).encode(),
        "merges.yaml": (merges + ending).encode(),
        "sections.yaml": b"image: map.pgm\norigin: [0, 0, 0]\nresolution: 1" + b":59" * 20_000,
        "deep.yaml": b"image: x\nresolution: " + b"[" * 30_000,
        "noise": rng.bytes(10**6),
        "empty": b"",
        "letters": "é\u2028\ufeff\U0001f600".encode() * 1000,
        "half": "x".encode("utf-16"),
        "page.html": b"<!DOCTYPE html>",
        "program": b"\x7fELF" + rng.bytes(1000),
        "packed.bz2": bz2.compress(zeros),
    }
    for name, data in files.items():
        yield Case(
            "map files: bombs",
            name,
            lambda folder, name=name: read_map_or_scenarios(folder / name, MapOptions()),
            lambda folder, name=name, data=data: (folder / name).write_bytes(data),
        )
    for name, make in PLACES.items():
        yield Case(
            "map files: no file", name, lambda folder: read_map_or_scenarios(folder / "a", MapOptions()), make
        )


def _sparse(folder: Path) -> None:
    with (folder / "a").open("wb") as file:
        file.truncate(2**40)


def _forbidden(folder: Path) -> None:
    (folder / "a").write_bytes(b"P5 1 1 255\n\0")
    (folder / "a").chmod(0)


PLACES = {
    "a folder": lambda folder: (folder / "a").mkdir(),
    "a pipe": lambda folder: os.mkfifo(folder / "a"),
    "a link to nothing": lambda folder: (folder / "a").symlink_to("none"),
    "a link to itself": lambda folder: (folder / "a").symlink_to("a"),
    "a device": lambda folder: (folder / "a").symlink_to("/dev/zero"),
    "a link to a folder": lambda folder: (folder / "a").symlink_to("/"),
    "a terabyte": _sparse,
    "forbidden": _forbidden,
    "nothing": lambda folder: None,
}
"""What may stand under the name of a file."""


def largest_maps() -> Iterator[Case]:
    """The largest map there may be, planned on without a network and drawn."""
    lines = np.full((4096, 4096), 255, np.uint8)
    lines[20::40, 60:] = 0
    data = png(lines)
    for name, options in {"drawn": (), "json": ("--json",)}.items():
        yield Case(
            "plan: largest maps",
            name,
            command("plan", "{}/a.png", "--exact", "--start", "0,0", "--goal", "4095,0", *options),
            lambda folder: (folder / "a.png").write_bytes(data),
        )

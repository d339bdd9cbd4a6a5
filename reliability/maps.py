"""Hostile map files: every format damaged at random, and files made to exhaust memory or patience."""

import bz2
import io
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from reliability.cases import Case, SilentDifference, command
from reliability.odd_bytes import Rng, damaged
from vinlab.maps import MapOptions, read_map, read_map_or_scenarios

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
    with zipfile.ZipFile(file, "w", method) as packed:
        for name, data in list(members.items()) * (1 + twice):
            packed.writestr(name, data)
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
            driver="GTiff", height=array.shape[0], width=array.shape[1], count=1, dtype=array.dtype, transform=there,
            **options,
        ) as raster:  # fmt: skip
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
        "octile.map": movingai(obstacles),
        "raster.tif": geotiff(grey),
        "packed.tif": geotiff(grey, compress="deflate", tiled=True, blockxsize=16, blockysize=16),
        "floats.tif": geotiff(obstacles.astype(np.float32)),
    }


CHECKED = ("grey.png", "colour.png", "alpha.png", "deep.png", "bits.png", "problems.npz")
"""Formats with checksums: a damaged file is refused, or gives the same map."""
LENGTHS = ("binary.pgm", "deep.pgm", "array.npy", "floats.npy", "octile.map")
"""Formats that state their size: a file that is cut is refused, or gives the same map."""


def damaged_maps(rng: Rng, count: int) -> Iterator[Case]:
    """Maps of all formats with random damage."""
    obstacles = sound_map(rng)
    files = sound_files(obstacles)
    for number in range(count):
        file = str(rng.choice(list(files)))
        kind, data = damaged(files[file], rng)
        must_agree = file in CHECKED or (file in LENGTHS and kind.startswith("cut"))
        yield Case(
            "map files: damaged",
            f"{file}, {kind}, {number}",
            lambda folder, file=file: read_map(folder / file).obstacles,
            lambda folder, file=file, data=data: (folder / file).write_bytes(data),
            agrees_with(obstacles) if must_agree else None,
        )


def agrees_with(obstacles: np.ndarray) -> Any:
    """A check that the same map was read."""

    def check(found: np.ndarray) -> None:
        if not np.array_equal(found, obstacles):
            raise SilentDifference(
                f"{int((found != obstacles).sum()) if found.shape == obstacles.shape else found.shape}"
            )

    return check


def odd_tiffs(rng: Rng, count: int) -> Iterator[Case]:
    """Rasters whose tags hold odd numbers."""
    for number in range(count):
        tags = {
            256: 8,
            257: 8,
            258: 8,
            259: 1,
            262: 1,
            273: 200,
            277: 1,
            278: 8,
            279: 64,
            33550: 0,
            339: 1,
            317: 1,
        }
        for tag in rng.choice(list(tags), size=2, replace=False).tolist():
            tags[tag] = int(rng.choice([0, 1, 2, 3, 5, 7, 16, 64, 255, 4096, 65535, 2**31 - 1, 2**32 - 1]))
        entries = b"".join(struct.pack("<HHII", tag, 4, 1, entry) for tag, entry in sorted(tags.items()))
        data = b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4) + bytes(300)
        yield Case(
            "map files: odd TIFF tags",
            f"{number}",
            lambda folder: read_map(folder / "a.tif"),
            lambda folder, data=data: (folder / "a.tif").write_bytes(data),
        )


ODD_YAML = ["1e400", "9" * 400, "-1", "0", ".nan", "-.inf", "true", "null", "[]", "{}", "'x'", "2001-01-01", "0x10", "1:30",
            "&a [1, 2]", "*a", "!!binary aGk=", "!!set {a}", '"\\ud800"', '"\\0"', "|\n  text", "[[[[[[]]]]]]", "../../a.pgm",
            "/etc/passwd", ".", "map.yaml", "~", "[1, 2, 3, 4]", "[a, b, c]", "[0, 0, 1e400]", "- 1"]  # fmt: skip


def odd_yaml(rng: Rng, count: int) -> Iterator[Case]:
    """ROS maps with odd fields."""
    obstacles = sound_map(rng)
    image = sound_files(obstacles)["binary.pgm"]
    for number in range(count):
        fields = {"image": "map.pgm", "resolution": "0.05", "origin": "[0, 0, 0]", "negate": "0", "occupied_thresh": "0.65",
                  "free_thresh": "0.196", "mode": "trinary"}  # fmt: skip
        for key in rng.choice(list(fields), size=int(rng.integers(1, 3)), replace=False):
            fields[str(key)] = str(rng.choice(ODD_YAML))
        text = "\n".join(f"{key}: {value}" for key, value in fields.items())
        kind, data = (
            damaged(text.encode(), rng)
            if rng.random() < 0.3
            else ("odd values", text.encode("utf-8", "replace"))
        )

        def write(folder: Path, data: bytes = data) -> None:
            (folder / "map.pgm").write_bytes(image)
            (folder / "map.yaml").write_bytes(data)

        yield Case(
            "map files: ROS yaml", f"{kind}, {number}", lambda folder: read_map(folder / "map.yaml"), write
        )


def odd_scenarios(rng: Rng, count: int) -> Iterator[Case]:
    """Lists of scenarios with odd fields."""
    obstacles = np.zeros((SIDE, SIDE), np.uint8)
    odd = ["-1", "99", "1e9", "nan", "inf", "x", "", "0x1", "9" * 400, "٣", "1.5", "..", "a\0b"]
    for number in range(count):
        lines = [["0", "a.map", "12", "12", "0", "0", "11", "11", "15.55"] for _ in range(3)]
        line = lines[int(rng.integers(3))]
        line[int(rng.integers(9))] = str(rng.choice(odd))
        if rng.random() < 0.3:
            del line[: int(rng.integers(0, 10))]
        data = ("version 1\n" + "\n".join("\t".join(fields) for fields in lines)).encode()
        kind, data = damaged(data, rng) if rng.random() < 0.3 else ("odd fields", data)

        def write(folder: Path, data: bytes = data) -> None:
            (folder / "a.map").write_bytes(movingai(obstacles))
            (folder / "a.scen").write_bytes(data)

        yield Case(
            "map files: scenarios",
            f"{kind}, {number}",
            lambda folder: read_map_or_scenarios(folder / "a.scen", MapOptions()),
            write,
        )


def odd_arrays(rng: Rng, count: int) -> Iterator[Case]:
    """Array files with odd headers, types, shapes and packings."""
    descrs = ["'|u1'", "'<f8'", "'>i4'", "'|O'", "'<U5'", "'<c16'", "'|V9'", "'|b1'", "'<M8[s]'", "'<f2'", "[('a', '<f8')]", "'x'", "1", "'<f16'",
              "('<f4', (1000, 1000))"]  # fmt: skip
    shapes = ["(12, 12)", "()", "(0, 5)", "(-1, 4)", "(True, True)", "(1.0, 2)", "('a',)", "(2**40, 2**40)", "(99999999, 99999999)", "[3, 3]", "4",
              "None", "(5,)", "(1, 1, 1, 1)", "(4096, 4096)", "(4097, 1)", "(1, 12, 12)"]  # fmt: skip
    packings = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    for number in range(count):
        body = rng.bytes(int(rng.choice([0, 10, 144, 1152, 100_000])))
        data = npy_header(
            str(rng.choice(descrs)),
            str(rng.choice(shapes)),
            version=int(rng.choice([1, 2, 3])),
            order=str(rng.choice(["True", "False", "7"])),
        )
        data, kind = data + body, "npy"
        if rng.random() < 0.5:
            names = rng.choice(
                [
                    "obstacles",
                    "starts",
                    "goals",
                    "arr_0",
                    "arr_1",
                    "arr_4",
                    "arr_5",
                    "arr_8",
                    "arr_9",
                    "../x",
                ],
                size=4,
            )
            members = {f"{name}.npy": data for name in names}
            data, kind = archive(members, int(rng.choice(packings)), twice=rng.random() < 0.1), "npz"
        index = int(rng.choice([0, 0, 0, 1, -1, 10**9]))
        yield Case(
            "map files: odd arrays",
            f"{kind}, {number}",
            lambda folder, index=index: read_map(folder / "a", MapOptions(index=index, threshold=0.5)),
            lambda folder, data=data: (folder / "a").write_bytes(data),
        )


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
    }  # fmt: skip
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
}  # fmt: skip
"""What may stand under the name of a file."""


def planned_maps(rng: Rng, count: int) -> Iterator[Case]:
    """The whole command on damaged files of all formats."""
    files = sound_files(np.zeros((SIDE, SIDE), np.uint8))
    for number in range(count):
        file = str(rng.choice(list(files)))
        kind, data = damaged(files[file], rng)
        options = ["--start", "0,0", "--goal", "11,11", "--json"] + (
            ["--exact"] if rng.random() < 0.5 else []
        )
        yield Case(
            "plan: damaged maps",
            f"{file}, {kind}, {number}",
            command("plan", f"{{}}/{file}", *options),
            lambda folder, file=file, data=data: (folder / file).write_bytes(data),
        )


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


def cases(rng: Rng, count: int) -> Iterator[Case]:
    """About ``count`` cases."""
    yield from bombs(rng)
    yield from damaged_maps(rng, count * 45 // 100)
    yield from odd_tiffs(rng, count // 10)
    yield from odd_yaml(rng, count * 15 // 100)
    yield from odd_scenarios(rng, count // 10)
    yield from odd_arrays(rng, count * 15 // 100)
    yield from planned_maps(rng, count * 5 // 100)

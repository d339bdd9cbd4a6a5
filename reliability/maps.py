"""Hostile map files: every format damaged at random, or with odd numbers in it."""

import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from reliability.bombs import bombs
from reliability.cases import Case, SilentDifference, command
from reliability.map_formats import (
    CHECKED,
    LENGTHS,
    SIDE,
    archive,
    movingai,
    npy_header,
    sound_files,
    sound_map,
)
from reliability.odd_bytes import Rng, damaged
from vinlab.maps import MapOptions, read_map, read_map_or_scenarios


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


ODD_YAML = [
    "1e400",
    "9" * 400,
    "-1",
    "0",
    ".nan",
    "-.inf",
    "true",
    "null",
    "[]",
    "{}",
    "'x'",
    "2001-01-01",
    "0x10",
    "1:30",
    "&a [1, 2]",
    "*a",
    "!!binary aGk=",
    "!!set {a}",
    "!!bool x",
    "!!timestamp x",
    "2001-99-99",
    "0x" + "f" * 60_000,
    '"\\ud800"',
    '"\\0"',
    "|\n  text",
    "[[[[[[]]]]]]",
    "../../a.pgm",
    "/etc/passwd",
    ".",
    "map.yaml",
    "~",
    "[1, 2, 3, 4]",
    "[a, b, c]",
    "[0, 0, 1e400]",
    "- 1",
]


def odd_yaml(rng: Rng, count: int) -> Iterator[Case]:
    """ROS maps with odd fields."""
    obstacles = sound_map(rng)
    image = sound_files(obstacles)["binary.pgm"]
    for number in range(count):
        fields = {
            "image": "map.pgm",
            "resolution": "0.05",
            "origin": "[0, 0, 0]",
            "negate": "0",
            "occupied_thresh": "0.65",
            "free_thresh": "0.196",
            "mode": "trinary",
        }
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
    descrs = [
        "'|u1'",
        "'<f8'",
        "'>i4'",
        "'|O'",
        "'<U5'",
        "'<c16'",
        "'|V9'",
        "'|b1'",
        "'<M8[s]'",
        "'<f2'",
        "[('a', '<f8')]",
        "'x'",
        "1",
        "'<f16'",
        "('<f4', (1000, 1000))",
    ]
    shapes = [
        "(12, 12)",
        "()",
        "(0, 5)",
        "(-1, 4)",
        "(True, True)",
        "(1.0, 2)",
        "('a',)",
        "(2**40, 2**40)",
        "(99999999, 99999999)",
        "[3, 3]",
        "4",
        "None",
        "(5,)",
        "(1, 1, 1, 1)",
        "(4096, 4096)",
        "(4097, 1)",
        "(1, 12, 12)",
    ]
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


def cases(rng: Rng, count: int) -> Iterator[Case]:
    """About ``count`` cases."""
    yield from bombs(rng)
    yield from damaged_maps(rng, count * 45 // 100)
    yield from odd_tiffs(rng, count // 10)
    yield from odd_yaml(rng, count * 15 // 100)
    yield from odd_scenarios(rng, count // 10)
    yield from odd_arrays(rng, count * 15 // 100)
    yield from planned_maps(rng, count * 5 // 100)

"""Hostile datasets: images with tables of demonstrated paths, archives of them, Neural A*'s and GPPN's files."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from reliability.bombs import PLACES
from reliability.cases import Case, SilentDifference, command
from reliability.map_formats import archive, geotiff, npy, npy_header, png, wide_archive
from reliability.odd_bytes import Rng, damaged, odd_json
from vinlab.domains.motion.files import has_gppn_layout, read_gppn_mazes
from vinlab.experiments.terrain_costs.dataset.read import read_dataset

SIDE = 8
IMAGES = ("a.png", "b.png", "c.png")
PATH = [[0, 0], [1, 1], [2, 2], [2, 3]]
CHECK = command("fit", "{}/data", "--out", "{}/run", "--check-only")


def write_folder(folder: Path, changes: dict[str, bytes]) -> None:
    """Three images with a path on each, and some other files."""
    data = folder / "data"
    data.mkdir()
    grey = np.arange(SIDE * SIDE, dtype=np.uint8).reshape(SIDE, SIDE)
    for name in IMAGES:
        (data / name).write_bytes(png(np.stack([grey] * 3, axis=-1)))
    lines = [f"{name},{name},{row},{col}" for name in IMAGES for row, col in PATH]
    (data / "paths.csv").write_text("\n".join(["image,path,row,col", *lines, ""]))
    for name, content in changes.items():
        if name == "paths.json":
            (data / "paths.csv").unlink()
        (data / name).write_bytes(content)


def table_cases(rng: Rng, count: int) -> Iterator[Case]:
    """Tables of paths with odd fields, or damaged."""
    sound = "\n".join(["image,path,row,col", *(f"{name},1,{r},{c}" for name in IMAGES for r, c in PATH)])
    fields = [
        "", "x", "nan", "inf", "-1", "1e400", "9" * 400, "1e300", "0.5", "\ud800", "\0", '"', "../a.png", "/etc/passwd",
        "a.png/..", "paths.csv", "x" * 200_000, "٣", " 1 ", "1_0", "0x1",
    ]  # fmt: skip
    entries: list[Any] = [{"image": name, "cells": PATH, "place": "north"} for name in IMAGES]
    for number in range(count):
        if number % 2:
            kind, data = odd_json({"paths": entries} if rng.random() < 0.5 else entries, rng)
            name = "paths.json"
        elif rng.random() < 0.6:
            lines = [line.split(",") for line in sound.splitlines()]
            line = lines[int(rng.integers(len(lines)))]
            kind = str(rng.choice(fields))
            line[int(rng.integers(4))] = kind
            data = "\n".join(",".join(line) for line in lines).encode("utf-8", "surrogatepass")
            name = "paths.csv"
        else:
            kind, data = damaged(sound.encode(), rng)
            name = "paths.csv"
        arguments = ["fit", "{}/data", "--out", "{}/run", "--check-only"]
        if rng.random() < 0.3:
            arguments += ["--split-by", str(rng.choice(["place", "none", "row", ""]))]
        if rng.random() < 0.3:
            arguments.append("--skip-bad")
        yield Case(
            "datasets: tables",
            f"{name}, {kind[:30]}, {number}",
            command(*arguments),
            lambda folder, name=name, data=data: write_folder(folder, {name: data}),
        )


def image_cases(rng: Rng, count: int) -> Iterator[Case]:
    """Folders with a damaged image; a damaged PNG is left out or gives the same pixels."""
    grey = rng.integers(0, 255, (SIDE, SIDE), dtype=np.uint8)
    files = {
        "b.png": png(np.stack([grey] * 3, axis=-1)),
        "b.tif": geotiff(grey),
    }
    pixels = np.stack([grey] * 3).astype(np.float32) / np.float32(255)

    def check(found: Any) -> None:
        if "b.png" in found.files:
            image = found.images[found.files.index("b.png")]
            if not np.array_equal(image, pixels):
                raise SilentDifference("other pixels")

    for number in range(count):
        file = str(rng.choice(list(files)))
        kind, data = damaged(files[file], rng)
        changes = {file: data}
        if file == "b.tif":
            lines = "\n".join(f"{name},1,{r},{c}" for name in ("a.png", "b.tif", "c.png") for r, c in PATH)
            changes["paths.csv"] = f"image,path,row,col\n{lines}".encode()
        yield Case(
            "datasets: images",
            f"{file}, {kind}, {number}",
            lambda folder: read_dataset(folder / "data"),
            lambda folder, changes=changes: write_folder(folder, changes),
            check if file == "b.png" else None,
        )
    large = {
        "large.png": lambda: png(np.zeros((4096, 4096, 4), np.uint8)),
        "bands.tif": lambda: geotiff_bands(15, 4096),
    }
    for name, make in large.items():

        def write(folder: Path, name: str = name, make: Any = make) -> None:
            lines = "\n".join(f"{image},1,{r},{c}" for image in (name, *IMAGES) for r, c in PATH)
            write_folder(folder, {name: make(), "paths.csv": f"image,path,row,col\n{lines}".encode()})

        yield Case("datasets: images", name, CHECK, write)


def geotiff_bands(count: int, side: int) -> bytes:
    """A raster with many bands of zeros, packed."""
    from rasterio.io import MemoryFile

    with MemoryFile() as file:
        with file.open(
            driver="GTiff",
            height=side,
            width=side,
            count=count,
            dtype="uint8",
            compress="deflate",
            tiled=True,
        ) as raster:
            for band in range(1, count + 1):
                raster.write(np.zeros((side, side), np.uint8), band)
        return bytes(file.read())


def own_arrays() -> dict[str, np.ndarray]:
    """The arrays of a dataset in one file."""
    return {
        "observations": np.zeros((4, 3, SIDE, SIDE), np.uint8),
        "paths": np.array([PATH] * 4),
        "path_image": np.arange(4),
        "blocked": np.zeros((4, SIDE, SIDE), np.uint8),
        "costs": np.ones((4, SIDE, SIDE), np.float32),
    }


def neural_astar_arrays() -> dict[str, np.ndarray]:
    """The twelve arrays of a dataset of Neural A*, with the goal in a corner."""
    arrays: dict[str, np.ndarray] = {}
    for part in range(3):
        free = np.ones((2, SIDE, SIDE))
        goals = np.zeros((2, 1, SIDE, SIDE))
        goals[:, :, 0, 0] = 1
        policies = np.zeros((2, 8, 1, SIDE, SIDE))
        policies[:, 2, :, :, 1:] = 1
        policies[:, 0, :, 1:, 0] = 1
        rows, cols = np.indices((SIDE, SIDE))
        distances = np.broadcast_to(-(rows + cols).astype(float), (2, 1, SIDE, SIDE))
        for place, array in enumerate((free, goals, policies, distances)):
            arrays[f"arr_{4 * part + place}"] = array
    return arrays


def gppn_arrays() -> dict[str, np.ndarray]:
    """Mazes with their goals in four orientations."""
    mazes, goals = np.ones((2, SIDE, SIDE), np.uint8), np.zeros((2, 4, SIDE, SIDE), np.uint8)
    goals[:, 1, 2, 2] = 1
    return {"test_mazes": mazes, "test_goals": goals}


def odd_arrays() -> list[np.ndarray]:
    """Arrays that fit nowhere."""
    return [
        np.zeros(()), np.zeros(3), np.full((4, 3, SIDE, SIDE), np.nan), np.full((4, 4, 2), -7), np.full((4, 4, 2), -1),
        np.full((4, 4, 2), 2**62), np.full(4, 99), np.full(4, -1), np.array(["train", "test", "val", "x"]),
        np.full((4, SIDE, SIDE), 7), np.full((4, SIDE, SIDE), np.inf), np.zeros((4, SIDE, SIDE), complex),
        np.zeros((1, 1, 1, 1)), np.zeros((2, SIDE, SIDE)), np.full((2, 1, SIDE, SIDE), -1.0),
        np.full((2, 1, SIDE, SIDE), np.nan), np.zeros((2, 8, 1, SIDE, SIDE)), np.full((2, 8, 1, SIDE, SIDE), np.nan),
        np.zeros((2, 4, SIDE, SIDE), np.uint8), np.ones((2, 4, SIDE, SIDE), np.uint8), np.zeros((2, 0, 2), np.int64),
    ]  # fmt: skip


def read_mazes(folder: Path) -> None:
    """The mazes of a file, if it holds some."""
    if has_gppn_layout(folder / "data"):
        read_gppn_mazes(folder / "data", 4)


def array_cases(rng: Rng, count: int) -> Iterator[Case]:
    """Archives of the three layouts with one odd array, or damaged."""
    layouts: dict[str, tuple[dict[str, np.ndarray], Any]] = {
        "own": (own_arrays(), lambda folder: read_dataset(folder / "data")),
        "Neural A*": (neural_astar_arrays(), CHECK),
        "GPPN": (gppn_arrays(), read_mazes),
    }
    odd = odd_arrays()
    for number in range(count):
        name = str(rng.choice(list(layouts)))
        sound, use = layouts[name]
        arrays = dict(sound)
        key = str(rng.choice(list(arrays)))
        kind, choice = "odd", rng.random()
        if choice < 0.55:
            fitting = [array for array in odd if array.ndim == arrays[key].ndim] or odd
            pool = fitting if rng.random() < 0.7 else odd
            arrays[key] = pool[int(rng.integers(len(pool)))]
        elif choice < 0.7:
            changed = arrays[key].astype(float)
            changed.flat[int(rng.integers(changed.size))] = float(
                rng.choice([-1, 0, 2, 99, np.nan, np.inf, 1e300])
            )
            arrays[key] = changed if rng.random() < 0.5 else np.nan_to_num(changed, posinf=9).astype(np.int64)
        elif choice < 0.8:
            del arrays[key]
        data = archive({f"{one}.npy": npy(array) for one, array in arrays.items()})
        if choice >= 0.8:
            kind, data = damaged(data, rng)
        yield Case(
            f"datasets: arrays, {name}",
            f"{key}, {kind}, {number}",
            use,
            lambda folder, data=data: (folder / "data").write_bytes(data),
        )


def bombs() -> Iterator[Case]:
    """Archives that unpack to much, and what is no file."""
    zeros = 1000 * 512 * 512
    uses = {
        "fit": CHECK,
        "mazes": read_mazes,
        "problems": command("evaluate", "grid/any", "--problems", "{}/data"),
    }
    vast = {
        "observations.npy": (npy_header("'|u1'", "(1000, 1, 512, 512)"), zeros),
        "paths.npy": (npy_header("'|u1'", "(1000, 131072, 2)"), zeros),
        "path_image.npy": (npy(np.arange(1000)), 0),
    }
    twelve = {f"arr_{number}.npy": (npy_header("'|u1'", "(1000, 512, 512)"), zeros) for number in range(12)}
    mazes = {
        "mazes.npy": (npy_header("'|u1'", "(1000, 512, 512)"), zeros),
        "goals.npy": (npy_header("'|u1'", "(1000, 1, 512, 512)"), zeros),
    }
    packed = {
        "wide observations": vast,
        "twelve wide arrays": twelve,
        "wide mazes": mazes,
        "many members": {f"a{number}.npy": (b"", 0) for number in range(5000)},
    }
    for name, members in packed.items():
        for use, act in uses.items():
            yield Case(
                "datasets: bombs",
                f"{name}, {use}",
                act,
                lambda folder, members=members: (folder / "data").write_bytes(wide_archive(members)),
            )
    for place, make in PLACES.items():
        for use, act in uses.items():

            def write(folder: Path, make: Any = make) -> None:
                make(folder)
                if (folder / "a").exists() or (folder / "a").is_symlink():
                    (folder / "a").rename(folder / "data")

            yield Case("datasets: no file", f"{place}, {use}", act, write)
    for name in ("paths.csv", "a.png"):

        def pipe(folder: Path, name: str = name) -> None:
            write_folder(folder, {})
            (folder / "data" / name).unlink()
            os.mkfifo(folder / "data" / name)

        yield Case("datasets: no file", f"{name} is a pipe", CHECK, pipe)


def configurations(rng: Rng, count: int) -> Iterator[Case]:
    """Configuration files with one odd field, and odd ``--set`` options; nothing is trained."""
    from vinlab.experiments import experiment_of
    from vinlab.recording.serialization import to_plain

    setting = "gridworld/8/vin"
    config = experiment_of(setting).settings[setting].configure("smoke", "default")
    plain = {"id": setting, **json.loads(json.dumps(to_plain(config), default=str))}
    names = [
        "learning.epochs",
        "network.iterations",
        "data.size",
        "network",
        "seed",
        "a.b.c",
        "",
        ".",
        "network.kind",
    ]
    values = [
        "-1",
        "0",
        "1e99",
        "NaN",
        "[]",
        "{}",
        "null",
        "true",
        "x",
        "9" * 400,
        "[" * 100,
        '"\\ud800"',
        "1" * 5000,
    ]
    for number in range(count):
        if number % 2:
            kind, data = odd_json(plain, rng)

            def act(folder: Path) -> None:
                from vinlab.experiments.overrides import override, read_overrides

                override(config, read_overrides(folder / "c.json", setting))

            write = lambda folder, data=data: (folder / "c.json").write_bytes(data)  # noqa: E731
            yield Case("options: configurations", f"{kind}, {number}", act, write)
        else:
            text = f"{rng.choice(names)}{rng.choice(['=', '', '=='])}{rng.choice(values)}"
            yield Case("options: --set", f"{text[:60]}, {number}", command("show", setting, "--set", text))


def cases(rng: Rng, count: int) -> Iterator[Case]:
    """About ``count`` cases."""
    yield from bombs()
    yield from table_cases(rng, count * 3 // 10)
    yield from image_cases(rng, count // 10)
    yield from array_cases(rng, count * 4 // 10)
    yield from configurations(rng, count * 2 // 10)

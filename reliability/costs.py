"""Hostile maps with costs: every format read by every rule of costs, odd values, archives of costs, paths to write."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from reliability.cases import Case, SilentDifference, command
from reliability.map_formats import (
    CHECKED,
    archive,
    geotiff,
    npy,
    npy_header,
    sound_files,
    sound_map,
    wide_archive,
)
from reliability.odd_bytes import Rng, damaged
from vinlab.maps import MapOptions, read_map
from vinlab.maps.costs import CostOptions

RULES = ("linear", "nav2", "slope", "elevation")

ODD_OPTIONS = [
    ("--cost-offset", ("-1", "0", "nan", "inf", "1e308", "-1e308", "x", "")),
    ("--cost-scale", ("-1", "0", "nan", "1e308", "1e-320", "9" * 400)),
    ("--cost-limit", ("-1", "0", "90", "nan", "1e308", "inf")),
    ("--slope-curve", ("linear", "tobler", "x")),
    ("--uphill", ("-1", "nan", "1e308", "inf", "0")),
    ("--downhill", ("-1", "nan", "1e308", "-inf")),
    ("--cell-size", ("0", "-1", "nan", "1e-308", "1e308")),
    ("--motion", ("four", "eight", "differential", "differential-16", "wheels")),
    ("--robot-radius", ("-1", "nan", "1e9", "2")),
    ("--goal", ("3,3", "0,0", "-1,-1", "3,3,3", "11,11,N", "99,99")),
    ("--unknown", ("free", "blocked", "maybe")),
    ("--obstacles", ("dark", "bright")),
]
"""Options of maps with costs, and values that someone may give."""


def odd_values() -> dict[str, np.ndarray]:
    """Values that no cost, slope or height has."""
    sound = np.linspace(1.0, 9.0, 144).reshape(12, 12)
    changed = {}
    for name, value in {
        "nan": np.nan, "inf": np.inf, "minus inf": -np.inf, "negative": -3.0, "zero": 0.0, "vast": 1e308,
        "tiny": 1e-320,
    }.items():  # fmt: skip
        changed[name] = sound.copy()
        changed[name][5, 5] = value
    changed["all vast"] = np.full((12, 12), 1.7e308)
    changed["all nan"] = np.full((12, 12), np.nan)
    changed["all inf"] = np.full((12, 12), np.inf)
    changed["steep"] = sound * 1e300
    changed["whole"] = (sound * 20).astype(np.int64)
    changed["largest whole"] = np.full((12, 12), 2**63 - 1, np.int64)
    changed["truths"] = sound > 4
    changed["halves"] = sound.astype(np.float16)
    return changed


def graded_maps(rng: Rng, count: int) -> Iterator[Case]:
    """Maps of all formats read as costs, sound or damaged; a damaged file with a checksum gives the same costs."""
    files = sound_files(sound_map(rng))
    for number in range(count):
        file, rule = str(rng.choice(list(files))), str(rng.choice(RULES))
        options = MapOptions(grading=CostOptions(costs=rule, cell_size=1.0))  # type: ignore[arg-type]
        kind, data = damaged(files[file], rng) if rng.random() < 0.7 else ("sound", files[file])

        def read(folder: Path, file: str = file, options: MapOptions = options) -> Any:
            found = read_map(folder / file, options)
            return found.obstacles, found.costs

        def check(found: Any, data: bytes = files[file], read: Any = read, file: str = file) -> None:
            Path("sound").mkdir()
            (Path("sound") / file).write_bytes(data)
            for one, other in zip(found, read(Path("sound")), strict=True):
                if not np.array_equal(one, other):
                    raise SilentDifference("other costs")

        yield Case(
            "costs: damaged",
            f"{file}, {kind}, {rule}, {number}",
            read,
            lambda folder, file=file, data=data: (folder / file).write_bytes(data),
            check if file in CHECKED else None,
        )


def planned_costs(rng: Rng, count: int) -> Iterator[Case]:
    """Plans on odd values with odd options, with and without the network."""
    values = odd_values()
    for number in range(count):
        name = str(rng.choice(list(values)))
        array = values[name]
        made = {
            "a.npy": lambda array=array: npy(array),
            "a.npz": lambda array=array: archive({"costs.npy": npy(array)}),
            "a.tif": lambda array=array: geotiff(array.astype(np.float32)),
        }
        file = str(rng.choice(list(made)))
        arguments = ["plan", f"{{}}/{file}", "--start", "0,0", "--json"]
        if file != "a.npz" or rng.random() < 0.2:
            arguments += ["--costs", str(rng.choice(RULES))]
        if rng.random() < 0.8:
            arguments.append("--exact")
        if rng.random() < 0.3:
            arguments += ["--path-out", "{}/p.json"]
        goals = False
        for place in rng.permutation(len(ODD_OPTIONS))[: int(rng.integers(0, 3))]:
            option, odd = ODD_OPTIONS[place]
            arguments += [option, str(rng.choice(odd))]
            goals |= option == "--goal"
        if not goals:
            arguments += ["--goal", "11,11"]
        with np.errstate(all="ignore"):
            data = made[file]()
        yield Case(
            "costs: plans",
            f"{name}, {' '.join(arguments[2:])[:100]}, {number}",
            command(*arguments),
            lambda folder, file=file, data=data: (folder / file).write_bytes(data),
        )


def cost_archives(rng: Rng) -> Iterator[Case]:
    """Archives of costs with odd arrays beside them, and bombs."""
    costs = np.ones((2, 12, 12))
    arrays: dict[str, list[np.ndarray]] = {
        "costs": [np.zeros(()), np.ones(5), np.ones((1, 1)), np.ones((2, 2, 2, 2)), np.ones((12, 5000)), costs > 0],
        "obstacles": [np.ones((3, 3)), np.full((2, 12, 12), 2), np.full((2, 12, 12), np.nan), np.ones((1, 12, 12))],
        "starts": [np.zeros(2), np.full((2, 2), -1), np.full((2, 2), 1e300), np.full((2, 2), np.nan), np.zeros((1, 2))],
        "goals": [np.full((2, 2), 99), np.full((2, 2), 0.5), np.zeros(()), np.zeros((2, 3))],
    }  # fmt: skip
    for key, odd in arrays.items():
        for place, array in enumerate(odd):
            members = {"costs.npy": npy(costs), f"{key}.npy": npy(array)}
            for index in ("0", "1", "9", "-1"):
                yield Case(
                    "costs: archives",
                    f"{key}, {place}, --index {index}",
                    command("plan", "{}/a.npz", "--exact", "--index", index, "--json", "--start", "0,0"),
                    lambda folder, members=members: (folder / "a.npz").write_bytes(archive(members)),
                )
    vast: dict[str, dict[str, tuple[bytes, int]]] = {
        "deflated": {"costs.npy": (npy_header("'<f8'", "(60000, 60000)"), 30 * 2**20)},
        "many": {f"costs{number}.npy": (npy(costs), 0) for number in range(3000)},
        "wide": {"costs.npy": (npy_header("'<f8'", "(4096, 4096)"), 8 * 4096 * 4096)},
    }
    for name, members in vast.items():
        yield Case(
            "costs: archives",
            name,
            command("plan", "{}/a.npz", "--exact", "--start", "0,0", "--goal", "5,5", "--json"),
            lambda folder, members=members: (folder / "a.npz").write_bytes(wide_archive(members)),
        )


def lossy_images(rng: Rng, count: int) -> Iterator[Case]:
    """JPEG and WebP images, damaged or with odd headers, as maps and as costs."""
    from PIL import Image

    files = {}
    for kind, size in (("JPEG", 24), ("WEBP", 24), ("WEBP", 23)):
        file = io.BytesIO()
        grey = rng.integers(0, 255, (size, size, 3), dtype=np.uint8)
        Image.fromarray(grey).save(file, kind, **({"lossless": True} if size == 23 else {}))  # type: ignore[arg-type]
        files[f"a{size}.{kind.lower()}"] = file.getvalue()
    for number in range(count):
        file = str(rng.choice(list(files)))
        kind, data = damaged(files[file], rng)
        if rng.random() < 0.2:  # the size that a JPEG or WebP claims
            kind, data = "a vast size", _vast(files[file])
        arguments = ["plan", f"{{}}/{file}", "--exact", "--start", "0,0", "--goal", "20,20", "--json"]
        arguments += ["--costs", "linear"] if number % 2 else []
        yield Case(
            "costs: JPEG and WebP",
            f"{file}, {kind}, {number}",
            command(*arguments),
            lambda folder, file=file, data=data: (folder / file).write_bytes(data),
        )


def _vast(data: bytes) -> bytes:
    """The image with another size in its header."""
    if data[:3] == b"\xff\xd8\xff":
        place = next(at for at in range(len(data)) if data[at : at + 2] in (b"\xff\xc0", b"\xff\xc2"))
        return data[: place + 5] + b"\xff\xdc\xff\xdc" + data[place + 9 :]
    return data[:24] + b"\xff" * 4 + data[28:]


def cases(rng: Rng, count: int) -> Iterator[Case]:
    """About ``count`` cases."""
    yield from cost_archives(rng)
    yield from graded_maps(rng, count * 3 // 10)
    yield from planned_costs(rng, count * 4 // 10)
    yield from lossy_images(rng, count * 2 // 10)

"""Absurd options for every command."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from reliability.cases import Case, command
from reliability.datasets import write_folder
from reliability.map_formats import npy, png
from reliability.odd_bytes import Rng
from reliability.runs import fixtures

ODD = [
    "",
    " ",
    "-1",
    "0",
    "1",
    "99999999999999999999",
    "9" * 5000,
    "1e9",
    "nan",
    "inf",
    "-inf",
    "0x10",
    "None",
    "true",
    "[1]",
    ".",
    "..",
    "/",
    "/dev/null",
    "/dev/full",
    "/proc/self/mem",
    "/root/none/none",
    "a/b/c.png",
    "x" * 5000,
    "é\u202e",
    "\udcff",
    "--",
    "-",
    "--help",
    "1,1",
    "0,0",
    "a,b",
    "-5,-5",
    "1,1,1",
    "1e400,0",
    "99999,99999",
    "gridworld/8/vin",
    "grid/any",
    "../x",
    "~",
    "$HOME",
    "%s",
    "{}",
]
"""Values that someone may give to any option."""

BASES: dict[str, tuple[list[str], list[str]]] = {
    "plan": (
        ["{}/map.png", "--exact", "--start", "0,0", "--goal", "8,8"],
        [
            "--start",
            "--goal",
            "--model",
            "--out",
            "--path-out",
            "--iterations",
            "--corner-cutting",
            "--obstacles",
            "--threshold",
            "--unknown",
            "--robot-radius",
            "--index",
            "--world-coordinates",
            "--json",
            "--exact",
            "--motion",
            "--costs",
            "--cost-offset",
            "--cost-scale",
            "--cost-limit",
            "--slope-curve",
            "--uphill",
            "--downhill",
            "--cell-size",
            "--partial",
            "--device",
        ],
    ),
    "fit": (
        ["{}/data", "--out", "{}/run", "--updates", "2", "--hidden", "2"],
        [
            "--out",
            "--seed",
            "--threads",
            "--view",
            "--loss",
            "--pixels-per-cell",
            "--split-by",
            "--skip-bad",
            "--symmetric",
            "--hidden",
            "--rate",
            "--check-only",
            "--resume",
            "--overwrite",
            "--tensorboard",
        ],
    ),
    "evaluate": (
        ["gridworld/8/vin", "--problems", "{}/problems.npz"],
        [
            "--problems",
            "--iterations",
            "--corner-cutting",
            "--data",
            "--json",
            "--suite",
            "--budget",
            "--device",
            "--out",
            "--resume",
            "--overwrite",
        ],
    ),
    "data": (
        ["gridworld", "--out", "{}/a.npz", "--count", "2"],
        [
            "--out",
            "--size",
            "--count",
            "--family",
            "--seed",
            "--threshold",
            "--image",
            "--elevation",
            "--slope",
            "--post-spacing",
            "--slope-step",
            "--pixel-size",
            "--nodata",
            "--paths",
            "--detours",
        ],
    ),
    "train": (
        ["gridworld/8/vin", "--budget", "smoke", "--out", "{}/run", "--threads", "1"],
        [
            "--recipe",
            "--seed",
            "--out",
            "--data",
            "--device",
            "--threads",
            "--resume",
            "--overwrite",
            "--allow-changes",
            "--tensorboard",
            "--set",
            "--config",
        ],
    ),
    "export": (["gridworld/8/vin", "{}/a.onnx"], []),
    "table": (["gridworld", "--runs", "{}/runs"], ["--runs", "--out"]),
    "show": (["gridworld/8/vin"], ["--budget", "--recipe", "--set", "--card"]),
    "list": ([], ["--all"]),
    "reproduce": (
        ["gridworld", "--dry-run", "--runs", "{}/runs", "--out", "{}/out"],
        ["--budget", "--runs", "--out", "--data", "--seeds", "--jobs", "--ray"],
    ),
    "plot": (["{}/runs", "--out", "{}/figures"], ["--out", "--problem", "--data", "--runs"]),
    "browse": (["a query", "--model", "{}"], ["--model", "--data", "--start", "--clicks", "--out", "--play"]),
    "serve": (["--port", "0"], ["--model", "--host", "--port"]),
}
"""A quick call of each command, and the options that may be added to it."""


SHORT = {
    "evaluate": ["--problems", "{}/problems.npz"],
    "fit": ["--updates", "2"],
    "reproduce": ["--dry-run"],
    "train": ["--budget", "smoke"],
}
"""What keeps a good call from taking long, which is added where it was lost."""


def call(name: str, *arguments: str) -> Callable[[Path], Any]:
    """A call of a command; the page listens, and closes at once."""
    act = command(name, *arguments)
    if name != "serve":
        return act

    def listen(folder: Path) -> None:
        from vinlab.serve.connections import PageServer

        PageServer.run = lambda server, sockets: sockets[0].listen()  # type: ignore[method-assign]
        act(folder)

    return listen


def write_files(folder: Path) -> None:
    """A map and problems, for the calls that need some."""
    (folder / "map.png").write_bytes(png(np.full((9, 9), 255, np.uint8)))
    ends = np.array([[1, 1]])
    np.savez(folder / "problems.npz", obstacles=np.zeros((1, 9, 9), np.uint8), starts=ends, goals=ends + 5)
    (folder / "map.npy").write_bytes(npy(np.zeros((9, 9), np.uint8)))
    write_folder(folder, {})
    shutil.copytree(fixtures() / "finished", folder / "runs")


def odd_options(rng: Rng, count: int) -> Iterator[Case]:
    """Calls with one to three odd options, or an odd argument."""
    names = list(BASES)
    for number in range(count):
        name = names[number % len(names)]
        base, options = BASES[name]
        arguments = list(base)
        for _ in range(int(rng.integers(1, 4))):
            if not options or rng.random() < 0.15:
                arguments[int(rng.integers(len(arguments))) if arguments else 0 :] = [str(rng.choice(ODD))]
                continue
            option, odd = str(rng.choice(options)), str(rng.choice(ODD))
            arguments += [f"{option}={odd}"] if rng.random() < 0.5 else [option, odd]
        for first, part in enumerate(needed := SHORT.get(name, [])):
            if part.startswith("--") and part not in arguments:
                arguments += needed[first : first + 2]
        yield Case(
            f"options: {name}",
            f"{number}: {' '.join(arguments)[:80]}",
            call(name, *arguments),
            write_files,
        )


BOUNDS = {
    "train --seed": ("train", "gridworld/8/vin", "--budget", "smoke", "--out", "{}/r", "--seed", str(2**70)),
    "train --threads": (
        "train",
        "gridworld/8/vin",
        "--budget",
        "smoke",
        "--out",
        "{}/r",
        "--threads",
        "1000000",
    ),
    "train --resume --overwrite": ("train", "gridworld/8/vin", "--out", "{}/r", "--resume", "--overwrite"),
    "train --out .": ("train", "gridworld/8/vin", "--budget", "smoke", "--out", "."),
    "train --out /": ("train", "gridworld/8/vin", "--budget", "smoke", "--out", "/"),
    "train --device": ("train", "gridworld/8/vin", "--out", "{}/r", "--device", "abacus"),
    "data --size": ("data", "gridworld", "--out", "{}/a.npz", "--size", "1000000"),
    "data --count": ("data", "gridworld", "--out", "{}/a.npz", "--count", "1000000000"),
    "data mars --size": ("data", "mars", "--out", "{}/a.npz", "--size", "100000"),
    "data mars --threshold": (
        "data",
        "mars",
        "--out",
        "{}/a.npz",
        "--size",
        "8",
        "--count",
        "1",
        "--threshold",
        "nan",
    ),
    "plan --iterations": (
        "plan",
        "{}/map.png",
        "--start",
        "0,0",
        "--goal",
        "8,8",
        "--iterations",
        "1000000000",
    ),
    "data terrain-costs --count": ("data", "terrain-costs", "--out", "{}/a.npz", "--count", "1000000000"),
    "data terrain-costs --paths": (
        "data",
        "terrain-costs",
        "--out",
        "{}/a.npz",
        "--count",
        "1",
        "--paths",
        "1000000000",
    ),
    "data terrain-costs --detours": (
        "data",
        "terrain-costs",
        "--out",
        "{}/a.npz",
        "--count",
        "1",
        "--paths",
        "1",
        "--detours",
        "nan",
    ),
    "data terrain-costs --size": ("data", "terrain-costs", "--out", "{}/a.npz", "--size", "100000"),
    "fit --hidden": ("fit", "{}", "--out", "{}/r", "--hidden", "100000000", "--check-only"),
    "fit --updates": ("fit", "{}", "--out", "{}/r", "--updates", "1" + "0" * 30, "--check-only"),
    "plan --motion": (
        "plan",
        "{}/map.png",
        "--motion",
        "differential-16",
        "--start",
        "0,0,N",
        "--goal",
        "8,8,999",
    ),
    "plan --goal x 2000": ("plan", "{}/map.png", "--exact", "--start", "0,0", *["--goal", "5,5"] * 2000),
    "plan --robot-radius": (
        "plan",
        "{}/map.png",
        "--exact",
        "--start",
        "0,0",
        "--goal",
        "5,5",
        "--robot-radius",
        "1e300",
    ),
    "show --set": ("show", "gridworld/8/vin", "--set", "network.iterations=1" + "0" * 400),
    "plan --index": ("plan", "{}/map.npy", "--exact", "--start", "0,0", "--goal", "8,8", "--index", "5"),
    "plan a folder": ("plan", "/", "--exact"),
    "table of the disk": ("table", "gridworld", "--runs", "/"),
    "plot of the disk": ("plot", "generalisation", "--runs", "/"),
    "browse --clicks": ("browse", "x", "--model", "{}", "--clicks", "1000000000"),
    "reproduce --jobs": ("reproduce", "--dry-run", "--jobs", "1000000"),
    "reproduce --seeds": ("reproduce", "--dry-run", "--seeds", "1000000000"),
    "no command": ("",),
    "an unknown command": ("paln",),
}
"""Calls that are refused with a bound, or end at once."""


def cases(rng: Rng, count: int) -> Iterator[Case]:
    """About ``count`` cases."""
    for name, arguments in BOUNDS.items():
        yield Case("options: bounds", name, command(*arguments), write_files)
    yield from odd_options(rng, count)

"""What people see of making problems from ground: what was read, what was left out, and where it was written."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from vinlab.cli.output import require_at_least, watched
from vinlab.domains.mars.files import CELL, write_terrain_problems
from vinlab.domains.mars.patches import PatchConfig
from vinlab.domains.mars.rasters.pairs import TerrainFiles, terrain_tiles
from vinlab.domains.mars.sampling import sample_terrain_problems
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, make_terrain
from vinlab.types import InputError

FREE_SHARE = 60 / 256
"""A task needs a free region of this share of the cells, as in the 16 x 16 cells of the paper."""


def terrain_files(
    image: Path | None,
    elevation: Path | None,
    slope: Path | None,
    scale: str | None,
    pixel: float | None,
    nodata: float | None,
) -> TerrainFiles | None:
    """The files that the options name; None where there are none and synthetic ground is wanted."""
    if image is not None:
        return TerrainFiles(image, elevation, slope, parse_scale(scale), pixel, nodata)
    if any(option is not None for option in (elevation, slope, scale, pixel, nodata)):
        raise InputError(
            "--elevation, --slope, --scale, --pixel and --nodata go with an --image, without which synthetic "
            "ground is made."
        )
    return None


def make_terrain_file(
    out: Path,
    *,
    files: TerrainFiles | None,
    size: int,
    count: int,
    threshold: float,
    seed: int,
) -> None:
    """Write problems on the ground that two files show, or on synthetic ground, and say what was done."""
    side = require_at_least(4, size, "--size") * CELL
    free = max(2, int(FREE_SHARE * size**2))
    config = PatchConfig(side=side, threshold=threshold, stride=max(1, side // 2), min_free=free)
    notes: dict[str, None] = {}
    rng = np.random.default_rng(seed)
    with watched("Reading ground") as progress:
        seen = 0

        def watch(terrain: Terrain) -> None:
            nonlocal seen
            seen += 1
            notes.update(dict.fromkeys(terrain.notes))
            progress(seen, seen, terrain.name)

        problems, census = sample_terrain_problems(
            _tiles(files, side, count, seed), count, config, rng=rng, watch=watch
        )
    for note in notes:
        print(note)
    print(f"{census}.".capitalize())
    write_terrain_problems(out, problems)
    print(
        f"{count} problems of {size} x {size} cells, {100 * problems.obstacles.mean():.1f} % of them at or above "
        f"{threshold:g} degrees. Written to {out}."
    )


def _tiles(files: TerrainFiles | None, side: int, count: int, seed: int) -> Callable[[], Iterable[Terrain]]:
    """What gives the tiles, the same ones each time."""
    if files is not None:
        return lambda: terrain_tiles(files, side=max(2048, 4 * side))
    ground = SyntheticConfig(side=max(1024, 4 * side))
    terrains = -(-count * side**2 // ground.side**2)

    def synthetic() -> Iterable[Terrain]:
        rng = np.random.default_rng((seed, 1))
        return (make_terrain(f"synthetic {index}", ground, rng=rng) for index in range(terrains))

    return synthetic


def parse_scale(text: str | None) -> tuple[float, ...] | None:
    """One positive number, or two with a comma between them."""
    if text is None:
        return None
    number = r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
    if not re.fullmatch(rf"\s*{number}\s*(?:,\s*{number}\s*)?", text):
        raise InputError(
            f"--scale must be one positive number or two, such as 1.0 or 1.0,0.95, but '{text}' came."
        )
    return tuple(float(part) for part in text.split(","))

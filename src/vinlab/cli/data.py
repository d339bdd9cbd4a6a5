"""``vinlab data``: problems of the grid-world, on terrain, or pictures with demonstrated paths, as a file."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from tyro.conf import Positional, arg

from vinlab.cli.checks import (
    LARGEST_SIDE,
    MOST_CELLS,
    MOST_PROBLEMS,
    MOST_SEED,
    MOST_TERRAIN_CELLS,
    require_between,
    require_cells,
    require_file_name,
)
from vinlab.cli.output import watched
from vinlab.domains.gridworld import files as gridworld_files
from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.obstacles import ScatterConfig
from vinlab.domains.gridworld.problem import GridworldConfig, content_hash
from vinlab.domains.gridworld.problem import sample_problems as sample_grid_problems
from vinlab.domains.mars import files as mars_files
from vinlab.domains.mars.patches import PAPER_PATCHES, PatchConfig
from vinlab.domains.mars.problem import sample_from_tiles, synthetic_tiles
from vinlab.domains.mars.rasters.pairs import TerrainFiles, terrain_tiles
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.terrain_costs import files as terrain_costs_files
from vinlab.domains.terrain_costs.expert import demonstrate
from vinlab.domains.terrain_costs.problem import GROUNDS, TerrainCostsConfig, sample_dataset
from vinlab.types import CELL, InputError

Family = Literal["obstacles", "scattered", "mazes"]

FREE_SHARE = PAPER_PATCHES.min_free / PAPER_PATCHES.cells**2
"""The share of the cells that the free region of a problem has at least, as on the paper's patches."""


OPTIONS = "--image, --elevation, --slope, --post-spacing, --slope-step, --pixel-size or --nodata"


@dataclass(frozen=True)
class TerrainOptions:
    """The options that name files of real terrain."""

    image: Path | None = None
    """Mars: an image of real terrain (GeoTIFF, PNG, JPEG 2000, PDS); synthetic terrain if not given."""
    elevation: Path | None = None
    """Mars: the elevation of the same terrain in metres, such as a HiRISE DT….IMG."""
    slope: Path | None = None
    """Mars: the slope of the same terrain instead, in degrees or in steps of --slope-step degrees."""
    post_spacing: str | None = None
    """Mars: metres between the posts of the elevation, one number or DOWN,ALONG, if the file has none."""
    slope_step: float | None = None
    """Mars: degrees of a step of the slope, where it holds whole numbers."""
    pixel_size: float | None = None
    """Mars: metres of a pixel to which image and slopes are averaged; that of the image if not given."""
    nodata: float | None = None
    """Mars: the value of the image that marks missing data, where the file does not declare it."""

    def files(self) -> TerrainFiles | None:
        """The files; None where no option is given and terrain is synthetic."""
        if self.image is not None:
            return TerrainFiles(**{**vars(self), "post_spacing": parse_spacing(self.post_spacing)})
        if self != TerrainOptions():
            raise InputError(f"expected an --image with {OPTIONS.removeprefix('--image, ')}, got none.")
        return None


def data(
    domain: Positional[Literal["gridworld", "mars", "terrain-costs", "gallery"]],
    /,
    terrain: Annotated[TerrainOptions, arg(name="")],
    out: Path,
    size: int | None = None,
    count: int | None = None,
    family: Family = "obstacles",
    seed: int = 0,
    threshold: float = PAPER_PATCHES.threshold,
    paths: int = 5,
    detours: float = 0.0,
) -> None:
    """Generate problems, or cut them from images of terrain, and write a file for evaluate --problems or fit.

    Args:
        domain: Which domain; gallery: ten maps as images, to try plan on.
        terrain: The files of real terrain.
        out: The .npz file to write; terrain-costs: also a folder, for PNG images and paths.csv; gallery: a folder.
        size: Side of the square maps in cells, 16 (terrain-costs: 40) if not given; mazes need an odd one.
        count: Number of problems, 1000 if not given; terrain-costs: of pictures, 100 if not given.
        family: Grid-world: random obstacles as in the paper, single random cells, or mazes.
        seed: Random seed.
        threshold: Mars: degrees from which on a cell is blocked.
        paths: Terrain-costs: demonstrated paths on each picture.
        detours: Terrain-costs: the probability that the demonstrator makes a random move.
    """
    require_between(0, seed, MOST_SEED, "--seed")
    require_file_name(out)
    if domain == "gallery":
        from vinlab.cli.data_gallery import write_gallery

        write_gallery(out)
        return
    if domain == "terrain-costs":
        size, count = 40 if size is None else size, 100 if count is None else count
        write_pictures(out, size=size, count=count, paths=paths, detours=detours, seed=seed)
        return
    size, count = 16 if size is None else size, 1000 if count is None else count
    if domain == "mars":
        write_terrain_problems(out, terrain.files(), size=size, count=count, threshold=threshold, seed=seed)
    elif terrain != TerrainOptions():
        raise InputError(f"data gridworld: expected no {OPTIONS}, which belong to data mars.")
    else:
        write_grid_problems(out, family, size=size, count=count, seed=seed)


def write_pictures(out: Path, *, size: int, count: int, paths: int, detours: float, seed: int) -> None:
    """Write pictures of ground with hidden costs and demonstrated paths."""
    require_cells(size, count, MOST_CELLS, LARGEST_SIDE)
    if (cells := size * size * count * require_between(1, paths, MOST_PROBLEMS, "--paths")) > MOST_CELLS:
        raise InputError(
            f"--size, --count and --paths: expected at most {MOST_CELLS:,} cells in the pictures of all paths, "
            f"got {cells:,}."
        )
    rng = np.random.default_rng(seed)
    problems, owners = sample_dataset(TerrainCostsConfig(size=size), count, paths, rng=rng)
    shown = demonstrate(problems, detours=detours, rng=rng)
    write = terrain_costs_files.write_dataset if out.suffix else terrain_costs_files.write_folder
    write(out, problems, owners, shown)
    grounds = ", ".join(f"{ground.name} {ground.cost:g}" for ground in GROUNDS)
    print(
        f"{count} pictures of {size} x {size} cells with {paths} demonstrated paths each; a cell costs: {grounds}."
    )
    print(f"Written to {out}.")


def parse_spacing(text: str | None) -> tuple[float, ...] | None:
    """One positive number, or two with a comma between them."""
    if text is None:
        return None
    number = r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
    if not re.fullmatch(rf"\s*{number}\s*(?:,\s*{number}\s*)?", text):
        raise InputError(
            f"--post-spacing: expected one positive number or two, such as 1.0 or 1.0,0.95, got '{text}'."
        )
    return tuple(float(part) for part in text.split(","))


def write_grid_problems(out: Path, family: Family, *, size: int, count: int, seed: int) -> None:
    """Write random problems of the grid-world."""
    require_cells(size, count, MOST_CELLS, LARGEST_SIDE)
    drawn = {"obstacles": None, "scattered": ScatterConfig(), "mazes": MazeConfig()}[family]
    rng = np.random.default_rng(seed)
    problems = sample_grid_problems(GridworldConfig(size=size, family=drawn), count, rng=rng)
    gridworld_files.write_problems(out, problems)
    share = problems.obstacles[:, 1:-1, 1:-1].mean()
    print(f"{count} problems of {size} x {size} cells, {100 * share:.1f} % of the inner ones blocked.")
    print(f"Written to {out} (content {content_hash(problems)[:12]}).")


def write_terrain_problems(
    out: Path, files: TerrainFiles | None, *, size: int, count: int, threshold: float, seed: int
) -> None:
    """Write problems on the terrain of some files, or on synthetic terrain, and print what was assumed."""
    side = require_between(4, size, LARGEST_SIDE // CELL, "--size") * CELL
    require_cells(size, count, MOST_TERRAIN_CELLS, LARGEST_SIDE // CELL)
    free = max(2, int(FREE_SHARE * size**2))
    config = PatchConfig(side=side, threshold=threshold, stride=max(1, side // 2), min_free=free)
    tiles = (
        synthetic_tiles(config, count, seed=(seed, 1))
        if files is None
        else lambda: terrain_tiles(files, side=max(2048, 4 * side))
    )
    names: list[str] = []
    notes: dict[str, None] = {}
    with watched("Reading terrain") as progress:

        def watch(terrain: Terrain) -> None:
            names.append(terrain.name)
            notes.update(dict.fromkeys(terrain.notes))
            progress(len(names), len(names), terrain.name)

        rng = np.random.default_rng(seed)
        problems, counts = sample_from_tiles(tiles, count, config, rng=rng, watch=watch)
    print(*notes, f"{counts}.", sep="\n")
    mars_files.write_problems(out, problems)
    print(
        f"{count} problems of {size} x {size} cells, {100 * problems.obstacles.mean():.1f} % of them at or above "
        f"{threshold:g} degrees. Written to {out}."
    )

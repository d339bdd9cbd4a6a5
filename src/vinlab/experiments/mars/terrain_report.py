"""Real and synthetic terrain side by side: a table of statistics, and a figure."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from vinlab.domains.mars.patches import PAPER_PATCHES
from vinlab.domains.mars.rasters.folders import read_mars_folder
from vinlab.domains.mars.splits import disjoint_regions
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.statistics import (
    area_under_curve,
    cell_traits,
    describe_terrain,
    fit_logistic,
)
from vinlab.domains.mars.terrain.synthetic import synthetic_terrains
from vinlab.experiments.tables import markdown_table
from vinlab.figures.save import save_figure
from vinlab.figures.terrain import terrains_figure

SQUARE = 320
"""Pixels along a side of the squares that are shown."""


def terrain_report(folder: Path, figure: Path, *, terrains: int = 12, seed: int = 0) -> str:
    """Compare the real terrain of a folder with synthetic terrain: draw the figure and give the table."""
    real = read_mars_folder(folder)
    synthetic = list(synthetic_terrains(terrains, rng=np.random.default_rng(seed)))
    save_figure(comparison_figure(real, synthetic), figure)
    return comparison_table(real, synthetic)


def comparison_table(real: Sequence[Terrain], synthetic: Sequence[Terrain]) -> str:
    """Statistics of both terrains, and how well a classifier fitted to the one does on the other, as Markdown."""
    ours, theirs = describe_terrain(synthetic), describe_terrain(real)
    rows = [[name, f"{theirs[name]:.3g}", f"{ours[name]:.3g}"] for name in ours]
    for name, (first, second) in transfers(real, synthetic).items():
        rows.append([name, f"{first:.3f}", f"{second:.3f}"])
    return markdown_table(["measure", "real", "synthetic"], rows)


def transfers(real: Sequence[Terrain], synthetic: Sequence[Terrain]) -> dict[str, tuple[float, float]]:
    """The AUC of logistic regressions on features of single cells, on terrain that they were not fitted to."""
    parts = {"real": split_terrain(real), "synthetic": split_terrain(synthetic)}
    weights = {name: fit_logistic(cell_traits(train)) for name, (train, _) in parts.items()}
    tests = {name: cell_traits(test) for name, (_, test) in parts.items()}
    return {
        f"AUC of a classifier fitted to {fitted} terrain": (
            area_under_curve(tests["real"].features @ weights[fitted], tests["real"].blocked),
            area_under_curve(tests["synthetic"].features @ weights[fitted], tests["synthetic"].blocked),
        )
        for fitted in weights
    }


def split_terrain(terrains: Sequence[Terrain]) -> tuple[list[Terrain], list[Terrain]]:
    """The terrain for training and that for test, as the disjoint protocol divides it."""
    regions = disjoint_regions(terrains, PAPER_PATCHES)
    train, test = (
        [
            _part(terrains[one.terrain], slice(one.top, one.bottom), slice(one.left, one.right))
            for one in regions[name]
        ]
        for name in ("train", "test")
    )
    return train, test


def _part(terrain: Terrain, rows: slice, cols: slice) -> Terrain:
    return Terrain(terrain.image[rows, cols], terrain.slope[rows, cols], terrain.name)


def comparison_figure(real: Sequence[Terrain], synthetic: Sequence[Terrain]) -> Figure:
    """Squares of both terrains with their slopes, and the share of each that is steeper than a slope."""
    both = {"real": real, "synthetic": synthetic}
    # Two wholly known squares, from the first and the last terrain, or far apart in the only one.
    squares = {name: [_square(one[0], last=False), _square(one[-1], last=True)] for name, one in both.items()}
    return terrains_figure(
        {name: [square.image for square in found] for name, found in squares.items()},
        {name: [square.slope for square in found] for name, found in squares.items()},
        {name: np.concatenate([one.slope[one.known] for one in terrains]) for name, terrains in both.items()},
    )


def _square(terrain: Terrain, *, last: bool) -> Terrain:
    side = min(SQUARE, *terrain.image.shape)
    height, width = terrain.image.shape
    corners = [
        (top, left) for top in range(0, height - side + 1, 32) for left in range(0, width - side + 1, 32)
    ]
    wanted = corners[::-1] if last else corners
    row, col = next(
        ((row, col) for row, col in wanted if terrain.known[row : row + side, col : col + side].all()),
        wanted[0],
    )
    return _part(terrain, slice(row, row + side), slice(col, col + side))

"""Real and synthetic ground side by side: ``python -m vinlab.experiments.mars.terrain_report --data FOLDER``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from vinlab.domains.mars.patches import PatchConfig
from vinlab.domains.mars.problem import disjoint_regions
from vinlab.domains.mars.rasters.folders import read_mars_folder
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.statistics import (
    area_under_curve,
    cell_traits,
    describe_terrain,
    fit_logistic,
)
from vinlab.domains.mars.terrain.synthetic import synthetic_terrains
from vinlab.figures.save import save_figure
from vinlab.figures.terrain import terrains_figure

SQUARE = 320
"""Pixels along a side of the squares that are shown."""


def comparison_table(real: Sequence[Terrain], synthetic: Sequence[Terrain]) -> str:
    """Both grounds in a Markdown table, with how well a classifier of the one judges the other."""
    ours, theirs = describe_terrain(synthetic), describe_terrain(real)
    lines = ["| measure | real | synthetic |", "|---|---|---|"]
    lines += [f"| {name} | {theirs[name]:.3g} | {ours[name]:.3g} |" for name in ours]
    for name, (first, second) in transfers(real, synthetic).items():
        lines.append(f"| {name} | {first:.3f} | {second:.3f} |")
    return "\n".join(lines) + "\n"


def transfers(real: Sequence[Terrain], synthetic: Sequence[Terrain]) -> dict[str, tuple[float, float]]:
    """The AUC of logistic regressions on features of single cells, judged on ground apart from their own."""
    parts = {"real": split_ground(real), "synthetic": split_ground(synthetic)}
    weights = {name: fit_logistic(cell_traits(train)) for name, (train, _) in parts.items()}
    tests = {name: cell_traits(test) for name, (_, test) in parts.items()}
    return {
        f"AUC of a classifier fitted to {fitted} ground": (
            area_under_curve(tests["real"].features @ weights[fitted], tests["real"].blocked),
            area_under_curve(tests["synthetic"].features @ weights[fitted], tests["synthetic"].blocked),
        )
        for fitted in weights
    }


def split_ground(terrains: Sequence[Terrain]) -> tuple[list[Terrain], list[Terrain]]:
    """The ground for training and that for test, as the disjoint protocol divides it."""
    regions = disjoint_regions(terrains, PatchConfig())
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
    """Squares of both grounds with their slopes, and how much of each is how steep."""
    grounds = {"real": real, "synthetic": synthetic}
    squares = {name: _squares(terrains) for name, terrains in grounds.items()}
    return terrains_figure(
        {name: [square.image for square in found] for name, found in squares.items()},
        {name: [square.slope for square in found] for name, found in squares.items()},
        {name: np.concatenate([one.slope[one.known] for one in ground]) for name, ground in grounds.items()},
    )


def _squares(terrains: Sequence[Terrain]) -> list[Terrain]:
    """Two wholly known squares, from the first and the last terrain, or far apart in the only one."""
    return [_square(terrains[0], last=False), _square(terrains[-1], last=True)]


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


def main() -> None:
    """Print the table and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of real ground")
    parser.add_argument("--terrains", type=int, default=12, help="how many pieces of synthetic ground")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("grounds.png"), help="where to draw the picture")
    options = parser.parse_args()
    real = read_mars_folder(options.data)
    synthetic = synthetic_terrains(options.terrains, rng=np.random.default_rng(options.seed))
    print(comparison_table(real, synthetic))
    print(f"Drawn in {save_figure(comparison_figure(real, synthetic), options.out)}.")


if __name__ == "__main__":
    main()

"""Real terrain whose slope is the hidden cost: demonstrations of a planner that knows it, images for the learner."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vinlab.domains.mars.rasters.folders import read_mars_folder
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, synthetic_terrains
from vinlab.domains.terrain_costs.expert import paths_between
from vinlab.domains.terrain_costs.problem import random_ends
from vinlab.experiments.terrain_costs.dataset.record import PathDataset
from vinlab.experiments.terrain_costs.dataset.split import Split
from vinlab.types import InputError

STREAM = 5018
VALIDATION_SHARE, TEST_SHARE = 0.1, 0.25
"""Of the patches in their order from north to south, so that no part shares a pixel with another."""


@dataclass(frozen=True)
class SlopeConfig:
    """How patches are cut, and what a slope costs."""

    side: int = 128
    """Pixels along the edge of a patch; patches do not overlap."""
    pixels: int = 4
    """Along the edge of a cell."""
    paths: int = 10
    """Demonstrated on each patch."""
    unit: float = 5.0
    """Degrees: a cell costs 1 + (slope / unit) squared, with the mean slope of its pixels."""


def slope_split(config: SlopeConfig, folder: Path | None) -> Split:
    """Patches of all terrains of a folder, or of synthetic ones, split from north to south."""
    rng, synthetic = np.random.default_rng(STREAM), SyntheticConfig(side=512)
    terrains = read_mars_folder(folder) if folder else synthetic_terrains(2, rng=rng, config=synthetic)
    patches = [patch for terrain in terrains for patch in _patches(terrain, config)]
    if len(patches) < 3:
        raise InputError(f"{folder}: expected terrain for at least 3 patches, got {len(patches)}.")
    images, costs = (np.stack(column) for column in zip(*patches, strict=True))
    dataset = _dataset(images, costs, config, folder.name if folder else "synthetic")
    last = len(images)
    test, validation = max(1, round(TEST_SHARE * last)), max(1, round(VALIDATION_SHARE * last))
    ends = last - test - validation, last - test
    return Split(dataset.only(range(ends[0])), dataset.only(range(*ends)), dataset.only(range(ends[1], last)))


def _patches(terrain: Terrain, config: SlopeConfig) -> list[tuple[np.ndarray, np.ndarray]]:
    """Image and cost of every patch that is wholly known, from north to south."""
    found, side = [], config.side
    for top in range(0, terrain.image.shape[0] - side + 1, side):
        for left in range(0, terrain.image.shape[1] - side + 1, side):
            window = slice(top, top + side), slice(left, left + side)
            slope = terrain.slope[window]
            if np.isfinite(slope).all():
                cells = side // config.pixels
                mean = slope.reshape(cells, config.pixels, cells, config.pixels).mean(axis=(1, 3))
                found.append((terrain.image[window], 1 + (mean / config.unit) ** 2))
    return found


def _dataset(images: np.ndarray, costs: np.ndarray, config: SlopeConfig, name: str) -> PathDataset:
    owners = np.repeat(np.arange(len(images)), config.paths)
    rng = np.random.default_rng(STREAM)
    starts, goals = random_ends(costs.shape[1:], 0.5, len(owners), rng=rng)
    return PathDataset(
        name=name,
        images=tuple(images[:, None].astype(np.float32) / 255),
        blocked=tuple(np.zeros(costs.shape, bool)),
        paths=tuple(paths_between(costs[owners], starts, goals)),
        path_image=owners.astype(np.int64),
        costs=tuple(costs.astype(np.float32)),
        pixels=config.pixels,
    )

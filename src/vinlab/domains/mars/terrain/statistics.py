"""Statistics of terrain: slopes, blocked cells, and how much the image tells about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float64

from vinlab.domains.mars.patches import (
    PAPER_PATCHES,
    PatchConfig,
    blocked_cells,
    cell_maps,
    find_patches,
    whole_region,
)
from vinlab.domains.mars.terrain import Terrain
from vinlab.types import Batch, concatenate

PERCENTILES = (10, 25, 50, 75, 90, 95, 99)
STEPS = 12
"""Newton steps of the logistic regression."""


@dataclass(frozen=True)
class CellTraits(Batch):
    """Simple image features of each cell of some terrain, and whether it is blocked."""

    features: Float64[np.ndarray, "N F"]
    blocked: Bool[np.ndarray, " N"]
    slopes: Float64[np.ndarray, " N"]
    """The steepest pixel of each cell, in degrees."""


def describe_terrain(terrains: Sequence[Terrain], config: PatchConfig = PAPER_PATCHES) -> Mapping[str, float]:
    """Numbers for how steep and how blocked some terrain is, and how its image varies."""
    slope = np.concatenate([terrain.slope[terrain.known] for terrain in terrains])
    traits = cell_traits(terrains, config)
    patches = [_describe_patches(terrain, config) for terrain in terrains]
    shares, deviations = (np.concatenate(column) for column in zip(*patches, strict=True))
    return {
        **{f"slope, percentile {p}": float(np.percentile(slope, p)) for p in PERCENTILES},
        "pixels at or above the threshold": float((slope >= config.threshold).mean()),
        "cells blocked": float(traits.blocked.mean()),
        **{
            f"blocked share of a patch, percentile {p}": float(np.percentile(shares, p)) for p in (10, 50, 90)
        },
        "standard deviation of grey in a patch, median": float(np.median(deviations)),
        "rank correlation of contrast and slope": rank_correlation(traits.features[:, 0], traits.slopes),
        "AUC of contrast alone": area_under_curve(traits.features[:, 0], traits.blocked),
    }


def cell_traits(terrains: Sequence[Terrain], config: PatchConfig = PAPER_PATCHES) -> CellTraits:
    """The features of all cells that are wholly known."""
    return concatenate(_traits(terrain, config) for terrain in terrains)


def _traits(terrain: Terrain, config: PatchConfig) -> CellTraits:
    from scipy.ndimage import binary_dilation

    cell = config.cell
    height, width = (side // cell * cell for side in terrain.image.shape)
    slope = terrain.slope[:height, :width]
    known = _per_cell(np.isfinite(slope), cell, np.logical_and)
    # Gaps in the image have edges of their own.
    known &= np.logical_not(binary_dilation(~known, np.ones((3, 3), bool)))
    features = _features(terrain.image[:height, :width].astype(np.float32), cell)
    steepest = _per_cell(np.nan_to_num(slope), cell, np.maximum)
    blocked = blocked_cells(slope[None], cell=cell, threshold=config.threshold)[0]
    return CellTraits(features[known], blocked[known], steepest[known].astype(np.float64))


def _features(image: np.ndarray, cell: int) -> np.ndarray:
    """For each cell logarithms of gradients at three scales and of the variation in and around it, and its grey."""
    from scipy.ndimage import gaussian_filter, uniform_filter

    def mean(values: np.ndarray) -> np.ndarray:
        return _per_cell(values, cell, np.add) / cell**2

    rows = []
    for blur in (0.7, 1.5, 3.0):
        smooth = gaussian_filter(image, blur)
        down, along = np.gradient(smooth)
        rows += [
            mean(np.hypot(down, along)),
            mean(np.abs(along)),
            _per_cell(np.hypot(down, along), cell, np.maximum),
        ]
    grey = mean(image)
    rows.append(np.sqrt(np.maximum(mean(image**2) - grey**2, 0)))
    rows += [uniform_filter(rows[index], 3) for index in (0, 3, 9)]
    logs = [np.log(row + 0.5) for row in rows]
    aside = (grey - uniform_filter(grey, 15)) / 20
    return np.stack([*logs, aside, aside**2, np.ones_like(aside)], axis=-1).astype(np.float64)


def _per_cell(values: np.ndarray, cell: int, join: np.ufunc) -> np.ndarray:
    height, width = values.shape
    return join.reduce(values.reshape(height // cell, cell, width // cell, cell), axis=(1, 3))


def _describe_patches(terrain: Terrain, config: PatchConfig) -> tuple[np.ndarray, np.ndarray]:
    """The share of blocked cells and the standard deviation of grey of every patch."""
    everything = replace(config, min_free=2, min_blocked=0.0, max_blocked=1.0)
    corners, _ = find_patches(terrain, whole_region(terrain), everything, config.side // 2)
    shares = [maps.mean(axis=(1, 2)) for maps in cell_maps(terrain, corners, config)]
    squares = (terrain.image[row : row + config.side, col : col + config.side] for row, col in corners)
    return np.concatenate([[], *shares]), np.array([square.std() for square in squares])


def fit_logistic(traits: CellTraits, *, penalty: float = 1.0) -> Float64[np.ndarray, " F"]:
    """Weights of a logistic regression of blocked cells on the features."""
    x, y = traits.features, traits.blocked.astype(np.float64)
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        probability = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        curvature = x.T @ (x * (probability * (1 - probability))[:, None]) + penalty * np.eye(x.shape[1])
        weights += np.linalg.solve(curvature, x.T @ (y - probability) - penalty * weights)
    return weights


def rank_correlation(first: Float64[np.ndarray, " N"], second: Float64[np.ndarray, " N"]) -> float:
    """Spearman's rank correlation."""
    from scipy.stats import rankdata

    return float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])


def area_under_curve(score: Float64[np.ndarray, " N"], true: Bool[np.ndarray, " N"]) -> float:
    """The probability that a true entry has a higher score than a false one (AUC)."""
    from scipy.stats import rankdata

    ranks, positive = rankdata(score), int(true.sum())
    above = ranks[true].sum() - positive * (positive + 1) / 2
    return float(above / (positive * (len(true) - positive)))

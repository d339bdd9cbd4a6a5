"""Mixtures of Gaussians, one for each of many systems, by expectation-maximisation.

Axis letters here: ``B`` systems, ``S`` points, ``K`` components, ``D`` the length of a point.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64


@dataclass(frozen=True)
class MixtureConfig:
    """How mixtures are fitted."""

    components: int = 8
    rounds: int = 15
    """Of expectation-maximisation."""
    strength: float = 4.0
    """How many samples a mixture counts for when it is a prior."""


@dataclass(frozen=True)
class Mixtures:
    """A mixture of Gaussians for each system."""

    weights: Float64[np.ndarray, "B K"]
    means: Float64[np.ndarray, "B K D"]
    covariances: Float64[np.ndarray, "B K D D"]

    def responsibilities(self, points: Float64[np.ndarray, "B S D"]) -> Float64[np.ndarray, "B S K"]:
        """The probability of each component of its system, given each point."""
        lower = np.linalg.cholesky(self.covariances)
        volumes = np.log(np.diagonal(lower, axis1=-2, axis2=-1)).sum(axis=-1)
        logits = np.empty((*points.shape[:2], self.weights.shape[1]))
        for component, inverse in enumerate(np.linalg.inv(lower).swapaxes(0, 1)):
            scaled = (points - self.means[:, None, component]) @ inverse.swapaxes(-1, -2)
            logits[..., component] = -0.5 * (scaled**2).sum(axis=-1)
        logits += (np.log(self.weights) - volumes)[:, None]
        shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return shares / shares.sum(axis=-1, keepdims=True)


def fit_mixtures(
    points: Float64[np.ndarray, "B S D"],
    counted: Float64[np.ndarray, "B S"],
    config: MixtureConfig,
    *,
    rng: np.random.Generator,
    ridge: float = 1e-6,
) -> Mixtures:
    """A mixture for the points of each system, with some of them as first centres; ``counted`` are their weights."""
    centres = _first_centres(points, counted, min(config.components, points.shape[1]), rng)
    nearest = _distances(points, counted, centres).argmin(axis=-1)
    shares = np.eye(centres.shape[1])[nearest]
    for _ in range(config.rounds):
        mixtures = _maximise(points, shares * counted[..., None], ridge)
        shares = mixtures.responsibilities(points)
    return _maximise(points, shares * counted[..., None], ridge)


def _first_centres(
    points: np.ndarray, counted: np.ndarray, count: int, rng: np.random.Generator
) -> np.ndarray:
    """First centres as in k-means++: points far from the earlier centres are likelier."""
    centres = _draw(points, counted, rng)
    while centres.shape[1] < count:
        away = _distances(points, counted, centres).min(axis=-1)
        centres = np.concatenate([centres, _draw(points, counted * away, rng)], axis=1)
    return centres


def _draw(points: np.ndarray, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One point of each system, with probability proportional to its weight; weights of all zero count as equal."""
    below = np.cumsum(weights + 1e-12, axis=-1)
    drawn = (below < rng.random((len(points), 1)) * below[:, -1:]).sum(axis=-1)
    return points[np.arange(len(points)), drawn][:, None]


def _distances(points: np.ndarray, counted: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Squared, in units of the standard deviation of the points along each axis."""
    weight = counted[..., None] / np.maximum(counted.sum(axis=-1), 1)[:, None, None]
    mean = (weight * points).sum(axis=1, keepdims=True)
    std = np.sqrt((weight * (points - mean) ** 2).sum(axis=1, keepdims=True)) + 1e-6
    scaled, centres = points / std, centres / std
    return np.stack(
        [((scaled - centre[:, None]) ** 2).sum(axis=-1) for centre in centres.swapaxes(0, 1)], axis=-1
    )


def _maximise(points: np.ndarray, shares: np.ndarray, ridge: float) -> Mixtures:
    total = shares.sum(axis=1) + 1e-9
    means = shares.swapaxes(-1, -2) @ points / total[..., None]
    covariances = np.empty((*means.shape, means.shape[-1]))
    for component in range(means.shape[1]):
        centred = points - means[:, None, component]
        weighted = shares[..., component, None] * centred
        covariances[:, component] = weighted.swapaxes(-1, -2) @ centred / total[:, component, None, None]
    covariances += ridge * np.eye(means.shape[-1])
    return Mixtures(total / total.sum(axis=-1, keepdims=True), means, covariances)

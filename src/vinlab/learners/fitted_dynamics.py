"""Local dynamics from samples: a Gaussian over [x, u, x'] at each time, with a mixture as its prior."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64

from vinlab.learners.local_control import Dynamics


@dataclass(frozen=True)
class MixtureConfig:
    """How the prior is fitted to the samples of all systems and times."""

    components: int = 8
    rounds: int = 15
    """Of expectation and maximisation."""
    points: int = 10_000
    """So many samples are drawn for it at most."""
    strength: float = 0.2
    """How many samples the prior counts for at each time."""


@dataclass(frozen=True)
class Mixture:
    """A mixture of Gaussians."""

    weights: Float64[np.ndarray, " K"]
    means: Float64[np.ndarray, "K D"]
    covariances: Float64[np.ndarray, "K D D"]

    def responsibilities(self, points: Float64[np.ndarray, "S D"]) -> Float64[np.ndarray, "S K"]:
        """How likely each point stems from each component."""
        return _shares(np.log(self.weights) + _log_densities(points, self.means, self.covariances))


@dataclass(frozen=True)
class Fit:
    """Dynamics, and how sound the samples were that they stem from."""

    dynamics: Dynamics
    regularised: Bool[np.ndarray, "B T"]
    """Where the covariance of state and control was as good as singular and had to be made larger."""


def fit_mixture(
    points: Float64[np.ndarray, "S D"],
    config: MixtureConfig,
    *,
    rng: np.random.Generator,
    ridge: float = 1e-6,
) -> Mixture:
    """A mixture by expectation and maximisation, with some of the points as first centres."""
    points = points[rng.permutation(len(points))[: config.points]]
    centres = _apart(points, min(config.components, len(points)), rng)
    shares = np.eye(len(centres))[_distances(points, centres).argmin(axis=1)]
    mixture = _maximise(points, shares, ridge)
    for _ in range(config.rounds):
        mixture = _maximise(points, mixture.responsibilities(points), ridge)
    return mixture


def fit_dynamics(
    before: Float64[np.ndarray, "B N T X"],
    controls: Float64[np.ndarray, "B N T U"],
    after: Float64[np.ndarray, "B N T X"],
    sound: Bool[np.ndarray, "B N"],
    prior: Mixture | None,
    *,
    strength: float = 1.0,
    ridge: float = 1e-6,
) -> Fit:
    """The dynamics of each system and time by conditioning a joint Gaussian; unsound samples do not count.

    The prior is normal-inverse-Wishart around the mixture as the samples of that time see it.
    """
    points = np.concatenate([before, controls, after], axis=-1).swapaxes(1, 2)  # B T N D
    weight = np.broadcast_to(sound[:, None].astype(np.float64), points.shape[:3])
    count = weight.sum(axis=2)
    mean = (weight[..., None] * points).sum(axis=2) / np.maximum(count, 1)[..., None]
    centred = (points - mean[:, :, None]) * weight[..., None]
    scatter = centred.swapaxes(-1, -2) @ centred
    if prior is None:
        covariance = scatter / np.maximum(count, 1)[..., None, None]
    else:
        covariance = _with_prior(points, weight, mean, scatter, count, prior, strength)
    return _condition(mean, covariance, before.shape[-1] + controls.shape[-1], ridge)


def _with_prior(
    points: np.ndarray,
    weight: np.ndarray,
    mean: np.ndarray,
    scatter: np.ndarray,
    count: np.ndarray,
    prior: Mixture,
    strength: float,
) -> np.ndarray:
    """The posterior covariance, with the prior as so many samples more."""
    shares = prior.responsibilities(points.reshape(-1, points.shape[-1])).reshape(*points.shape[:3], -1)
    shares = (shares * weight[..., None]).sum(axis=2) / np.maximum(count, 1)[..., None]
    prior_mean = shares @ prior.means
    second = prior.covariances + prior.means[:, :, None] * prior.means[:, None, :]
    prior_covariance = np.einsum("btk,kij->btij", shares, second, optimize=True)
    prior_covariance -= prior_mean[..., :, None] * prior_mean[..., None, :]
    away = mean - prior_mean
    pull = (count * strength / (count + strength))[..., None, None] * away[..., :, None] * away[..., None, :]
    return (scatter + strength * prior_covariance + pull) / (count + strength)[..., None, None]


def _condition(mean: np.ndarray, covariance: np.ndarray, joint: int, ridge: float) -> Fit:
    """X' given x and u, where a covariance without full rank is made larger until it has."""
    covariance = (covariance + covariance.swapaxes(-1, -2)) / 2 + ridge * np.eye(covariance.shape[-1])
    given = covariance[..., :joint, :joint]
    smallest = np.linalg.eigvalsh(given)[..., 0]
    singular = ~(smallest >= 1.5 * ridge)
    given = given + np.where(singular, 2 * ridge - np.minimum(smallest, 0), 0)[..., None, None] * np.eye(
        joint
    )
    cross = covariance[..., :joint, joint:]
    matrices = np.linalg.solve(given, cross).swapaxes(-1, -2)
    offsets = mean[..., joint:] - (matrices @ mean[..., :joint, None])[..., 0]
    noise = covariance[..., joint:, joint:] - matrices @ given @ matrices.swapaxes(-1, -2)
    noise = (noise + noise.swapaxes(-1, -2)) / 2
    return Fit(Dynamics(matrices, offsets, noise), singular)


def _apart(points: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """So many of the points, each drawn with more chance the further it lies from those before it."""
    centres = points[rng.integers(len(points), size=1)]
    while len(centres) < count:
        nearest = _distances(points, centres).min(axis=1) + 1e-12
        centres = np.concatenate(
            [centres, points[rng.choice(len(points), size=1, p=nearest / nearest.sum())]]
        )
    return centres


def _distances(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Squared, in units of the spread of the points along each axis."""
    spread = points.std(axis=0) + 1e-6
    return (((points[:, None] - centres) / spread) ** 2).sum(axis=-1)


def _maximise(points: np.ndarray, shares: np.ndarray, ridge: float) -> Mixture:
    total = shares.sum(axis=0) + 1e-9
    means = (shares.T @ points) / total[:, None]
    size = points.shape[1]
    covariances = np.empty((len(total), size, size))
    for component, centre in enumerate(means):
        centred = points - centre
        covariances[component] = (shares[:, component, None] * centred).T @ centred / total[component]
    return Mixture(total / total.sum(), means, covariances + ridge * np.eye(size))


def _log_densities(points: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    densities = np.empty((len(points), len(means)))
    for component, (mean, covariance) in enumerate(zip(means, covariances, strict=True)):
        lower = np.linalg.cholesky(covariance)
        scaled = (points - mean) @ np.linalg.inv(lower).T
        densities[:, component] = -0.5 * (scaled**2).sum(axis=1) - np.log(np.diagonal(lower)).sum()
    return densities


def _shares(logits: np.ndarray) -> np.ndarray:
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)

"""Local dynamics from samples: a Gaussian over [x, u, x'] at each time, with a mixture as its prior."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64

from vinlab.learners.gps.gaussian_mixture import Mixtures
from vinlab.learners.gps.linear_gaussian import Dynamics


@dataclass(frozen=True)
class Fit:
    """Fitted dynamics, and where the fit had to be regularised."""

    dynamics: Dynamics
    regularised: Bool[np.ndarray, "B T"]
    """Where the covariance of state and action was nearly singular and was enlarged."""


def fit_dynamics(
    before: Float64[np.ndarray, "B N T X"],
    actions: Float64[np.ndarray, "B N T U"],
    after: Float64[np.ndarray, "B N T X"],
    valid: Bool[np.ndarray, "B N"],
    prior: Mixtures | None,
    *,
    strength: float = 1.0,
    ridge: float = 1e-6,
) -> Fit:
    """The dynamics of each system and time by conditioning a joint Gaussian; invalid samples do not count.

    The prior is normal-inverse-Wishart with the moments of the system's mixture, weighted by the responsibilities of
    the samples of that time.
    """
    points = np.concatenate([before, actions, after], axis=-1).swapaxes(1, 2)  # B T N D
    weight = np.broadcast_to(valid[:, None].astype(np.float64), points.shape[:3])
    count = weight.sum(axis=2)
    mean = (weight[..., None] * points).sum(axis=2) / np.maximum(count, 1)[..., None]
    centred = (points - mean[:, :, None]) * weight[..., None]
    scatter = centred.swapaxes(-1, -2) @ centred
    if prior is None:
        covariance = scatter / np.maximum(count, 1)[..., None, None]
    else:
        covariance = _with_prior(points, weight, mean, scatter, count, prior, strength)
    return _condition(mean, covariance, before.shape[-1] + actions.shape[-1], ridge)


def _with_prior(
    points: np.ndarray,
    weight: np.ndarray,
    mean: np.ndarray,
    scatter: np.ndarray,
    count: np.ndarray,
    prior: Mixtures,
    strength: float,
) -> np.ndarray:
    """The posterior covariance; the prior counts as ``strength`` samples."""
    shares = prior.responsibilities(points.reshape(len(points), -1, points.shape[-1]))
    shares = shares.reshape(*points.shape[:3], -1)
    shares = (shares * weight[..., None]).sum(axis=2) / np.maximum(count, 1)[..., None]
    prior_mean = shares @ prior.means
    second = prior.covariances + prior.means[..., :, None] * prior.means[..., None, :]
    prior_covariance = np.einsum("btk,bkij->btij", shares, second, optimize=True)
    prior_covariance -= prior_mean[..., :, None] * prior_mean[..., None, :]
    away = mean - prior_mean
    pull = (count * strength / (count + strength))[..., None, None] * away[..., :, None] * away[..., None, :]
    return (scatter + strength * prior_covariance + pull) / (count + strength)[..., None, None]


def _condition(mean: np.ndarray, covariance: np.ndarray, joint: int, ridge: float) -> Fit:
    """X' given x and u; a singular covariance is enlarged until it has full rank."""
    covariance = (covariance + covariance.swapaxes(-1, -2)) / 2 + ridge * np.eye(covariance.shape[-1])
    given = covariance[..., :joint, :joint]
    smallest = np.linalg.eigvalsh(given)[..., 0]
    singular = ~(smallest >= 1.5 * ridge)
    added = np.where(singular, 2 * ridge - np.minimum(smallest, 0), 0)
    given = given + added[..., None, None] * np.eye(joint)
    cross = covariance[..., :joint, joint:]
    matrices = np.linalg.solve(given, cross).swapaxes(-1, -2)
    offsets = mean[..., joint:] - (matrices @ mean[..., :joint, None])[..., 0]
    noise = covariance[..., joint:, joint:] - matrices @ given @ matrices.swapaxes(-1, -2)
    noise = (noise + noise.swapaxes(-1, -2)) / 2
    return Fit(Dynamics(matrices, offsets, noise), singular)

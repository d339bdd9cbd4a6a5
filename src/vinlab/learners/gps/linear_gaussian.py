"""Linear-Gaussian controllers and dynamics: the LQR passes and the KL-constrained step of guided policy search.

Axis letters here: ``B`` systems, ``T`` time, ``X`` state, ``U`` action, ``Z`` state and action together. A local
controller acts by ``u = K x + k`` plus noise; local dynamics are ``x' = F [x; u] + f`` plus noise; a cost is
``z'Hz / 2 + g'z`` for ``z = [x; u]``. Every function treats all B systems at once.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float64

from vinlab.types import InputError


@dataclass(frozen=True)
class Controllers:
    """Time-varying linear-Gaussian controllers."""

    gains: Float64[np.ndarray, "B T U X"]
    offsets: Float64[np.ndarray, "B T U"]
    covariances: Float64[np.ndarray, "B T U U"]

    def mean(self, time: int, states: Float64[np.ndarray, "B N X"]) -> Float64[np.ndarray, "B N U"]:
        """The actions in N states of each system, without the noise."""
        return states @ self.gains[:, time].swapaxes(1, 2) + self.offsets[:, time, None]


@dataclass(frozen=True)
class Dynamics:
    """Time-varying linear-Gaussian dynamics."""

    matrices: Float64[np.ndarray, "B T X Z"]
    offsets: Float64[np.ndarray, "B T X"]
    covariances: Float64[np.ndarray, "B T X X"]


@dataclass(frozen=True)
class Costs:
    """The quadratic cost of each time step, up to a constant."""

    hessians: Float64[np.ndarray, "B T Z Z"]
    gradients: Float64[np.ndarray, "B T Z"]


@dataclass(frozen=True)
class Trajectories:
    """The trajectories of controllers under local dynamics: a Gaussian over state and action at each time."""

    means: Float64[np.ndarray, "B T Z"]
    covariances: Float64[np.ndarray, "B T Z Z"]


@dataclass(frozen=True)
class Improvement:
    """The best controllers within a bound on their KL divergence from the last ones."""

    controllers: Controllers
    divergences: Float64[np.ndarray, " B"]
    """The KL divergence of the new trajectories from the old ones."""
    multipliers: Float64[np.ndarray, " B"]
    """The Lagrange multiplier of the bound."""


def zero_controllers(systems: int, horizon: int, states: int, actions: int, variance: float) -> Controllers:
    """Controllers whose mean action is zero."""
    return Controllers(
        np.zeros((systems, horizon, actions, states)),
        np.zeros((systems, horizon, actions)),
        np.broadcast_to(variance * np.eye(actions), (systems, horizon, actions, actions)).copy(),
    )


def with_noise(controllers: Controllers, std: float) -> Controllers:
    """The same controllers with the same noise on every action."""
    if std <= 0:
        raise InputError(f"std: expected more than 0, got {std}.")
    same = std**2 * np.eye(controllers.offsets.shape[-1])
    return replace(controllers, covariances=np.broadcast_to(same, controllers.covariances.shape).copy())


def lqr_backward(dynamics: Dynamics, costs: Costs) -> Controllers:
    """The LQR backward pass, for the maximum-entropy objective.

    The covariance is the inverse Hessian of the cost-to-go in the actions, so the controllers minimise the expected
    cost minus the entropy of their actions.
    """
    systems, horizon, states, joint = dynamics.matrices.shape
    actions = joint - states
    gains = np.empty((systems, horizon, actions, states))
    offsets = np.empty((systems, horizon, actions))
    covariances = np.empty((systems, horizon, actions, actions))
    curvature, slope = np.zeros((systems, states, states)), np.zeros((systems, states))
    for time in reversed(range(horizon)):
        matrix, transposed = dynamics.matrices[:, time], dynamics.matrices[:, time].swapaxes(1, 2)
        drift = curvature @ dynamics.offsets[:, time, :, None]
        hessian = costs.hessians[:, time] + transposed @ curvature @ matrix
        gradient = costs.gradients[:, time] + (transposed @ (drift + slope[..., None]))[..., 0]
        spread = np.linalg.inv(_symmetric(hessian[:, states:, states:]))
        cross = hessian[:, states:, :states]
        gain = -spread @ cross
        offset = -(spread @ gradient[:, states:, None])[..., 0]
        curvature = _symmetric(hessian[:, :states, :states] + cross.swapaxes(1, 2) @ gain)
        slope = gradient[:, :states] + (cross.swapaxes(1, 2) @ offset[..., None])[..., 0]
        gains[:, time], offsets[:, time], covariances[:, time] = gain, offset, _symmetric(spread)
    return Controllers(gains, offsets, covariances)


def lqr_forward(
    dynamics: Dynamics,
    controllers: Controllers,
    initial: Float64[np.ndarray, "B X"],
    initial_covariance: Float64[np.ndarray, "B X X"],
) -> Trajectories:
    """The LQR forward pass: the Gaussian over state and action at each time."""
    systems, horizon, states, joint = dynamics.matrices.shape
    means, covariances = np.empty((systems, horizon, joint)), np.empty((systems, horizon, joint, joint))
    mean, covariance = initial, initial_covariance
    for time in range(horizon):
        gain = controllers.gains[:, time]
        action = (gain @ mean[..., None])[..., 0] + controllers.offsets[:, time]
        cross = gain @ covariance
        means[:, time] = np.concatenate([mean, action], axis=1)
        block = covariances[:, time]
        block[:, :states, :states] = covariance
        block[:, states:, :states] = cross
        block[:, :states, states:] = cross.swapaxes(1, 2)
        block[:, states:, states:] = cross @ gain.swapaxes(1, 2) + controllers.covariances[:, time]
        matrix = dynamics.matrices[:, time]
        mean = (matrix @ means[:, time, :, None])[..., 0] + dynamics.offsets[:, time]
        covariance = _symmetric(matrix @ block @ matrix.swapaxes(1, 2) + dynamics.covariances[:, time])
    return Trajectories(means, covariances)


def kl_divergence(
    new: Controllers, old: Controllers, trajectories: Trajectories
) -> Float64[np.ndarray, " B"]:
    """The KL divergence of the new controllers' ``trajectories`` from the old ones'.

    Both have the same dynamics and start, so it is the sum over time of the expected divergence between the two
    Gaussians over actions.
    """
    states = new.gains.shape[-1]
    mean = trajectories.means[..., :states]
    covariance = trajectories.covariances[..., :states, :states]
    precision = np.linalg.inv(old.covariances)
    gain = new.gains - old.gains
    shift = (gain @ mean[..., None])[..., 0] + new.offsets - old.offsets
    spread = new.covariances + gain @ covariance @ gain.swapaxes(-1, -2)
    trace = np.einsum("btij,btji->bt", precision, spread)
    distance = np.einsum("bti,btij,btj->bt", shift, precision, shift)
    volumes = np.linalg.slogdet(old.covariances)[1] - np.linalg.slogdet(new.covariances)[1]
    return 0.5 * (trace + distance + volumes - new.offsets.shape[-1]).sum(axis=1)


def improve_controllers(
    dynamics: Dynamics,
    costs: Costs,
    old: Controllers,
    initial: Float64[np.ndarray, "B X"],
    initial_covariance: Float64[np.ndarray, "B X X"],
    *,
    bound: Float64[np.ndarray, " B"],
    multipliers: tuple[float, float] = (1e-8, 1e16),
    rounds: int = 40,
    tolerance: float = 0.1,
) -> Improvement:
    """The controllers of least expected cost whose KL divergence from the old ones is within the bound.

    The multiplier is bisected on a logarithmic scale for each system, until the divergence is within the tolerance
    below the bound.
    """
    low, high = (np.full(len(bound), np.log(end)) for end in multipliers)
    best, used, chosen = old, np.zeros(len(bound)), high.copy()
    for trial in range(rounds):
        log_eta = low if trial == 0 else (low + high) / 2  # the smallest first: the bound may not bind
        new = lqr_backward(dynamics, add_kl_penalty(costs, old, np.exp(log_eta)))
        diverged = kl_divergence(new, old, lqr_forward(dynamics, new, initial, initial_covariance))
        allowed = diverged <= bound  # False for nan too
        best = _where(allowed, new, best)
        used, chosen = np.where(allowed, diverged, used), np.where(allowed, log_eta, chosen)
        high = np.where(allowed, log_eta, high)
        low = np.where(allowed, low, log_eta)
        if (allowed & (diverged >= (1 - tolerance) * bound) | (high - low < 1e-3)).all():
            break
    return Improvement(best, used, np.exp(chosen))


def add_kl_penalty(costs: Costs, old: Controllers, multiplier: Float64[np.ndarray, " B"]) -> Costs:
    """The costs divided by the multiplier, minus the old controllers' log-probability of the action."""
    precision = np.linalg.inv(old.covariances)
    pull = precision @ old.gains
    corner = old.gains.swapaxes(-1, -2) @ pull
    hessians = np.block([[corner, -pull.swapaxes(-1, -2)], [-pull, precision]])
    towards = (precision @ old.offsets[..., None])[..., 0]
    back = (old.gains.swapaxes(-1, -2) @ towards[..., None])[..., 0]
    scale = 1 / multiplier[:, None, None]
    return Costs(
        costs.hessians * scale[..., None] + hessians,
        costs.gradients * scale + np.concatenate([back, -towards], axis=-1),
    )


def _where(which: Bool[np.ndarray, " B"], new: Controllers, old: Controllers) -> Controllers:
    pick = which[:, None, None]
    return Controllers(
        np.where(pick[..., None], new.gains, old.gains),
        np.where(pick, new.offsets, old.offsets),
        np.where(pick[..., None], new.covariances, old.covariances),
    )


def _symmetric(matrices: np.ndarray) -> np.ndarray:
    return (matrices + matrices.swapaxes(-1, -2)) / 2

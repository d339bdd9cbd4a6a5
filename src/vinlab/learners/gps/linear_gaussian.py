"""Linear-Gaussian control of many systems at once: the mathematics of guided policy search.

Axis letters here: ``B`` systems, ``T`` time, ``X`` state, ``U`` control, ``Z`` state and control together. A local
controller pushes ``u = K x + k`` plus noise; local dynamics lead to ``x' = F [x; u] + f`` plus noise; a cost is
``z'Hz / 2 + g'z`` for ``z = [x; u]``. Every function treats all B systems in one go.
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
        """What is done in N states of each system, without the noise."""
        return states @ self.gains[:, time].swapaxes(1, 2) + self.offsets[:, time, None]


@dataclass(frozen=True)
class Dynamics:
    """Time-varying linear-Gaussian dynamics."""

    matrices: Float64[np.ndarray, "B T X Z"]
    offsets: Float64[np.ndarray, "B T X"]
    covariances: Float64[np.ndarray, "B T X X"]


@dataclass(frozen=True)
class Costs:
    """What each time step costs, up to a constant."""

    hessians: Float64[np.ndarray, "B T Z Z"]
    gradients: Float64[np.ndarray, "B T Z"]


@dataclass(frozen=True)
class Trajectories:
    """Where controllers lead under local dynamics: a Gaussian over state and control at each time."""

    means: Float64[np.ndarray, "B T Z"]
    covariances: Float64[np.ndarray, "B T Z Z"]


@dataclass(frozen=True)
class Improvement:
    """The best controllers within a bound on how far they may depart from the last ones."""

    controllers: Controllers
    divergences: Float64[np.ndarray, " B"]
    """The KL divergence of the new trajectories from the old ones."""
    prices: Float64[np.ndarray, " B"]
    """The multiplier of the bound: how much cost one nat of divergence must save."""


def zero_controllers(systems: int, horizon: int, states: int, controls: int, variance: float) -> Controllers:
    """Controllers that do nothing on average."""
    return Controllers(
        np.zeros((systems, horizon, controls, states)),
        np.zeros((systems, horizon, controls)),
        np.broadcast_to(variance * np.eye(controls), (systems, horizon, controls, controls)).copy(),
    )


def with_noise(controllers: Controllers, std: float) -> Controllers:
    """The same controllers, all of whose controls waver by as much."""
    if std <= 0:
        raise InputError(f"deviation must be above 0, but {std} came.")
    covariances = np.broadcast_to(
        std**2 * np.eye(controllers.offsets.shape[-1]), controllers.covariances.shape
    ).copy()
    return replace(controllers, covariances=covariances)


def lqr_backward(dynamics: Dynamics, costs: Costs) -> Controllers:
    """The LQR backward pass: the gains of least cost, and the covariance of most entropy beside it.

    The covariance is the inverse curvature of the cost-to-go, so the controllers minimise the expected cost minus
    the entropy of their controls.
    """
    systems, horizon, states, joint = dynamics.matrices.shape
    controls = joint - states
    gains = np.empty((systems, horizon, controls, states))
    offsets = np.empty((systems, horizon, controls))
    covariances = np.empty((systems, horizon, controls, controls))
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
    """The forward pass: the Gaussian that the controllers lead to at each time."""
    systems, horizon, states, joint = dynamics.matrices.shape
    means, covariances = np.empty((systems, horizon, joint)), np.empty((systems, horizon, joint, joint))
    mean, covariance = initial, initial_covariance
    for time in range(horizon):
        gain = controllers.gains[:, time]
        control = (gain @ mean[..., None])[..., 0] + controllers.offsets[:, time]
        cross = gain @ covariance
        means[:, time] = np.concatenate([mean, control], axis=1)
        block = covariances[:, time]
        block[:, :states, :states] = covariance
        block[:, states:, :states] = cross
        block[:, :states, states:] = cross.swapaxes(1, 2)
        block[:, states:, states:] = cross @ gain.swapaxes(1, 2) + controllers.covariances[:, time]
        matrix = dynamics.matrices[:, time]
        mean = (matrix @ means[:, time, :, None])[..., 0] + dynamics.offsets[:, time]
        covariance = _symmetric(matrix @ block @ matrix.swapaxes(1, 2) + dynamics.covariances[:, time])
    return Trajectories(means, covariances)


def divergence(new: Controllers, old: Controllers, reached: Trajectories) -> Float64[np.ndarray, " B"]:
    """The KL divergence of the new controllers' trajectories, which are ``reached``, from the old ones'.

    Both follow the same dynamics from the same start, so only the controls differ: it is the sum over time of the
    expected divergence between the two Gaussians over controls.
    """
    states = new.gains.shape[-1]
    mean, covariance = reached.means[..., :states], reached.covariances[..., :states, :states]
    precision = np.linalg.inv(old.covariances)
    gain = new.gains - old.gains
    shift = (gain @ mean[..., None])[..., 0] + new.offsets - old.offsets
    spread = new.covariances + gain @ covariance @ gain.swapaxes(-1, -2)
    trace = np.einsum("btij,btji->bt", precision, spread)
    distance = np.einsum("bti,btij,btj->bt", shift, precision, shift)
    volumes = np.linalg.slogdet(old.covariances)[1] - np.linalg.slogdet(new.covariances)[1]
    return 0.5 * (trace + distance + volumes - new.offsets.shape[-1]).sum(axis=1)


def expected_cost(costs: Costs, reached: Trajectories) -> Float64[np.ndarray, "B T"]:
    """What the trajectories cost at each time, up to the constant that the costs leave out."""
    quadratic = np.einsum("btij,btji->bt", costs.hessians, reached.covariances)
    quadratic += np.einsum("bti,btij,btj->bt", reached.means, costs.hessians, reached.means)
    return 0.5 * quadratic + np.einsum("bti,bti->bt", costs.gradients, reached.means)


def improve_controllers(
    dynamics: Dynamics,
    costs: Costs,
    old: Controllers,
    initial: Float64[np.ndarray, "B X"],
    initial_covariance: Float64[np.ndarray, "B X X"],
    *,
    bound: Float64[np.ndarray, " B"],
    prices: tuple[float, float] = (1e-8, 1e16),
    rounds: int = 40,
    tolerance: float = 0.1,
) -> Improvement:
    """The controllers of least expected cost whose trajectories diverge from the old ones' by at most the bound.

    The price of divergence is bracketed for each system, until what the bound leaves unused is within tolerance.
    """
    low, high = (np.full(len(bound), np.log(end)) for end in prices)
    best, used, paid = old, np.zeros(len(bound)), high.copy()
    for trial in range(rounds):
        price = low if trial == 0 else (low + high) / 2  # the cheapest first: the bound may not bind at all
        new = lqr_backward(dynamics, add_kl_penalty(costs, old, np.exp(price)))
        reached = lqr_forward(dynamics, new, initial, initial_covariance)
        diverged = divergence(new, old, reached)
        allowed = diverged <= bound  # False for nan, too
        best = _chosen(allowed, new, best)
        used, paid = np.where(allowed, diverged, used), np.where(allowed, price, paid)
        high = np.where(allowed, price, high)
        low = np.where(allowed, low, price)
        if (allowed & (diverged >= (1 - tolerance) * bound) | (high - low < 1e-3)).all():
            break
    return Improvement(best, used, np.exp(paid))


def add_kl_penalty(costs: Costs, old: Controllers, price: Float64[np.ndarray, " B"]) -> Costs:
    """The costs in units of the price, plus what it takes to depart from the old controllers."""
    precision = np.linalg.inv(old.covariances)
    pull = precision @ old.gains
    corner = old.gains.swapaxes(-1, -2) @ pull
    hessians = np.concatenate(
        [
            np.concatenate([corner, -pull.swapaxes(-1, -2)], axis=-1),
            np.concatenate([-pull, precision], axis=-1),
        ],
        axis=-2,
    )
    towards = (precision @ old.offsets[..., None])[..., 0]
    back = (old.gains.swapaxes(-1, -2) @ towards[..., None])[..., 0]
    scale = 1 / price[:, None, None]
    return Costs(
        costs.hessians * scale[..., None] + hessians,
        costs.gradients * scale + np.concatenate([back, -towards], axis=-1),
    )


def _chosen(which: Bool[np.ndarray, " B"], new: Controllers, old: Controllers) -> Controllers:
    pick = which[:, None, None]
    return Controllers(
        np.where(pick[..., None], new.gains, old.gains),
        np.where(pick, new.offsets, old.offsets),
        np.where(pick[..., None], new.covariances, old.covariances),
    )


def _symmetric(matrices: np.ndarray) -> np.ndarray:
    return (matrices + matrices.swapaxes(-1, -2)) / 2

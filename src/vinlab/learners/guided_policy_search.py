"""Guided policy search: local controllers for each system, improved from samples of dynamics nobody knows."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from jaxtyping import Bool, Float64

from vinlab.learners.fitted_dynamics import MixtureConfig, fit_dynamics, fit_mixture
from vinlab.learners.local_control import (
    Controllers,
    Costs,
    expected_cost,
    improve,
    propagate,
    still_controllers,
)


@dataclass(frozen=True)
class LocalSearchConfig:
    """How local controllers are found."""

    iterations: int = 10
    samples: int = 20
    """Per system and iteration."""
    horizon: int = 100
    step: float = 1.0
    """How many nats per time step new controllers may diverge from the last ones."""
    initial_variance: float = 1.0
    """Of the noise on the first controls."""
    smoothing: float = 2.0
    """Noise is smoothed over so many time steps, so that it leads somewhere."""
    control_cost: float = 0.02
    ramp: float = 0.0
    """The cost of a state grows with this power of time: 0 counts all moments alike, 2 mostly the late ones."""
    final_weight: float = 1.0
    """How many times more the last time step costs."""
    mixture: MixtureConfig = MixtureConfig()


class Systems(Protocol):
    """Worlds to be controlled, whatever they are."""

    @property
    def initial_states(self) -> Float64[np.ndarray, "B X"]:
        """Where each begins."""
        ...

    def step(
        self, states: Float64[np.ndarray, "B N X"], controls: Float64[np.ndarray, "B N U"]
    ) -> tuple[Float64[np.ndarray, "B N X"], Bool[np.ndarray, "B N"]]:
        """What follows N controls in each, and whether that can be trusted."""
        ...


@dataclass(frozen=True)
class Samples:
    """What happened when controllers were tried."""

    states: Float64[np.ndarray, "B N T X"]
    controls: Float64[np.ndarray, "B N T U"]
    """With their noise, as they were asked of the system."""
    following: Float64[np.ndarray, "B N T X"]
    sound: Bool[np.ndarray, "B N"]
    """False where a sample failed; it stands still from there on."""


@dataclass(frozen=True)
class QuadraticCost:
    """Half the squared weighted distance to a target, plus that of the control."""

    targets: Float64[np.ndarray, "B X"]
    state_weights: Float64[np.ndarray, " X"]

    def expand(
        self, horizon: int, controls: int, *, control_cost: float, final_weight: float, ramp: float = 0.0
    ) -> Costs:
        """The cost at each time step; the last one counts more."""
        systems, states = self.targets.shape
        times = (np.arange(1, horizon + 1) / horizon) ** ramp
        times[-1] *= final_weight
        weights = np.concatenate([self.state_weights, np.full(controls, control_cost)])
        scale = np.ones((horizon, states + controls))
        scale[:, :states] *= times[:, None]
        hessian = (scale * weights)[..., None] * np.eye(states + controls)
        gradient = np.zeros((systems, horizon, states + controls))
        gradient[..., :states] = -times[:, None] * (self.state_weights * self.targets)[:, None]
        return Costs(np.broadcast_to(hessian, (systems, *hessian.shape)).copy(), gradient)


def search(systems, cost, config, *, rng, watch=None):
    initial = systems.initial_states
    B, X = initial.shape
    U = 2
    con = still_controllers(B, config.horizon, X, U, config.initial_variance)
    costs = cost.expand(
        config.horizon,
        U,
        control_cost=config.control_cost,
        final_weight=config.final_weight,
        ramp=config.ramp,
    )
    out = []
    for it in range(config.iterations):
        s = sample(systems, con, config, rng=rng)
        if watch:
            watch(it, s)
        pts = np.concatenate([s.states, s.controls, s.following], -1)[s.sound].reshape(-1, 2 * X + U)
        prior = fit_mixture(pts, config.mixture, rng=rng)
        fit = fit_dynamics(
            s.states, s.controls, s.following, s.sound, prior, strength=config.mixture.strength
        )
        imp = improve(
            fit.dynamics,
            costs,
            con,
            initial,
            np.broadcast_to(1e-6 * np.eye(X), (B, X, X)).copy(),
            bound=np.full(B, config.step * config.horizon),
        )
        con = imp.controllers
    return con


def sample(
    systems: Systems, controllers: Controllers, config: LocalSearchConfig, *, rng: np.random.Generator
) -> Samples:
    """Try the controllers with noise."""
    initial = systems.initial_states
    states = np.repeat(initial[:, None], config.samples, axis=1)
    sound = np.ones(states.shape[:2], dtype=bool)
    noise = smooth_noise(
        (*states.shape[:2], config.horizon, controllers.offsets.shape[-1]), config.smoothing, rng=rng
    )
    scale = np.linalg.cholesky(controllers.covariances)
    seen, done, followed = [], [], []
    for time in range(config.horizon):
        controls = controllers.mean(time, states) + noise[:, :, time] @ scale[:, time].swapaxes(1, 2)
        following, fine = systems.step(states, controls)
        sound = sound & fine
        following = np.where(sound[..., None], following, states)
        seen.append(states)
        done.append(controls)
        followed.append(following)
        states = following
    return Samples(np.stack(seen, axis=2), np.stack(done, axis=2), np.stack(followed, axis=2), sound)


def smooth_noise(
    shape: tuple[int, ...], width: float, *, rng: np.random.Generator
) -> Float64[np.ndarray, "B N T U"]:
    """Normal noise of variance 1 that changes slowly along its third axis."""
    noise = rng.standard_normal(shape)
    if width <= 0:
        return noise
    reach = int(np.ceil(4 * width))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    kernel /= np.linalg.norm(kernel)
    padded = np.concatenate([rng.standard_normal((*shape[:2], 2 * reach, shape[3])), noise], axis=2)
    return sum(weight * padded[:, :, lag : lag + shape[2]] for lag, weight in enumerate(kernel))

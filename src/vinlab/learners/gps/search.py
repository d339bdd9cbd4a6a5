"""Guided policy search: local controllers for each system, improved from samples of unknown dynamics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float64

from vinlab.learners.callbacks import Progress, no_progress
from vinlab.learners.gps.dynamics import fit_dynamics
from vinlab.learners.gps.gaussian_mixture import MixtureConfig, fit_mixtures
from vinlab.learners.gps.linear_gaussian import Controllers, Costs, improve_controllers, zero_controllers
from vinlab.types import ContinuousRollouts


@dataclass(frozen=True)
class LocalSearchConfig:
    """How local controllers are found."""

    iterations: int = 10
    samples: int = 16
    """Per system and iteration."""
    horizon: int = 100
    step: float = 1.0
    """The bound on the KL divergence of new controllers from the last ones, in nats per time step."""
    initial_variance: float = 4.0
    """Of the noise on the first actions."""
    smoothing: float = 4.0
    """Standard deviation, in time steps, of the filter that smooths the noise."""
    action_cost: float = 0.02
    ramp: float = 6.0
    """The cost of a state grows with this power of time."""
    final_weight: float = 20.0
    """The factor on the cost of the last time step."""
    mixture: MixtureConfig = field(default_factory=MixtureConfig)


Act = Callable[[int, Float64[np.ndarray, "B N X"]], Float64[np.ndarray, "B N U"]]
"""The actions at a time in N states of each system."""


@runtime_checkable
class Systems(Protocol):
    """Simulated systems with continuous states and actions."""

    @property
    def initial_states(self) -> Float64[np.ndarray, "B X"]:
        """The start of each."""
        ...

    def rollout(
        self, act: Act, /, *, horizon: int, samples: int, noise: Float64[np.ndarray, "B N T U"] | None
    ) -> ContinuousRollouts:
        """Rollouts of every system, with noise on the actions."""
        ...


@dataclass(frozen=True)
class QuadraticCost:
    """Half the squared weighted distance to a target, plus half the weighted square of the action."""

    targets: Float64[np.ndarray, "B X"]
    state_weights: Float64[np.ndarray, " X"]

    def expand(self, config: LocalSearchConfig, actions: int) -> Costs:
        """The cost at each time step."""
        systems, states = self.targets.shape
        times = (np.arange(1, config.horizon + 1) / config.horizon) ** config.ramp
        times[-1] *= config.final_weight
        weights = np.tile(config.action_cost, (config.horizon, states + actions))
        weights[:, :states] = times[:, None] * self.state_weights
        hessians = weights[..., None] * np.eye(states + actions)
        gradients = np.zeros((systems, config.horizon, states + actions))
        gradients[..., :states] = -weights[:, :states] * self.targets[:, None]
        return Costs(np.broadcast_to(hessians, (systems, *hessians.shape)).copy(), gradients)


@dataclass(frozen=True)
class SearchResult:
    """A controller for each system, and how the search went."""

    controllers: Controllers
    history: tuple[dict[str, Any], ...]
    """One record per iteration, of the samples before its improvement; the last is of the final controllers."""


Measure = Callable[[ContinuousRollouts], Mapping[str, Any]]
"""What to record of the samples of an iteration."""


def search_controllers(
    systems: Systems,
    cost: QuadraticCost,
    config: LocalSearchConfig,
    *,
    actions: int,
    rng: np.random.Generator,
    measure: Measure = lambda samples: {},
    progress: Progress = no_progress,
) -> SearchResult:
    """Improve local controllers by iLQG; the dynamics are fitted to new samples in every iteration."""
    count, states = systems.initial_states.shape
    controllers = zero_controllers(count, config.horizon, states, actions, config.initial_variance)
    costs = cost.expand(config, actions)
    history = []
    for iteration in range(config.iterations + 1):
        samples = sample(systems, controllers, config, rng=rng)
        notes = {"diverged_rollouts": int((~samples.valid).sum())}
        if iteration < config.iterations:
            controllers, improvement = improve_once(controllers, samples, costs, config, rng=rng)
            notes = {**improvement, **notes}
        history.append({"iteration": iteration, **measure(samples), **notes})
        distances = {name: amount for name, amount in history[-1].items() if name.endswith("distance")}
        note = " ".join(f"{name} {amount:.3f}" for name, amount in distances.items())
        progress(iteration + 1, config.iterations + 1, note)
    return SearchResult(controllers, tuple(history))


def improve_once(
    controllers: Controllers,
    samples: ContinuousRollouts,
    costs: Costs,
    config: LocalSearchConfig,
    *,
    rng: np.random.Generator,
) -> tuple[Controllers, dict[str, Any]]:
    """Better controllers from samples of the last ones, and notes on the step."""
    points = np.concatenate([samples.states, samples.actions, samples.following], axis=-1)
    counted = np.broadcast_to(samples.valid[:, :, None], points.shape[:3]).astype(np.float64)
    flat, weights = points.reshape(len(points), -1, points.shape[-1]), counted.reshape(len(points), -1)
    prior = fit_mixtures(flat, weights, config.mixture, rng=rng)
    moved = samples.states, samples.actions, samples.following, samples.valid
    fit = fit_dynamics(*moved, prior, strength=config.mixture.strength)
    initial = samples.states[:, 0, 0]
    certain = np.broadcast_to(1e-6 * np.eye(initial.shape[1]), (len(initial), *2 * initial.shape[1:])).copy()
    bound = np.full(len(initial), config.step * config.horizon)
    improvement = improve_controllers(fit.dynamics, costs, controllers, initial, certain, bound=bound)
    return improvement.controllers, {
        "divergence": float(improvement.divergences.mean()),
        "regularised": float(fit.regularised.mean()),
    }


def sample(
    systems: Systems, controllers: Controllers, config: LocalSearchConfig, *, rng: np.random.Generator
) -> ContinuousRollouts:
    """Rollouts of the controllers; the actions are those applied, with their noise."""
    count, horizon, actions = controllers.offsets.shape
    noise = smooth_noise((count, config.samples, horizon, actions), config.smoothing, rng=rng)
    scale = np.linalg.cholesky(controllers.covariances)
    for time in range(horizon):
        noise[:, :, time] = noise[:, :, time] @ scale[:, time].swapaxes(1, 2)
    found = systems.rollout(controllers.mean, horizon=horizon, samples=config.samples, noise=noise)
    return replace(found, actions=found.actions + noise)


def smooth_noise(
    shape: tuple[int, ...], width: float, *, rng: np.random.Generator
) -> Float64[np.ndarray, "B N T U"]:
    """Normal noise of variance 1, smoothed along its third axis by a Gaussian filter."""
    noise = rng.standard_normal(shape)
    if width <= 0:
        return noise
    reach = int(np.ceil(4 * width))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    kernel /= np.linalg.norm(kernel)
    padded = np.concatenate([rng.standard_normal((*shape[:2], 2 * reach, shape[3])), noise], axis=2)
    smooth = np.zeros(shape)
    for lag, weight in enumerate(kernel):
        smooth += weight * padded[:, :, lag : lag + shape[2]]
    return smooth

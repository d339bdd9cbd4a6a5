"""Guided policy search: local controllers for each system, improved from samples of dynamics nobody knows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float64

from vinlab.learners.callbacks import Progress, no_progress
from vinlab.learners.gps.dynamics import fit_dynamics
from vinlab.learners.gps.gaussian_mixture import MixtureConfig, fit_mixtures
from vinlab.learners.gps.linear_gaussian import (
    Controllers,
    Costs,
    improve_controllers,
    zero_controllers,
)


@dataclass(frozen=True)
class LocalSearchConfig:
    """How local controllers are found."""

    iterations: int = 10
    samples: int = 16
    """Per system and iteration."""
    horizon: int = 100
    step: float = 1.0
    """How many nats per time step new controllers may diverge from the last ones."""
    initial_variance: float = 4.0
    """Of the noise on the first controls."""
    smoothing: float = 4.0
    """Noise is smoothed over so many time steps, so that it leads somewhere."""
    control_cost: float = 0.02
    ramp: float = 6.0
    """The cost of a state grows with this power of time: 0 counts all moments alike, 2 mostly the late ones."""
    final_weight: float = 20.0
    """How many times more the last time step costs."""
    mixture: MixtureConfig = field(default_factory=MixtureConfig)


@runtime_checkable
class Systems(Protocol):
    """Worlds to be controlled, whatever they are."""

    @property
    def initial_states(self) -> Float64[np.ndarray, "B X"]:
        """Where each begins."""
        ...

    def step(
        self, states: Float64[np.ndarray, "B N X"], controls: Float64[np.ndarray, "B N U"], /
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
    valid: Bool[np.ndarray, "B N"]
    """False where a sample failed; it stands still from there on."""


@dataclass(frozen=True)
class QuadraticCost:
    """Half the squared weighted distance to a target, plus that of the control."""

    targets: Float64[np.ndarray, "B X"]
    state_weights: Float64[np.ndarray, " X"]

    def expand(self, config: LocalSearchConfig, controls: int) -> Costs:
        """The cost at each time step."""
        systems, states = self.targets.shape
        times = (np.arange(1, config.horizon + 1) / config.horizon) ** config.ramp
        times[-1] *= config.final_weight
        weights = np.tile(config.control_cost, (config.horizon, states + controls))
        weights[:, :states] = times[:, None] * self.state_weights
        hessians = weights[..., None] * np.eye(states + controls)
        gradients = np.zeros((systems, config.horizon, states + controls))
        gradients[..., :states] = -weights[:, :states] * self.targets[:, None]
        return Costs(np.broadcast_to(hessians, (systems, *hessians.shape)).copy(), gradients)


@dataclass(frozen=True)
class LocalTeachers:
    """What the search ends with: a controller for each system, tried once more, and how it came to be."""

    controllers: Controllers
    samples: Samples
    history: tuple[dict[str, Any], ...]
    """One record per iteration, of the samples before its improvement; the last is of the final controllers."""


Measure = Callable[[Samples], Mapping[str, Any]]
"""What a domain wants to know of the samples."""


def search_controllers(
    systems: Systems,
    cost: QuadraticCost,
    config: LocalSearchConfig,
    *,
    controls: int,
    rng: np.random.Generator,
    measure: Measure = lambda samples: {},
    progress: Progress = no_progress,
) -> LocalTeachers:
    """Improve local controllers from samples alone; what the systems do is fitted anew in every iteration."""
    count, states = systems.initial_states.shape
    controllers = zero_controllers(count, config.horizon, states, controls, config.initial_variance)
    costs = cost.expand(config, controls)
    history = []
    for iteration in range(config.iterations):
        samples = sample(systems, controllers, config, rng=rng)
        controllers, notes = improve_once(controllers, samples, costs, config, rng=rng)
        history.append({"iteration": iteration, **measure(samples), **notes})
        progress(iteration + 1, config.iterations + 1, _note(history[-1]))
    samples = sample(systems, controllers, config, rng=rng)
    history.append({"iteration": config.iterations, **measure(samples), **_soundness(samples)})
    progress(config.iterations + 1, config.iterations + 1, _note(history[-1]))
    return LocalTeachers(controllers, samples, tuple(history))


def improve_once(
    controllers: Controllers,
    samples: Samples,
    costs: Costs,
    config: LocalSearchConfig,
    *,
    rng: np.random.Generator,
) -> tuple[Controllers, dict[str, Any]]:
    """Better controllers from samples of the last ones, and notes on how that went."""
    points = np.concatenate([samples.states, samples.controls, samples.following], axis=-1)
    counted = np.broadcast_to(samples.valid[:, :, None], points.shape[:3]).astype(np.float64)
    prior = fit_mixtures(
        points.reshape(len(points), -1, points.shape[-1]),
        counted.reshape(len(points), -1),
        config.mixture,
        rng=rng,
    )
    fit = fit_dynamics(
        samples.states,
        samples.controls,
        samples.following,
        samples.valid,
        prior,
        strength=config.mixture.strength,
    )
    initial = samples.states[:, 0, 0]
    certain = np.broadcast_to(1e-6 * np.eye(initial.shape[1]), (len(initial), *2 * initial.shape[1:])).copy()
    bound = np.full(len(initial), config.step * config.horizon)
    improvement = improve_controllers(fit.dynamics, costs, controllers, initial, certain, bound=bound)
    return improvement.controllers, {
        "divergence": float(improvement.divergences.mean()),
        "regularised": float(fit.regularised.mean()),
        **_soundness(samples),
    }


def _soundness(samples: Samples) -> dict[str, Any]:
    return {"diverged_rollouts": int((~samples.valid).sum())}


def _note(record: Mapping[str, Any]) -> str:
    return " ".join(f"{name} {amount:.3f}" for name, amount in record.items() if name.endswith("distance"))


def sample(
    systems: Systems, controllers: Controllers, config: LocalSearchConfig, *, rng: np.random.Generator
) -> Samples:
    """Try the controllers with noise."""
    initial = systems.initial_states
    states = np.repeat(initial[:, None], config.samples, axis=1)
    valid = np.ones(states.shape[:2], dtype=bool)
    noise = smooth_noise(
        (*states.shape[:2], config.horizon, controllers.offsets.shape[-1]), config.smoothing, rng=rng
    )
    scale = np.linalg.cholesky(controllers.covariances)
    seen, done, followed = [], [], []
    for time in range(config.horizon):
        controls = controllers.mean(time, states) + noise[:, :, time] @ scale[:, time].swapaxes(1, 2)
        following, fine = systems.step(states, controls)
        valid = valid & fine
        following = np.where(valid[..., None], following, states)
        seen.append(states)
        done.append(controls)
        followed.append(following)
        states = following
    return Samples(np.stack(seen, axis=2), np.stack(done, axis=2), np.stack(followed, axis=2), valid)


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
    smooth = np.zeros(shape)
    for lag, weight in enumerate(kernel):
        smooth += weight * padded[:, :, lag : lag + shape[2]]
    return smooth

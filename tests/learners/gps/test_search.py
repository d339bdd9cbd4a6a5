"""Guided policy search on linear systems, with samples that fail."""

import numpy as np
import pytest

from vinlab.learners.gps.gaussian_mixture import MixtureConfig
from vinlab.learners.gps.linear_gaussian import zero_controllers
from vinlab.learners.gps.search import (
    LocalSearchConfig,
    QuadraticCost,
    sample,
    search_controllers,
    smooth_noise,
)
from vinlab.types import ContinuousRollouts

CONFIG = LocalSearchConfig(
    iterations=6,
    samples=12,
    horizon=20,
    initial_variance=1.0,
    mixture=MixtureConfig(components=2),
)


class DoubleIntegrators:
    """Two particles on a line with different starts; some samples can be made to fail."""

    def __init__(self, broken: int | None = None):
        self.broken = broken
        self.initial_states = np.array([[0.0, 0.0], [1.0, 0.0]])

    def rollout(self, act, *, horizon, samples, noise):
        states = np.repeat(self.initial_states[:, None], samples, axis=1)
        moving = np.arange(samples)[None, :] != (-1 if self.broken is None else self.broken)
        seen, chosen = [], []
        for time in range(horizon):
            actions = act(time, states)
            seen.append(states)
            chosen.append(actions)
            position, velocity = states[..., :1], states[..., 1:]
            applied = actions + noise[:, :, time]
            following = np.concatenate([position + 0.2 * velocity, 0.9 * velocity + 0.2 * applied], axis=-1)
            states = np.where(moving[..., None], following, states)
        valid = np.broadcast_to(moving, states.shape[:2])
        return ContinuousRollouts(np.stack(seen, 2), np.stack(chosen, 2), states, valid)


COST = QuadraticCost(np.array([[2.0, 0.0], [-1.0, 0.0]]), np.array([1.0, 0.1]))


def search(systems, config=CONFIG, seed=0):
    def measure(samples):
        gaps = samples.following[:, :, -1, 0] - COST.targets[:, None, 0]
        return {"distance": float(np.abs(gaps).mean())}

    return search_controllers(
        systems, COST, config, actions=1, rng=np.random.default_rng(seed), measure=measure
    )


def test_the_search_brings_linear_systems_to_their_targets():
    found = search(DoubleIntegrators())
    distances = [entry["distance"] for entry in found.history]
    assert len(distances) == CONFIG.iterations + 1
    assert distances[0] > 1.5
    assert distances[-1] < distances[0] / 8
    assert all(entry["divergence"] <= CONFIG.step * CONFIG.horizon for entry in found.history[:-1])


def test_the_last_samples_only_measure_the_controllers_that_come_back():
    history = search(DoubleIntegrators()).history
    assert ["divergence" in entry for entry in history] == [True] * CONFIG.iterations + [False]


def test_the_same_seed_gives_the_same_controllers():
    first, second, other = (search(DoubleIntegrators(), seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.controllers.gains, second.controllers.gains)
    assert not np.array_equal(first.controllers.gains, other.controllers.gains)


def test_samples_that_fail_are_counted_and_do_not_disturb_the_search():
    found = search(DoubleIntegrators(broken=3))
    assert all(entry["diverged_rollouts"] == 2 for entry in found.history)
    assert found.history[-1]["distance"] < 1.0
    assert np.isfinite(found.controllers.gains).all()


def test_samples_hold_the_actions_that_were_applied():
    controllers = zero_controllers(2, CONFIG.horizon, 2, 1, 4.0)
    found = sample(DoubleIntegrators(), controllers, CONFIG, rng=np.random.default_rng(0))
    assert found.actions.std() == pytest.approx(2.0, rel=0.3)
    np.testing.assert_allclose(found.following[..., 1:], 0.9 * found.states[..., 1:] + 0.2 * found.actions)


@pytest.mark.parametrize("width", [0.0, 2.0, 4.0])
def test_noise_has_variance_one_and_changes_slowly(width):
    noise = smooth_noise((40, 20, 100, 2), width, rng=np.random.default_rng(0))
    assert noise.var() == pytest.approx(1.0, abs=0.05)
    together = (noise[:, :, 1:] * noise[:, :, :-1]).mean()
    assert together == pytest.approx(np.exp(-0.25 / width**2) if width else 0.0, abs=0.05)


class Impulse(np.random.Generator):
    """Stands for random numbers: a single one, in the first step of what is smoothed."""

    def standard_normal(self, shape=None, *options):
        numbers = np.zeros(shape)
        numbers[:, :, 0] = shape[2] == 40
        return numbers


def test_the_filter_of_the_noise_is_a_gaussian_of_four_widths_to_each_side():
    (response,) = smooth_noise((1, 1, 40, 1), 2.0, rng=Impulse(np.random.PCG64()))[0, :, :, 0]
    gaussian = np.exp(-0.5 * (np.arange(-8, 9) / 2.0) ** 2)
    np.testing.assert_allclose(response[:17], gaussian / np.sqrt((gaussian**2).sum()))
    assert not response[17:].any()


def test_the_cost_is_the_squared_distance_and_grows_with_time():
    config = LocalSearchConfig(horizon=4, ramp=2.0, final_weight=3.0, action_cost=0.5)
    costs = COST.expand(config, 1)
    point = np.array([0.5, -1.0, 2.0])
    for system, target in enumerate(COST.targets):
        constant = 0.5 * (COST.state_weights * target**2).sum()
        for time, weight in enumerate(np.array([1, 4, 9, 3 * 16]) / 16):
            hessian, gradient = costs.hessians[system, time], costs.gradients[system, time]
            wanted = (
                weight * 0.5 * (COST.state_weights * (point[:2] - target) ** 2).sum() + 0.25 * point[2] ** 2
            )
            assert 0.5 * point @ hessian @ point + gradient @ point + weight * constant == pytest.approx(
                wanted
            )

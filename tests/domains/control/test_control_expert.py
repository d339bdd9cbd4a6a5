"""The controllers that know the map: one reaches the goal by the shortest route, walls stop the straight one."""

import numpy as np
import pytest
import torch

pytest.importorskip("mujoco")

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.domains.control.expert import (
    RouteController,
    StraightController,
    correlated_noise,
    demonstrate,
    next_cells,
)
from vinlab.domains.control.geometry import FINE, RADIUS
from vinlab.domains.control.problem import ControlConfig, route_costs, sample_problems


@pytest.fixture(scope="module")
def worlds():
    return ParticleWorlds(sample_problems(ControlConfig(), 30, rng=np.random.default_rng(5)))


def test_the_route_controller_reaches_goals_that_the_straight_one_does_not(worlds):
    route, straight = (
        worlds.distances(worlds.rollout(controller(worlds.problems), horizon=100).final)
        for controller in (RouteController, StraightController)
    )
    assert route.mean() < 0.05
    assert straight.mean() > 0.4


def test_next_cells_follow_the_cost_to_the_goal(worlds):
    costs = route_costs(worlds.problems, margin=RADIUS)
    following = next_cells(costs)
    problem = np.arange(len(costs))[:, None, None]
    after = costs[problem, following[..., 0], following[..., 1]]
    free = np.isfinite(costs) & (costs > 0)
    assert (after[free] < costs[free]).all()
    assert np.isfinite(after[~np.isfinite(costs)]).any()
    assert following.shape == (len(costs), FINE, FINE, 2)


def test_demonstrations_spread_with_the_noise_and_the_same_seed_repeats_them(worlds):
    first, second = (
        demonstrate(worlds, rng=np.random.default_rng(1), samples=3, horizon=30) for _ in range(2)
    )
    assert torch.equal(first.states, second.states)
    assert len(first) == len(worlds)
    last = first.states.reshape(len(worlds), 3, 30, 4)[:, :, -1, :2]
    assert last.std(dim=1).min() > 0
    assert first.actions.abs().max() <= 1


def test_a_rollout_that_diverged_has_no_weight(worlds, monkeypatch):
    step = worlds.step

    def failing(states, forces):
        following, valid = step(states, forces)
        valid[2, 1] = False
        return following, valid

    monkeypatch.setattr(worlds, "step", failing)
    shown = demonstrate(worlds, rng=np.random.default_rng(1), samples=2, horizon=5)
    weights = shown.precisions.reshape(len(worlds), 2, 5, 2, 2)
    assert (weights[2, 1] == 0).all()
    assert (weights[2, 0] == torch.eye(2)).all()


def test_noise_is_correlated_in_time_and_of_the_given_size():
    noise = correlated_noise((50, 20, 100, 2), 0.5, rng=np.random.default_rng(0))[:, :, 20:]
    assert noise.std() == pytest.approx(0.5, abs=0.02)
    assert (noise[:, :, 1:] * noise[:, :, :-1]).mean() == pytest.approx(0.8 * 0.25, abs=0.02)


def test_a_rollout_that_fails_keeps_its_state(worlds):
    def broken(time, states):
        forces = np.zeros((*states.shape[:2], 2))
        if time == 4:
            forces[3] = np.nan
        return forces + 0.1

    found = worlds.rollout(broken, horizon=10)
    assert not found.valid[3, 0]
    assert found.valid.sum() == len(worlds) - 1
    np.testing.assert_array_equal(found.final[3], found.states[3, :, 4])
    np.testing.assert_array_equal(found.following[:, :, :-1], found.states[:, :, 1:])
    np.testing.assert_array_equal(found.following[:, :, -1], found.final)

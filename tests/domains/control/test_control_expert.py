"""The controllers that know the map: the route one arrives, the straight one is stopped by walls."""

import numpy as np
import pytest

pytest.importorskip("mujoco")

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.domains.control.expert import RouteController, StraightController, next_cells, roll_out
from vinlab.domains.control.geometry import FINE, RADIUS
from vinlab.domains.control.problem import ControlConfig, route_costs, sample_problems


@pytest.fixture(scope="module")
def worlds():
    return ParticleWorlds(sample_problems(ControlConfig(), 30, rng=np.random.default_rng(5)))


def test_the_route_controller_arrives_where_the_straight_one_is_stopped(worlds):
    goals = worlds.problems.goals
    route = roll_out(worlds, RouteController(worlds.problems), horizon=100).distances(goals)
    straight = roll_out(worlds, StraightController(worlds.problems), horizon=100).distances(goals)
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


def test_noise_spreads_the_rollouts_and_the_same_seed_repeats_them(worlds):
    controller = RouteController(worlds.problems)
    first, second = (
        roll_out(worlds, controller, horizon=30, samples=3, noise=0.5, rng=np.random.default_rng(1))
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.states, second.states)
    assert first.final[:, :, :2].std(axis=1).min() > 0
    assert np.abs(first.forces).max() <= 1


def test_a_rollout_that_fails_stands_still_and_says_so(worlds):
    calls = 0

    def broken(states):
        nonlocal calls
        calls += 1
        forces = np.zeros((*states.shape[:2], 2))
        if calls == 5:
            forces[3] = np.nan
        return forces + 0.1

    found = roll_out(worlds, broken, horizon=10)
    assert not found.valid[3, 0]
    assert found.valid.sum() == len(worlds) - 1
    np.testing.assert_array_equal(found.final[3], found.states[3, :, 4])

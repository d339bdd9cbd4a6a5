"""Linear-Gaussian controllers against closed forms: the Riccati equation, and the KL divergence of trajectories."""

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are

from vinlab.learners.gps.linear_gaussian import (
    Controllers,
    Costs,
    Dynamics,
    add_kl_penalty,
    improve_controllers,
    kl_divergence,
    lqr_backward,
    lqr_forward,
    with_noise,
    zero_controllers,
)
from vinlab.types import InputError

SYSTEMS, HORIZON, STATES, ACTIONS = 3, 12, 3, 2
JOINT = STATES + ACTIONS


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def random_spd(rng, *shape):
    root = rng.standard_normal((*shape, shape[-1]))
    return root @ root.swapaxes(-1, -2) + 0.5 * np.eye(shape[-1])


def random_problem(rng):
    dynamics = Dynamics(
        0.5 * rng.standard_normal((SYSTEMS, HORIZON, STATES, JOINT)),
        0.3 * rng.standard_normal((SYSTEMS, HORIZON, STATES)),
        0.1 * random_spd(rng, SYSTEMS, HORIZON, STATES),
    )
    costs = Costs(random_spd(rng, SYSTEMS, HORIZON, JOINT), rng.standard_normal((SYSTEMS, HORIZON, JOINT)))
    initial = rng.standard_normal((SYSTEMS, STATES))
    return dynamics, costs, initial, 0.1 * random_spd(rng, SYSTEMS, STATES)


def expected_cost(costs, reached):
    """The cost of trajectories at each time, up to the constant that the costs leave out."""
    quadratic = np.einsum("btij,btji->bt", costs.hessians, reached.covariances)
    quadratic += np.einsum("bti,btij,btj->bt", reached.means, costs.hessians, reached.means)
    return 0.5 * quadratic + np.einsum("bti,bti->bt", costs.gradients, reached.means)


def random_controllers(rng):
    return Controllers(
        0.3 * rng.standard_normal((SYSTEMS, HORIZON, ACTIONS, STATES)),
        rng.standard_normal((SYSTEMS, HORIZON, ACTIONS)),
        random_spd(rng, SYSTEMS, HORIZON, ACTIONS),
    )


def test_the_backward_pass_is_the_riccati_recursion(rng):
    dynamics, costs, *_ = random_problem(rng)
    found = lqr_backward(dynamics, costs)
    for system in range(SYSTEMS):
        value = np.zeros((STATES, STATES))
        for time in reversed(range(HORIZON)):
            a, b = np.split(dynamics.matrices[system, time], [STATES], axis=1)
            hessian = costs.hessians[system, time]
            q, s, r = hessian[:STATES, :STATES], hessian[:STATES, STATES:], hessian[STATES:, STATES:]
            curvature = r + b.T @ value @ b
            gain = -np.linalg.solve(curvature, b.T @ value @ a + s.T)
            value = q + a.T @ value @ a + (a.T @ value @ b + s) @ gain
            np.testing.assert_allclose(found.gains[system, time], gain, rtol=1e-9)
            np.testing.assert_allclose(found.covariances[system, time], np.linalg.inv(curvature), rtol=1e-8)


def test_far_from_the_end_the_gains_are_those_of_the_algebraic_riccati_equation():
    a, b = np.array([[1.0, 0.1], [0.0, 0.9]]), np.array([[0.0], [0.1]])
    q, r = np.diag([1.0, 0.1]), np.array([[0.05]])
    horizon = 400
    joint = np.zeros((3, 3))
    joint[:2, :2], joint[2:, 2:] = q, r
    dynamics = Dynamics(
        np.tile(np.hstack([a, b]), (1, horizon, 1, 1)),
        np.zeros((1, horizon, 2)),
        np.zeros((1, horizon, 2, 2)),
    )
    found = lqr_backward(dynamics, Costs(np.tile(joint, (1, horizon, 1, 1)), np.zeros((1, horizon, 3))))
    value = solve_discrete_are(a, b, q, r)
    gain = -np.linalg.solve(r + b.T @ value @ b, b.T @ value @ a)
    np.testing.assert_allclose(found.gains[0, 0], gain, rtol=1e-8)


def test_no_change_of_gains_or_offsets_lowers_the_expected_cost(rng):
    dynamics, costs, initial, spread = random_problem(rng)
    best = lqr_backward(dynamics, costs)
    least = expected_cost(costs, lqr_forward(dynamics, best, initial, spread)).sum(axis=1)
    for _ in range(20):
        other = Controllers(
            best.gains + 0.01 * rng.standard_normal(best.gains.shape),
            best.offsets + 0.01 * rng.standard_normal(best.offsets.shape),
            best.covariances,
        )
        assert (expected_cost(costs, lqr_forward(dynamics, other, initial, spread)).sum(axis=1) > least).all()


def test_the_forward_pass_is_where_sampled_trajectories_go(rng):
    dynamics, _, initial, spread = random_problem(rng)
    controllers = random_controllers(rng)
    reached = lqr_forward(dynamics, controllers, initial, spread)
    states = rng.multivariate_normal(initial[0], spread[0], size=200_000)
    for time in range(3):
        noise = rng.multivariate_normal(np.zeros(ACTIONS), controllers.covariances[0, time], len(states))
        controls = states @ controllers.gains[0, time].T + controllers.offsets[0, time] + noise
        joint = np.hstack([states, controls])
        np.testing.assert_allclose(joint.mean(axis=0), reached.means[0, time], atol=0.05)
        np.testing.assert_allclose(np.cov(joint.T), reached.covariances[0, time], atol=0.1)
        noise = rng.multivariate_normal(np.zeros(STATES), dynamics.covariances[0, time], len(states))
        states = joint @ dynamics.matrices[0, time].T + dynamics.offsets[0, time] + noise


def whole_trajectory(dynamics, controllers, initial, spread, system):
    """Mean and covariance of all states and actions of a trajectory at once."""
    mean, covariance = initial[system], spread[system]
    for time in range(HORIZON):
        size = len(mean)
        reader = np.zeros((ACTIONS, size))
        reader[:, -STATES:] = controllers.gains[system, time]
        mean, covariance = grown(
            mean, covariance, reader, controllers.offsets[system, time], controllers.covariances[system, time]
        )
        mover = np.zeros((STATES, size + ACTIONS))
        mover[:, size - STATES :] = dynamics.matrices[system, time]
        mean, covariance = grown(
            mean, covariance, mover, dynamics.offsets[system, time], dynamics.covariances[system, time]
        )
    return mean, covariance


def grown(mean, covariance, matrix, offset, noise):
    cross = matrix @ covariance
    corner = cross @ matrix.T + noise
    return np.concatenate([mean, matrix @ mean + offset]), np.block([[covariance, cross.T], [cross, corner]])


def test_the_divergence_is_that_of_the_two_gaussians_over_whole_trajectories(rng):
    dynamics, _, initial, spread = random_problem(rng)
    new, old = random_controllers(rng), random_controllers(rng)
    found = kl_divergence(new, old, lqr_forward(dynamics, new, initial, spread))
    for system in range(SYSTEMS):
        mean, covariance = whole_trajectory(dynamics, new, initial, spread, system)
        old_mean, old_covariance = whole_trajectory(dynamics, old, initial, spread, system)
        shift = old_mean - mean
        volumes = np.linalg.slogdet(old_covariance)[1] - np.linalg.slogdet(covariance)[1]
        trace = np.trace(np.linalg.solve(old_covariance, covariance))
        expected = 0.5 * (trace + shift @ np.linalg.solve(old_covariance, shift) - len(mean) + volumes)
        assert found[system] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("bound", [0.01, 1.0, 20.0])
def test_an_improvement_meets_the_bound_and_lowers_the_cost(rng, bound):
    dynamics, costs, initial, spread = random_problem(rng)
    old = zero_controllers(SYSTEMS, HORIZON, STATES, ACTIONS, 1.0)
    found = improve_controllers(dynamics, costs, old, initial, spread, bound=np.full(SYSTEMS, bound))
    reached = lqr_forward(dynamics, found.controllers, initial, spread)
    np.testing.assert_allclose(kl_divergence(found.controllers, old, reached), found.divergences)
    assert (found.divergences <= bound).all()
    assert (found.divergences >= 0.85 * bound).all()
    before = expected_cost(costs, lqr_forward(dynamics, old, initial, spread)).sum(axis=1)
    assert (expected_cost(costs, reached).sum(axis=1) < before).all()


def test_a_bound_that_nothing_can_meet_but_the_old_controllers_gives_these_back(rng):
    dynamics, costs, initial, spread = random_problem(rng)
    old = random_controllers(rng)
    found = improve_controllers(dynamics, costs, old, initial, spread, bound=np.zeros(SYSTEMS))
    np.testing.assert_allclose(found.controllers.offsets, old.offsets, atol=1e-6)
    assert (found.divergences <= 1e-9).all()


def test_systems_do_not_touch_each_other(rng):
    dynamics, costs, *_ = random_problem(rng)
    together = lqr_backward(dynamics, costs)
    alone = lqr_backward(
        Dynamics(dynamics.matrices[:1], dynamics.offsets[:1], dynamics.covariances[:1]),
        Costs(costs.hessians[:1], costs.gradients[:1]),
    )
    np.testing.assert_allclose(together.gains[:1], alone.gains)
    np.testing.assert_allclose(together.offsets[:1], alone.offsets)


def test_the_noise_is_the_same_on_all_actions(rng):
    wavering = with_noise(random_controllers(rng), 0.5)
    np.testing.assert_allclose(
        wavering.covariances, np.broadcast_to(0.25 * np.eye(ACTIONS), wavering.covariances.shape)
    )


def test_noise_of_no_size_is_refused(rng):
    with pytest.raises(InputError, match=r"std: expected more than 0, got 0\.0"):
        with_noise(random_controllers(rng), 0.0)


def test_the_penalty_is_minus_the_log_probability_of_the_old_controllers(rng):
    _, costs, *_ = random_problem(rng)
    old, multiplier = random_controllers(rng), np.array([0.5, 2.0, 7.0])
    found = add_kl_penalty(costs, old, multiplier)
    first, second = rng.standard_normal((2, JOINT))
    for system, time in np.ndindex(SYSTEMS, HORIZON):

        def penalty(point, system=system, time=time):
            away = point[STATES:] - old.gains[system, time] @ point[:STATES] - old.offsets[system, time]
            nll = 0.5 * away @ np.linalg.solve(old.covariances[system, time], away)
            return cost_at(costs, point, system, time) / multiplier[system] + nll

        wanted = penalty(first) - penalty(second)
        assert cost_at(found, first, system, time) - cost_at(found, second, system, time) == pytest.approx(
            wanted
        )


def cost_at(costs, point, system, time):
    return 0.5 * point @ costs.hessians[system, time] @ point + costs.gradients[system, time] @ point


def test_the_first_action_is_the_one_that_a_search_over_all_actions_finds(rng):
    dynamics, costs, initial, _ = random_problem(rng)
    found = lqr_backward(dynamics, costs)
    still = Dynamics(dynamics.matrices, dynamics.offsets, np.zeros_like(dynamics.covariances))
    nothing = np.zeros((SYSTEMS, STATES, STATES))
    sure = Controllers(found.gains, found.offsets, np.zeros_like(found.covariances))
    best = lqr_forward(still, sure, initial, nothing).means
    # The gradient of the whole cost in every action is zero along the best trajectory.
    for system in range(SYSTEMS):
        onwards = np.zeros(STATES)
        for time in reversed(range(HORIZON)):
            here = costs.hessians[system, time] @ best[system, time] + costs.gradients[system, time]
            here = here + dynamics.matrices[system, time].T @ onwards
            np.testing.assert_allclose(here[STATES:], 0.0, atol=1e-9)
            onwards = here[:STATES]


def test_a_bound_that_does_not_bind_leaves_the_least_multiplier(rng):
    dynamics, costs, initial, spread = random_problem(rng)
    old = random_controllers(rng)
    bound = np.array([1e9, 1.0, 1e9])
    found = improve_controllers(dynamics, costs, old, initial, spread, bound=bound, multipliers=(0.5, 1e9))
    np.testing.assert_allclose(found.multipliers[[0, 2]], 0.5)
    best = lqr_backward(dynamics, add_kl_penalty(costs, old, found.multipliers))
    np.testing.assert_allclose(found.controllers.gains, best.gains)
    np.testing.assert_allclose(found.controllers.offsets, best.offsets)
    np.testing.assert_allclose(found.controllers.covariances, best.covariances)
    assert 0.9 <= found.divergences[1] <= 1.0
    assert found.multipliers[1] > 0.5


def test_the_mean_action_is_linear_in_the_state(rng):
    controllers, states = random_controllers(rng), rng.standard_normal((SYSTEMS, 4, STATES))
    found = controllers.mean(5, states)
    for system, one in np.ndindex(SYSTEMS, 4):
        wanted = controllers.gains[system, 5] @ states[system, one] + controllers.offsets[system, 5]
        np.testing.assert_allclose(found[system, one], wanted)
    none = zero_controllers(2, 3, STATES, ACTIONS, 0.25)
    assert not none.mean(0, np.ones((2, 1, STATES))).any()
    np.testing.assert_allclose(none.covariances, np.broadcast_to(0.25 * np.eye(ACTIONS), (2, 3, 2, 2)))

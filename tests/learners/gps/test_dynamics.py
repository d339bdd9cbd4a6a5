"""Fitted dynamics recover a known system, with and without the prior, and survive samples of no spread."""

import numpy as np
import pytest

from vinlab.learners.gps.dynamics import fit_dynamics
from vinlab.learners.gps.gaussian_mixture import MixtureConfig, Mixtures, fit_mixtures

STATES, ACTIONS, HORIZON = 4, 2, 6


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def linear_samples(rng, count, noise=0.01, systems=2):
    matrix = 0.4 * rng.standard_normal((systems, HORIZON, STATES, STATES + ACTIONS))
    offset = rng.standard_normal((systems, HORIZON, STATES))
    before = rng.standard_normal((systems, count, HORIZON, STATES))
    actions = rng.standard_normal((systems, count, HORIZON, ACTIONS))
    joint = np.concatenate([before, actions], axis=-1)
    after = np.einsum("btij,bntj->bnti", matrix, joint) + offset[:, None]
    return matrix, offset, before, actions, after + noise * rng.standard_normal(after.shape)


def all_valid(before):
    return np.ones(before.shape[:2], dtype=bool)


def test_fitted_dynamics_recover_a_linear_system(rng):
    matrix, offset, before, actions, after = linear_samples(rng, 2000)
    found = fit_dynamics(before, actions, after, all_valid(before), None)
    np.testing.assert_allclose(found.dynamics.matrices, matrix, atol=2e-3)
    np.testing.assert_allclose(found.dynamics.offsets, offset, atol=2e-3)
    noise = np.broadcast_to(1e-4 * np.eye(STATES), found.dynamics.covariances.shape)
    np.testing.assert_allclose(found.dynamics.covariances, noise, atol=3e-5)
    assert not found.regularised.any()


def test_the_prior_makes_few_samples_enough(rng):
    matrix = 0.4 * rng.standard_normal((STATES, STATES + ACTIONS))
    joint = rng.standard_normal((20, 4, HORIZON, STATES + ACTIONS))
    after = joint @ matrix.T + 0.01 * rng.standard_normal((20, 4, HORIZON, STATES))
    before, actions = joint[..., :STATES], joint[..., STATES:]
    points = np.concatenate([joint, after], axis=-1).reshape(20, -1, 2 * STATES + ACTIONS)
    prior = fit_mixtures(points, np.ones(points.shape[:2]), MixtureConfig(components=1), rng=rng)
    helped = fit_dynamics(before, actions, after, all_valid(before), prior)
    alone = fit_dynamics(before, actions, after, all_valid(before), None)
    error = np.abs(helped.dynamics.matrices - matrix).mean()
    assert error < 0.01
    assert error < 0.1 * np.abs(alone.dynamics.matrices - matrix).mean()


def test_a_singular_covariance_is_made_regular_and_reported(rng):
    _, _, before, actions, after = linear_samples(rng, 50)
    before[:, :, 2], actions[:, :, 2] = 1.0, 0.0  # all samples alike at one time
    found = fit_dynamics(before, actions, after, all_valid(before), None)
    assert found.regularised[:, 2].all()
    assert not np.delete(found.regularised, 2, axis=1).any()
    assert np.isfinite(found.dynamics.matrices).all()
    assert (np.linalg.eigvalsh(found.dynamics.covariances) > 0).all()


def test_invalid_samples_do_not_count(rng):
    _, _, before, actions, after = linear_samples(rng, 50)
    valid = all_valid(before)
    valid[:, 40:] = False
    spoilt = after.copy()
    spoilt[:, 40:] = 1e6
    found = fit_dynamics(before, actions, spoilt, valid, None)
    wanted = fit_dynamics(before[:, :40], actions[:, :40], after[:, :40], valid[:, :40], None)
    np.testing.assert_allclose(found.dynamics.matrices, wanted.dynamics.matrices, rtol=1e-6)


def conditioned(mean, covariance, ridge, more=0.0):
    """The matrix, offset and noise of x' given x and u, of one Gaussian over all three."""
    joint = STATES + ACTIONS
    covariance = covariance + ridge * np.eye(len(mean))
    given, cross = covariance[:joint, :joint] + more * np.eye(joint), covariance[:joint, joint:]
    matrix = np.linalg.solve(given, cross).T
    return (
        matrix,
        mean[joint:] - matrix @ mean[:joint],
        covariance[joint:, joint:] - matrix @ given @ matrix.T,
    )


def require_fit(found, place, expected):
    for part, wanted in zip(("matrices", "offsets", "covariances"), expected, strict=True):
        np.testing.assert_allclose(getattr(found.dynamics, part)[place], wanted, rtol=1e-6, atol=1e-9)


def test_without_a_prior_the_covariance_is_that_of_the_samples_that_count(rng):
    _, _, before, actions, after = linear_samples(rng, 30, noise=0.3)
    valid = rng.random((2, 30)) < 0.8
    found = fit_dynamics(before, actions, after, valid, None, ridge=1e-3)
    points = np.concatenate([before, actions, after], axis=-1)
    for place in np.ndindex(2, HORIZON):
        chosen = points[place[0], valid[place[0]], place[1]]
        covariance = np.cov(chosen.T, bias=True)
        require_fit(found, place, conditioned(chosen.mean(axis=0), covariance, 1e-3))


def test_a_prior_counts_as_samples_with_the_moments_of_its_mixture(rng):
    _, _, before, actions, after = linear_samples(rng, 7, noise=0.3)
    size, strength = 2 * STATES + ACTIONS, 2.5
    roots = rng.standard_normal((2, 3, size, size))
    prior = Mixtures(
        rng.dirichlet(np.ones(3), 2),
        rng.standard_normal((2, 3, size)),
        roots @ roots.swapaxes(2, 3) + np.eye(size),
    )
    valid = all_valid(before)
    valid[0, 2] = valid[1, 5] = False
    found = fit_dynamics(before, actions, after, valid, prior, strength=strength, ridge=1e-4)
    points = np.concatenate([before, actions, after], axis=-1)
    for system, time in np.ndindex(2, HORIZON):
        chosen = points[system, valid[system], time]
        count, mean = len(chosen), chosen.mean(axis=0)
        shares = prior.responsibilities(points[:, :, time])[system, valid[system]].mean(axis=0)
        expected = shares @ prior.means[system]
        spread = -np.outer(expected, expected)
        for share, centre, own in zip(shares, prior.means[system], prior.covariances[system], strict=True):
            spread += share * (own + np.outer(centre, centre))
        away = np.outer(mean - expected, mean - expected)
        scatter = (chosen - mean).T @ (chosen - mean)
        total = scatter + strength * spread + count * strength / (count + strength) * away
        require_fit(found, (system, time), conditioned(mean, total / (count + strength), 1e-4))


def test_a_singular_covariance_grows_by_twice_the_ridge(rng):
    _, _, before, actions, after = linear_samples(rng, 40)
    before[..., 1] = before[..., 0]
    ridge = 1e-2
    found = fit_dynamics(before, actions, after, all_valid(before), None, ridge=ridge)
    assert found.regularised.all()
    points = np.concatenate([before, actions, after], axis=-1)
    chosen = points[1, :, 3]
    require_fit(
        found, (1, 3), conditioned(chosen.mean(axis=0), np.cov(chosen.T, bias=True), ridge, more=2 * ridge)
    )


def test_a_system_without_any_sample_has_no_spread():
    before, actions = np.ones((1, 3, HORIZON, STATES)), np.ones((1, 3, HORIZON, ACTIONS))
    found = fit_dynamics(before, actions, before, np.zeros((1, 3), bool), None, ridge=1e-3)
    np.testing.assert_allclose(found.dynamics.matrices, 0.0)
    np.testing.assert_allclose(found.dynamics.offsets, 0.0)
    np.testing.assert_allclose(found.dynamics.covariances[0, 0], 1e-3 * np.eye(STATES))

"""Fitted dynamics recover a known system, with and without the prior, and survive samples of no spread."""

import numpy as np
import pytest

from vinlab.learners.gps.dynamics import fit_dynamics
from vinlab.learners.gps.gaussian_mixture import MixtureConfig, fit_mixtures

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

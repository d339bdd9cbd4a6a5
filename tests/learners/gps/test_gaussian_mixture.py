"""Each system's mixture recovers the clusters of its points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vinlab.learners.gps.gaussian_mixture import MixtureConfig, Mixtures, fit_mixtures

CENTRES = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def clusters(rng, shift: float) -> np.ndarray:
    return np.concatenate([centre + shift + rng.standard_normal((400, 2)) for centre in CENTRES])


def fit(points: np.ndarray, counted: np.ndarray) -> Mixtures:
    return fit_mixtures(points, counted, MixtureConfig(components=3, rounds=40), rng=np.random.default_rng(3))


def test_every_system_finds_its_own_clusters(rng):
    points = np.stack([clusters(rng, 0.0), clusters(rng, 50.0)])
    found = fit(points, np.ones(points.shape[:2]))
    for means, weights, shift in zip(found.means, found.weights, (0.0, 50.0), strict=True):
        order = np.lexsort(np.round((means - shift) / 8).T)
        assert_allclose(means[order], CENTRES + shift, atol=0.3)
        assert_allclose(weights, 1 / 3, atol=0.03)


def test_points_that_do_not_count_change_nothing(rng):
    points = clusters(rng, 0.0)[None]
    far = np.full((1, 100, 2), 1e3)
    counted = np.concatenate([np.ones(points.shape[:2]), np.zeros(far.shape[:2])], axis=1)
    found, wanted = fit(np.concatenate([points, far], axis=1), counted), fit(points, counted[:, :1200])
    assert_allclose(np.sort(found.means, axis=1), np.sort(wanted.means, axis=1), atol=1e-3)


def test_a_system_without_any_valid_point_gives_finite_numbers(rng):
    points = np.stack([clusters(rng, 0.0), np.zeros((1200, 2))])
    found = fit(points, np.stack([np.ones(1200), np.zeros(1200)]))
    assert np.isfinite(found.means).all()
    assert np.isfinite(found.responsibilities(points)).all()


def test_responsibilities_are_bayes_rule():
    mixtures = Mixtures(np.array([[0.25, 0.75]]), np.array([[[0.0], [1.0]]]), np.array([[[[1.0]], [[4.0]]]]))
    first, second = 0.25 * np.exp(-0.125), 0.75 * np.exp(-0.125 / 4) / 2
    shares = mixtures.responsibilities(np.array([[[0.5]]]))
    assert_allclose(shares[0, 0], [first, second] / (first + second))

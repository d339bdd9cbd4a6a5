"""Each system's mixture recovers the clusters of its points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vinlab.learners.gps.gaussian_mixture import (
    MixtureConfig,
    Mixtures,
    _distances,
    _draw,
    _maximise,
    fit_mixtures,
)

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


def test_the_likeliest_mixture_has_the_weighted_moments_of_its_points(rng):
    points, shares = rng.standard_normal((2, 9, 3)), rng.random((2, 9, 2))
    found = _maximise(points, shares, 0.01)
    assert_allclose(found.weights, shares.sum(axis=1) / shares.sum(axis=(1, 2))[:, None], rtol=1e-6)
    for system, component in np.ndindex(2, 2):
        weight = shares[system, :, component]
        mean = np.average(points[system], axis=0, weights=weight)
        assert_allclose(found.means[system, component], mean, rtol=1e-6)
        expected = np.cov(points[system].T, aweights=weight, bias=True) + 0.01 * np.eye(3)
        assert_allclose(found.covariances[system, component], expected, rtol=1e-6)


def test_distances_are_squared_and_in_standard_deviations_of_the_points_that_count():
    points = np.array([[[1.0, 10.0], [3.0, 50.0], [5.0, 30.0], [99.0, 99.0]]])
    counted = np.array([[1.0, 1.0, 1.0, 0.0]])
    centres = np.array([[[1.0, 10.0], [2.0, 30.0]]])
    std = np.std(points[0, :3], axis=0)
    found = _distances(points, counted, centres)
    for point, centre in np.ndindex(4, 2):
        away = (points[0, point] - centres[0, centre]) / std
        assert found[0, point, centre] == pytest.approx(away @ away, rel=1e-5)


def test_a_point_is_drawn_as_often_as_its_weight_says(rng):
    points = np.arange(4.0)[None, :, None].repeat(20_000, axis=0)
    weights = np.tile([0.0, 1.0, 3.0, 0.0], (20_000, 1))
    drawn = _draw(points, weights, rng)
    assert drawn.shape == (20_000, 1, 1)
    assert set(drawn.ravel()) == {1.0, 2.0}
    assert (drawn == 2.0).mean() == pytest.approx(0.75, abs=0.02)
    evenly = _draw(points, np.zeros((20_000, 4)), rng)
    assert [(evenly == point).mean() for point in range(4)] == pytest.approx([0.25] * 4, abs=0.02)


def test_no_mixture_has_more_components_than_points():
    points = np.array([[[0.0, 1.0], [5.0, 2.0], [9.0, -3.0]]])
    found = fit_mixtures(
        points,
        np.ones((1, 3)),
        MixtureConfig(components=8, rounds=3),
        rng=np.random.default_rng(0),
        ridge=1e-3,
    )
    assert_allclose(sorted(found.means[0].tolist()), points[0], atol=1e-6)
    assert_allclose(found.weights, 1 / 3, atol=1e-6)
    assert_allclose(found.covariances, np.broadcast_to(1e-3 * np.eye(2), (1, 3, 2, 2)), atol=1e-6)

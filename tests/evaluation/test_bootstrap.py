"""Errors over blocks are those of independent problems where each is its own block, larger where they correlate."""

import numpy as np
import pytest

from vinlab.evaluation.bootstrap import block_error, block_means


def test_problems_that_are_their_own_blocks_give_the_usual_error():
    values = (np.random.default_rng(0).random(1000) < 0.6).astype(float)
    found = block_error(values, np.arange(1000), rng=np.random.default_rng(1))
    assert found == pytest.approx((values.var() / 1000) ** 0.5, rel=0.1)


def test_copies_of_a_problem_do_not_lower_the_error():
    values = (np.random.default_rng(0).random(50) < 0.5).astype(float)
    once = block_error(values, np.arange(50), rng=np.random.default_rng(1))
    copied = block_error(np.repeat(values, 20), np.repeat(np.arange(50), 20), rng=np.random.default_rng(1))
    assert copied == pytest.approx(once)


def test_the_means_of_draws_have_the_mean_of_all():
    values, blocks = np.array([0.0, 1.0, 1.0, 1.0]), np.array([7, 7, 9, 9])
    means = block_means(values, blocks, rng=np.random.default_rng(0), draws=4000)
    assert set(means.tolist()) == {0.5, 0.75, 1.0}
    assert means.mean() == pytest.approx(values.mean(), abs=0.02)


def test_the_error_is_the_sample_deviation_of_two_thousand_draws():
    values, blocks = np.array([0.0, 1.0, 0.5]), np.array([0, 1, 2])
    means = block_means(values, blocks, rng=np.random.default_rng(3))
    assert len(means) == 2000
    assert block_error(values, blocks, rng=np.random.default_rng(3)) == pytest.approx(
        np.std(means, ddof=1), rel=1e-9
    )

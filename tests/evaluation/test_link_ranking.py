import numpy as np
import pytest

from vinlab.evaluation.link_ranking import all_within, best_links, rank_links


def rng():
    return np.random.default_rng(0)


def test_a_rank_counts_the_links_that_score_more():
    scores = np.array([[3.0, 1.0, 2.0, -np.inf], [0.0, 5.0, 4.0, 1.0]])
    right = np.array([[False, True, False, False], [True, False, False, True]])
    assert rank_links(scores, right, rng=rng()).tolist() == [2, 2]


def test_ties_are_broken_at_random_without_a_preference():
    scores = np.zeros((20000, 5))
    right = np.zeros((20000, 5), dtype=bool)
    right[:, 0] = True
    found = rank_links(scores, right, rng=rng())
    assert np.bincount(found) / 20000 == pytest.approx(np.full(5, 0.2), abs=0.015)
    right[:, 1] = True  # the better of two random places among five
    assert (rank_links(scores, right, rng=rng()) == 0).mean() == pytest.approx(0.4, abs=0.015)


def test_the_best_link_is_a_random_one_among_equals_and_never_padding():
    scores = np.tile([1.0, 0.0, 1.0, -np.inf], (5000, 1))
    chosen = best_links(scores, rng=rng())
    assert set(chosen) == {0, 2}
    assert (chosen == 0).mean() == pytest.approx(0.5, abs=0.03)


def test_a_success_has_every_step_within_the_top_four():
    assert all_within(np.array([0, 3, 4, 0]), np.array([0, 0, 1, 2]), 3).tolist() == [True, False, True]

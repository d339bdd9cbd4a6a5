import numpy as np
import pytest

from vinlab.evaluation.link_ranking import (
    LinkRanks,
    all_within,
    best_links,
    link_scores,
    rank_links,
    top_links,
)


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


def test_the_scores_are_shares_of_clicks_and_of_problems():
    ranks = LinkRanks(
        problems=np.array([0, 0, 1, 2, 2, 3]),
        fixed=np.array([0, 3, 4, 0, 5, 0]),
        any=np.array([0, 1, 3, 0, 4, 0]),
    )
    scores = link_scores(
        ranks,
        clicks=np.array([2, 3, -1, 1, -1]),
        shortest=np.array([2, 1, 2, 1, -1]),
        solvable=np.array([True, True, True, True, False]),
        reached_by_top=np.array([True, True, False, True, True]),
    )
    assert (scores.num_problems, scores.num_unsolvable) == (5, 1)
    assert (scores.successes, scores.any_successes) == (2, 3)  # 0 and 3; with any link also 1
    assert (scores.top1_error, scores.top4_error) == (pytest.approx(3 / 6), pytest.approx(2 / 6))
    assert (scores.average_reward, scores.arrival_rate) == (pytest.approx(2 / 5), pytest.approx(3 / 5))
    assert scores.average_reward_top4 == pytest.approx(3 / 5)
    assert scores.success_rate == pytest.approx(2 / 5)


def test_the_top_links_are_the_four_best_and_never_padding():
    scores = np.array([[0.5, 3.0, 1.0, 2.0, 4.0, -np.inf], [1.0, -np.inf, 2.0, -np.inf, -np.inf, -np.inf]])
    assert top_links(scores, rng=rng()).tolist() == [
        [False, True, True, True, True, False],
        [True, False, True] + [False] * 3,
    ]
    chosen = top_links(np.zeros((20000, 5)), rng=rng())
    assert (chosen.sum(axis=1) == 4).all()
    assert chosen.mean(axis=0) == pytest.approx(np.full(5, 0.8), abs=0.015)


def test_a_right_link_that_is_padding_comes_last():
    scores = np.array([[2.0, 1.0, -np.inf]])
    assert rank_links(scores, np.array([[False, False, True]]), rng=rng()).tolist() == [2]
    assert rank_links(np.array([[1.0, 1.0]]), np.array([[True, True]]), rng=rng()).tolist() == [0]

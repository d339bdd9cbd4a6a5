import math

import numpy as np
import pytest

from vinlab.evaluation import metrics


def test_success_is_the_share_that_reached_the_goal():
    assert metrics.success_rate(np.array([True, False, True, True])) == 0.75


def test_the_difference_counts_successes_alone_and_may_be_negative():
    reached = np.array([True, True, False])
    lengths, expert = np.array([5, 7, 99]), np.array([6, 7, 4])
    assert metrics.trajectory_difference(lengths, expert, reached) == -0.5
    assert math.isnan(metrics.trajectory_difference(lengths, expert, np.zeros(3, dtype=bool)))


def test_loss_and_accuracy_look_at_the_states_that_count():
    moves, labels = np.array([[0, 1, 2]]), np.array([[0, 3, 7]])
    counts = np.array([[True, True, False]])
    optimal = np.zeros((1, 3, 8), dtype=bool)
    optimal[0, 0, 0] = optimal[0, 1, 1] = optimal[0, 1, 3] = True
    assert metrics.prediction_loss(moves, labels, counts) == 0.5
    assert metrics.optimal_action_accuracy(moves, optimal, counts) == 1.0


@pytest.mark.parametrize("measure", [metrics.prediction_loss, metrics.optimal_action_accuracy])
def test_without_any_state_there_is_no_number(measure):
    none = np.zeros((1, 2), dtype=np.int64)
    second = none if measure is metrics.prediction_loss else np.zeros((1, 2, 8), dtype=bool)
    assert math.isnan(measure(none, second, np.zeros((1, 2), dtype=bool)))


def test_percentages_are_means_over_problems_not_over_states():
    free = np.array([[True, True, True, True], [True, False, False, False]])
    reached = np.array([[True, True, True, False], [False, True, True, True]])
    assert metrics.percent_success(reached, free) == pytest.approx((75 + 0) / 2)
    shortest = np.array([[1.0, 2.0, math.inf, 3.0], [1.0, 1.0, 1.0, 1.0]])
    lengths = np.array([[1.0, 2.5, math.inf, 3.0 + 0.5e-6], [1.0, 9.0, 9.0, 9.0]])
    assert metrics.percent_optimal(lengths, shortest, free) == pytest.approx((75 + 100) / 2)
    assert metrics.optimally_reached_share(lengths + 1e-5, shortest, free) == pytest.approx(1 / 5)
    none = np.zeros((0, 4))
    assert math.isnan(metrics.percent_success(none > 0, none > 0))

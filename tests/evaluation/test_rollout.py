import math

import numpy as np
import pytest
import torch

from vinlab.evaluation import metrics
from vinlab.evaluation.rollout import (
    device_of,
    greedy_actions,
    roll_out,
    rollout_from_all_cells,
    sample_actions,
)


class GoEast:
    """Always move 2, east."""

    def plan(self, observation, *, iterations=None):
        return None

    def act(self, plan, states):
        logits = torch.zeros(*states.shape[:2], 8)
        logits[..., 2] = 1.0
        return logits


def east_on_a_line(states, moves):
    assert set(moves.tolist()) == {2}
    return np.minimum(states + [0, 1], [0, 5])


def test_each_rollout_ends_at_its_goal_or_at_its_horizon():
    rollouts = roll_out(
        GoEast(),
        None,
        starts=np.array([[0, 0], [0, 0], [0, 3], [0, 4]]),
        goals=np.array([[0, 3], [0, 3], [0, 3], [0, 2]]),
        step=east_on_a_line,
        horizons=np.array([4, 3, 9, 9]),
    )
    assert rollouts.reached.tolist() == [True, False, True, False]
    assert rollouts.lengths.tolist() == [4, 3, 1, 9]
    assert rollouts.states[0, :4, 1].tolist() == [0, 1, 2, 3]
    assert rollouts.states[1, -1].tolist() == [0, 2]


def test_actions_are_sampled_with_the_probabilities_of_the_policy():
    logits = np.log(np.array([0.1, 0.2, 0.3, 0.4], np.float32))
    sampled = sample_actions(np.broadcast_to(logits, (200, 200, 4)), np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(sampled.ravel()) / sampled.size, [0.1, 0.2, 0.3, 0.4], atol=0.01)


ROUND_TRIP = np.array([[1, 2, 3, 3, 5, 4, 6, 0]])
"""Cells 0, 1, 2 lead to the goal 3 one by one, 7 leads to 0, 4 and 5 to each other, 6 to itself."""


def test_a_hand_made_policy_is_followed_from_every_cell():
    rollouts = rollout_from_all_cells(ROUND_TRIP, np.full((1, 8), 2.0), np.array([3]))
    assert rollouts.reached.tolist() == [[True, True, True, True, False, False, False, True]]
    assert rollouts.lengths.tolist() == [[6, 4, 2, 0, math.inf, math.inf, math.inf, 8]]


def test_a_path_ends_at_the_goal():
    leads_on = np.array([[1, 2, 0]])
    assert rollout_from_all_cells(leads_on, np.ones((1, 3)), np.array([1])).lengths.tolist() == [[1, 0, 2]]


@pytest.mark.parametrize("cells", [1, 2, 3, 64, 65, 1000])
def test_the_longest_path_through_all_cells_is_followed_to_its_end(cells):
    one_by_one = np.maximum(np.arange(cells)[None] - 1, 0)
    rollouts = rollout_from_all_cells(one_by_one, np.ones((1, cells)), np.array([0]))
    assert rollouts.lengths[0].tolist() == list(range(cells))


def test_shares_are_over_the_cells_that_count():
    rollouts = rollout_from_all_cells(ROUND_TRIP, np.full((1, 8), 2.0), np.array([3]))
    counts = np.array([[True, True, True, False, True, True, False, True]])
    shortest = np.array([[4.0, 4, 2, 0, 2, 2, 2, 8]])
    assert metrics.reached_share(rollouts.reached, counts) == pytest.approx(4 / 6)
    assert metrics.optimally_reached_share(rollouts.lengths, shortest, counts) == pytest.approx(3 / 6)
    nothing = np.zeros_like(counts)
    assert math.isnan(metrics.reached_share(rollouts.reached, nothing))
    assert math.isnan(metrics.optimally_reached_share(rollouts.lengths, shortest, nothing))


def test_the_likeliest_move_is_one_of_those_that_are_allowed():
    states, allowed = np.zeros((1, 2, 2), np.int64), np.ones((1, 2, 9), bool)
    assert greedy_actions(GoEast(), None, states).tolist() == [[2, 2]]
    allowed[0, 1, 2] = allowed[0, 1, 0] = False
    assert greedy_actions(GoEast(), None, states, allowed=allowed).tolist() == [[2, 1]]


def test_a_policy_without_weights_acts_on_the_cpu():
    assert device_of(GoEast()) == torch.device("cpu")
    assert device_of(torch.nn.Linear(2, 3, device="meta")) == torch.device("meta")


def test_no_rollouts_have_no_states_but_the_first():
    none = np.zeros((0, 2), np.int64)
    rollouts = roll_out(GoEast(), None, starts=none, goals=none, step=east_on_a_line, horizons=none[:, 0])
    assert rollouts.states.shape == (0, 1, 2)

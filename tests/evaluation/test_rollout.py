import numpy as np
import torch

from vinlab.evaluation.rollout import device_of, greedy_actions, roll_out, sample_actions


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

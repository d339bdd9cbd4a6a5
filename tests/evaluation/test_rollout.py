import numpy as np
import torch

from vinlab.evaluation.rollout import roll_out, sample_actions


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

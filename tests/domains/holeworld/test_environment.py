"""The dynamics of the hole world, move by move."""

import numpy as np
import pytest

from vinlab.domains.holeworld.environment import GOAL_REWARD, HOLE_REWARD, STEP_REWARD, step

MAP = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 1]], np.uint8)
NORTH, SOUTH, EAST, WEST = range(4)


@pytest.mark.parametrize(
    ("state", "move", "following", "reward"),
    [
        ((1, 1), SOUTH, (2, 1), STEP_REWARD),
        ((1, 1), EAST, (1, 2), GOAL_REWARD),
        ((1, 1), NORTH, (1, 1), HOLE_REWARD),
        ((2, 0), WEST, (2, 0), HOLE_REWARD),  # off the map is a fall, too
        ((0, 2), SOUTH, (1, 2), GOAL_REWARD),
    ],
)
def test_a_move_moves_on_falls_or_reaches_the_goal(state, move, following, reward):
    outcome = step(MAP[None], np.array([[1, 2]]), np.array([state]), np.array([move]))
    assert tuple(outcome.states[0]) == following
    assert outcome.rewards[0] == np.float32(reward)
    assert outcome.fallen[0] == (reward == HOLE_REWARD)
    assert outcome.reached[0] == (reward == GOAL_REWARD)
    assert outcome.ended[0] == (reward != STEP_REWARD)

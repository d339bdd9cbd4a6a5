"""The paths that greedy moves make."""

import numpy as np
import pytest

from vinlab.domains.gridworld.environment import step
from vinlab.navigation.greedy import follow_moves, next_cells

NORTH, EAST, SOUTH_EAST = 0, 2, 6
FREE = np.zeros((3, 3), np.uint8)


def test_a_path_follows_the_moves_to_the_goal():
    path, reached = follow_moves(np.full((3, 3), SOUTH_EAST), FREE, (0, 0), (2, 2))
    assert reached
    assert path.tolist() == [[0, 0], [1, 1], [2, 2]]


def test_a_path_ends_at_a_repeated_cell_and_at_an_obstacle():
    there_and_back = np.array([[EAST, 3, 0]])
    path, reached = follow_moves(there_and_back, np.zeros((1, 3), np.uint8), (0, 0), (0, 2))
    assert not reached
    assert path.tolist() == [[0, 0], [0, 1]]
    path, reached = follow_moves(np.full((3, 3), NORTH), FREE, (1, 1), (2, 2))
    assert (path.tolist(), reached) == ([[1, 1], [0, 1]], False)


def test_corners_are_cut_only_where_that_is_allowed():
    corner = FREE.copy()
    corner[0, 1] = 1
    moves = np.full((3, 3), SOUTH_EAST)
    assert follow_moves(moves, corner, (0, 0), (2, 2))[1]
    assert not follow_moves(moves, corner, (0, 0), (2, 2), corner_cutting=False)[1]


@pytest.mark.parametrize("corner_cutting", [True, False])
def test_a_path_moves_as_the_environment_does(corner_cutting):
    rng = np.random.default_rng(3)
    for _ in range(20):
        obstacles = (rng.random((1, 7, 9)) < 0.3).astype(np.uint8)
        moves = rng.integers(0, 8, (1, 7, 9))
        obstacles[0, 0, 0] = 0
        path, reached = follow_moves(moves[0], obstacles[0], (0, 0), (6, 8), corner_cutting=corner_cutting)
        states = path[None]
        chosen = moves[0][tuple(path.T)][None]
        following = step(obstacles, states, chosen, corner_cutting=corner_cutting)[0]
        assert following[:-1].tolist() == path[1:].tolist()
        assert reached or following[-1].tolist() in path.tolist()


def test_the_cells_that_follow_are_counted_row_by_row():
    assert next_cells(np.full((1, 2, 3), EAST), np.zeros((1, 2, 3), np.uint8)).tolist() == [
        [1, 2, 2, 4, 5, 5]
    ]

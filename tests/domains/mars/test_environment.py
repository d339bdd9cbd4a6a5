"""Steep cells and the edge of the map stop a move, as in the grid-world."""

import numpy as np

from vinlab.domains.mars.environment import step
from vinlab.types import MOVE_NAMES

OBSTACLES = np.array([[[False, True], [False, False]]])


def test_steep_cells_and_the_edge_stop_a_move():
    states = np.zeros((1, 4, 2), np.int64)
    moves = np.array([[MOVE_NAMES.index(name) for name in ("E", "N", "S", "SE")]])
    assert step(OBSTACLES, states, moves)[0].tolist() == [[0, 0], [0, 0], [1, 0], [1, 1]]
    assert step(OBSTACLES, states, moves, corner_cutting=False)[0].tolist() == [
        [0, 0],
        [0, 0],
        [1, 0],
        [0, 0],
    ]

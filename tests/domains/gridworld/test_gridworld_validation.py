"""Maps and positions from outside are taken or refused in a sentence."""

import numpy as np
import pytest

from vinlab.domains.gridworld.validation import require_free, require_map
from vinlab.types import InputError


@pytest.mark.parametrize("given", [[[0, 1, 0]], np.zeros((2, 3), bool), np.ones((1, 1)), [[0.0, 1.0]]])
def test_maps_of_zeros_and_ones_are_taken(given):
    taken = require_map(given)
    assert taken.dtype == np.uint8
    np.testing.assert_array_equal(taken, given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([[0, 1], [0]], "ragged rows"),
        ([], "at least one cell"),
        (np.zeros((0, 4)), "at least one cell"),
        ([[0, 2]], "got 2"),
        ([[0, -1]], "got -1"),
        ([[0.5, 1]], "got 0.5"),
        ([[0, np.nan]], "got nan"),
        ([["a", "b"]], "expected numbers"),
        ([0, 1], "two axes"),
        (np.zeros((1, 2, 2)), "two axes"),
        (None, "expected numbers"),
    ],
)
def test_other_maps_are_refused(given, sentence):
    with pytest.raises(InputError, match=sentence):
        require_map(given)


def test_free_positions_are_taken():
    assert require_free(np.zeros((1, 4), np.uint8), [0, 3], "start") == (0, 3)
    assert require_free(np.zeros((2, 4), np.uint8), np.array([1.0, 2.0]), "start") == (1, 2)


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        ((0, 4), r"start \(0, 4\) lies outside the map of 1 x 4 cells"),
        ((-1, 0), "outside the map"),
        ((0, 1), r"start \(0, 1\) lies on an obstacle"),
        ((0.5, 1), "two whole numbers"),
        ((0, np.nan), "two whole numbers"),
        ((0, np.inf), "two whole numbers"),
        ((0,), "two whole numbers"),
        ("ab", "two whole numbers"),
        (([0], 1), "two whole numbers"),
    ],
)
def test_other_positions_are_refused(position, sentence):
    with pytest.raises(InputError, match=sentence):
        require_free(np.array([[0, 1, 0, 0]], np.uint8), position, "start")


def test_a_column_given_as_the_row_is_noticed():
    with pytest.raises(
        InputError, match=r"outside the map of 3 x 9 cells; the row comes first: is it \(2, 8\)\?$"
    ):
        require_free(np.zeros((3, 9), np.uint8), (8, 2), "goal")
    with pytest.raises(InputError, match=r"outside the map of 3 x 9 cells\.$"):
        require_free(np.zeros((3, 9), np.uint8), (9, 9), "goal")


def test_beside_an_obstacle_the_nearest_free_cell_is_named():
    room = np.ones((3, 9), np.uint8)
    with pytest.raises(InputError, match=r"expected a free cell\.$"):
        require_free(room, (1, 1), "start")
    room[1, 3] = room[0, 8] = 0
    with pytest.raises(InputError, match=r"expected a free cell, such as the nearest, \(1, 3\)\.$"):
        require_free(room, (1, 1), "start")

"""Tables of moves: the ready ones turn and drive as named, and one's own are checked."""

import numpy as np
import pytest

from vinlab.planning.moves import LayeredMoves, differential_drive, grid_moves, swept_cells
from vinlab.types import InputError


@pytest.mark.parametrize("headings", [4, 8, 16])
def test_a_full_turn_leads_back_and_left_undoes_right(headings):
    moves = differential_drive(headings)
    right, left = moves.layers[:, 2], moves.layers[:, 1]
    assert (left[right] == np.arange(headings)).all()
    heading = 0
    for _ in range(headings):
        heading = right[heading]
    assert heading == 0
    angles = np.arctan2(moves.directions[:, 1], -moves.directions[:, 0]) % (2 * np.pi)
    assert (np.diff(angles) > 0).all()  # clockwise from north
    assert (moves.offsets[:, 0] == moves.directions).all()
    assert (moves.offsets[:, 1:] == 0).all()


def test_a_flat_table_is_a_table_of_one_layer():
    assert grid_moves(4).flat is not None
    assert differential_drive(4).flat is None
    assert grid_moves(8).lengths.tolist() == [[1.0] * 8]
    assert grid_moves(8, unit=False).lengths[0, 7] == pytest.approx(np.sqrt(2))


def test_cells_that_a_move_passes():
    assert swept_cells((0, 0)) == [(0, 0)]
    assert swept_cells((1, 1)) == [(1, 1)]
    assert swept_cells((1, 1), corner_cutting=False) == [(0, 1), (1, 0), (1, 1)]
    assert swept_cells((-2, 1)) == [(-2, 1), (-1, 0), (-1, 1)]
    assert swept_cells((0, -3)) == [(0, -3), (0, -2), (0, -1)]


def test_layers_have_numbers_and_names():
    moves = differential_drive(8)
    assert moves.layer("3") == 3
    assert moves.layer("sw") == 5
    with pytest.raises(InputError, match=r"expected a layer from 0 to 7 \(N, NE, .*\), got '8'"):
        moves.layer("8")
    with pytest.raises(InputError, match="got '-1'"):
        moves.layer("-1")


@pytest.mark.parametrize(
    ("layers", "offsets", "message"),
    [
        ([[1]], [[(0, 0)]], "expected layers from 0 to 0, got 1 for action 0 of layer 0"),
        ([[-2]], [[(0, 0)]], "expected layers from 0 to 0, got -2"),
        ([[0.5]], [[(0, 0)]], "layers: expected whole numbers with 2 axes, got float64"),
        ([[0, 0]], [[(0, 0)]], r"offsets: expected the shape \(1, 2, 2\), got \(1, 1, 2\)"),
        (np.zeros((0, 2), int), np.zeros((0, 2, 2), int), "expected 1 to 127 actions of at least one layer"),
    ],
)
def test_a_table_that_leads_nowhere_is_refused(layers, offsets, message):
    with pytest.raises(InputError, match=message):
        LayeredMoves.of(layers, offsets)


def test_lengths_and_names_must_fit():
    with pytest.raises(InputError, match="lengths: expected a positive number"):
        LayeredMoves.of([[0]], [[(0, 1)]], [[0.0]])
    with pytest.raises(InputError, match="expected names of 1 layers and 1 actions, got 2 and 1"):
        LayeredMoves.of([[0]], [[(0, 1)]], layer_names=("a", "b"))
    with pytest.raises(InputError, match="headings: expected 4, 8 or 16, got 5"):
        differential_drive(5)
    with pytest.raises(InputError, match="expected 4 or 8, got 6"):
        grid_moves(6)

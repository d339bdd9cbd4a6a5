"""Tables of moves: the ready ones turn and drive as named, and one's own are checked."""

from fractions import Fraction

import numpy as np
import pytest

from vinlab.planning.moves import LayeredMoves, differential_drive, grid_moves, motion_named, swept_cells
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


def test_four_headings_go_and_turn_as_named():
    moves = differential_drive(4)
    assert moves.layer_names == ("N", "E", "S", "W")
    assert moves.action_names == ("forward", "left", "right")
    assert moves.layers.tolist() == [[0, 3, 1], [1, 0, 2], [2, 1, 3], [3, 2, 0]]
    assert moves.offsets[:, 0].tolist() == [[-1, 0], [0, 1], [1, 0], [0, -1]]
    assert moves.lengths.tolist() == [[1.0] * 3] * 4
    assert (moves.num_layers, moves.num_actions) == (4, 3)
    assert moves.exists.all()


@pytest.mark.parametrize(
    ("name", "shape", "longest"),
    [
        ("four", (1, 4), 1),
        ("eight", (1, 8), 1),
        ("differential", (4, 3), 1),
        ("differential-8", (8, 3), 2),
        ("differential-16", (16, 3), 5),
    ],
)
def test_a_ready_table_is_found_by_its_name(name, shape, longest):
    moves = motion_named(name)
    assert moves.layers.shape == shape
    assert moves.lengths.min() == 1.0
    assert moves.lengths.max() == pytest.approx(longest**0.5)


def test_a_table_without_that_name_is_refused():
    with pytest.raises(InputError, match=r"expected one of four, eight, .*, got 'six'"):
        motion_named("six")


def test_a_move_is_as_long_as_its_offset_and_one_that_stays_as_a_step():
    moves = LayeredMoves.of([[0, 0, -1], [1, 0, 1]], [[(3, -4), (0, 0), (0, 0)], [(0, 1), (-1, 1), (2, 0)]])
    np.testing.assert_allclose(moves.lengths, [[5, 1, 1], [1, 2**0.5, 2]])
    assert moves.layer_names == ("0", "1")
    assert moves.action_names == ("0", "1", "2")
    assert moves.exists.tolist() == [[True, True, False], [True, True, True]]
    assert moves.directions is None


def test_only_one_layer_without_gaps_is_flat():
    flat = LayeredMoves.of([[0, 0]], [[(0, 2), (1, 0)]]).flat
    assert flat is not None
    assert flat.offsets.tolist() == [[0, 2], [1, 0]]
    assert LayeredMoves.of([[0, -1]], [[(0, 2), (1, 0)]]).flat is None
    assert LayeredMoves.of([[0], [1]], [[(0, 2)], [(1, 0)]]).flat is None


def test_a_layer_has_as_many_actions_as_a_byte_counts():
    assert LayeredMoves.of(np.zeros((1, 127), int), np.zeros((1, 127, 2), int)).num_actions == 127
    for count in (0, 128):
        with pytest.raises(InputError, match=rf"expected 1 to 127 actions .*, got \(1, {count}\)"):
            LayeredMoves.of(np.zeros((1, count), int), np.zeros((1, count, 2), int))


@pytest.mark.parametrize("lengths", [[[1.0], [2.0]], [[-1.0]], [[np.inf]], [[np.nan]]])
def test_lengths_are_positive_and_one_for_each_action(lengths):
    with pytest.raises(InputError, match=r"expected a positive number for each of \(1, 1\) actions"):
        LayeredMoves.of([[0]], [[(0, 1)]], lengths)


def test_every_layer_heads_somewhere_or_none_does():
    heads = LayeredMoves.of([[0]], [[(0, 1)]], directions=[[0, 1]]).directions
    assert heads is not None
    assert heads.tolist() == [[0, 1]]
    for wrong in ([[0, 1], [1, 0]], [[0]]):
        with pytest.raises(InputError, match=r"directions: expected the shape \(1, 2\), got"):
            LayeredMoves.of([[0]], [[(0, 1)]], directions=wrong)
    with pytest.raises(InputError, match="expected names of 1 layers and 1 actions, got 1 and 2"):
        LayeredMoves.of([[0]], [[(0, 1)]], action_names=("a", "b"))


def crossing(cell: int, reach: int) -> tuple[Fraction, Fraction]:
    """Between which shares of a move a coordinate that goes from 0 to the reach lies in a cell."""
    if reach == 0:
        return (Fraction(0), Fraction(1)) if cell == 0 else (Fraction(1), Fraction(-1))
    ends = sorted((cell + side) / Fraction(reach) for side in (Fraction(-1, 2), Fraction(1, 2)))
    return max(ends[0], Fraction(0)), min(ends[1], Fraction(1))


@pytest.mark.parametrize("cutting", [True, False])
@pytest.mark.parametrize("down", range(-4, 5))
def test_a_move_passes_the_cells_that_its_line_crosses(down, cutting):
    for right in range(-4, 5):
        expected = {(down, right)}
        for row, col in np.ndindex(11, 11):
            down_to, right_to = crossing(row - 5, down), crossing(col - 5, right)
            enters, leaves = max(down_to[0], right_to[0]), min(down_to[1], right_to[1])
            if enters < leaves or (enters == leaves and not cutting):
                expected.add((row - 5, col - 5))
        expected = sorted(expected - {(0, 0)}) or [(0, 0)]
        assert swept_cells((down, right), corner_cutting=cutting) == expected

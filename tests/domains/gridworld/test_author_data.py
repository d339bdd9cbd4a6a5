"""The authors' files are read whole, and our expert labels their states as theirs did."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from vinlab.domains.gridworld.author_data import read_authors_file
from vinlab.domains.gridworld.expert import expert_moves, optimal_moves
from vinlab.planning.exact import cost_to_go
from vinlab.types import InputError

DATA = (
    Path(os.environ.get("VINLAB_DATA", Path(__file__).parents[4] / "shared" / "data")) / "gridworld_authors"
)
MAPS_AND_STATES = {8: (3672, 70_924), 16: (4332, 202_580)}


@pytest.fixture(params=MAPS_AND_STATES)
def size(request):
    if not (DATA / f"gridworld_{request.param}.mat").exists():
        pytest.skip(
            f"the authors' gridworld_{request.param}.mat is not here; VINLAB_DATA may name its folder"
        )
    return request.param


def test_our_labels_are_the_authors(size):
    theirs = read_authors_file(DATA / f"gridworld_{size}.mat")
    assert (len(theirs.obstacles), len(theirs.labels)) == MAPS_AND_STATES[size]
    costs = cost_to_go(theirs.obstacles, theirs.goals)
    row, col = theirs.states.T
    assert (expert_moves(costs, theirs.obstacles)[theirs.index, row, col] == theirs.labels).mean() > 0.996
    assert optimal_moves(costs, theirs.obstacles)[theirs.index, theirs.labels, row, col].all()


def write_small_file(path):
    """Two maps of 3 x 3 cells with two states and one."""
    free = np.array([[1, 1, 1, 1, 0, 1, 1, 1, 1]] * 2 + [[1] * 9], np.uint8)
    marks = np.zeros((3, 9), np.uint8)
    marks[:2, 2] = marks[2, 3] = 10
    states = np.array([[0, 0], [0, 1], [2, 2]], np.uint8)
    labels = np.array([[2], [2], [5]], np.uint8)
    scipy.io.savemat(
        path, {"im_data": free, "value_data": marks, "state_xy_data": states, "label_data": labels}
    )


def test_states_are_grouped_by_map(tmp_path):
    write_small_file(tmp_path / "small.mat")
    found = read_authors_file(tmp_path / "small.mat")
    np.testing.assert_array_equal(found.obstacles.sum(axis=(1, 2)), [1, 0])
    assert found.obstacles[0, 1, 1] == 1
    assert found.goals.tolist() == [[0, 2], [1, 0]]
    assert found.index.tolist() == [0, 0, 1]
    shown = found.demonstrations()
    assert shown.weights.tolist() == [[1, 1], [1, 0]]
    assert shown.states[0].tolist() == [[0, 0], [0, 1]]
    assert shown.moves[1, 0].nonzero().tolist() == [[5]]


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text.mat").write_bytes(b"not a matrix" * 20)
    scipy.io.savemat(tmp_path / "other.mat", {"im_data": np.ones((2, 9))})
    with pytest.raises(InputError, match=r"expected a \.mat file"):
        read_authors_file(tmp_path / "text.mat")
    with pytest.raises(InputError, match="without value_data, state_xy_data, label_data"):
        read_authors_file(tmp_path / "other.mat")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_authors_file(tmp_path / "nothing.mat")

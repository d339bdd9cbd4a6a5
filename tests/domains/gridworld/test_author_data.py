"""The authors' files are read whole, and our expert labels their states as theirs did."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from vinlab.domains.gridworld import author_data
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


def small_arrays():
    free = np.ones((2, 9), np.float64)
    free[:, 4] = 0
    marks = np.zeros((2, 9))
    marks[:, 2] = 10
    return {
        "im_data": free,
        "value_data": marks,
        "state_xy_data": np.array([[0.0, 0.0], [2.0, 2.0]]),
        "label_data": np.array([[2.0], [0.0]]),
    }


def changed(key, place, number):
    arrays = small_arrays()
    arrays[key] = arrays[key].astype(complex) if isinstance(number, complex) else arrays[key]
    arrays[key][place] = number
    return arrays


NONSENSE = {
    "a label of -1": changed("label_data", (1, 0), -1),
    "a label of 8": changed("label_data", (0, 0), 8),
    "half a label": changed("label_data", (0, 0), 0.5),
    "a label that is no number": changed("label_data", (0, 0), np.nan),
    "a complex label": changed("label_data", (0, 0), 1 + 1j),
    "half a state": changed("state_xy_data", (0, 1), 1.5),
    "a state that is no number": changed("state_xy_data", (0, 1), np.nan),
    "a state off the map": changed("state_xy_data", (0, 1), 3),
    "a negative state": changed("state_xy_data", (0, 1), -1),
    "a state on a wall": changed("state_xy_data", (0,), 1),
    "an endless state": changed("state_xy_data", (0, 0), np.inf),
    "no goal": changed("value_data", (1, 2), 0),
    "two goals": changed("value_data", (1, 3), 10),
    "a negative goal": changed("value_data", (1, 3), -10),
    "a goal that is no number": changed("value_data", (1, 3), np.nan),
    "a goal on a wall": small_arrays() | {"value_data": np.eye(9)[[4, 4]]},
    "a cell of 2": changed("im_data", (0, 0), 2),
    "a cell that is no number": changed("im_data", (0, 0), np.nan),
    "fewer labels": small_arrays() | {"label_data": np.zeros((1, 1))},
    "labels in a row": small_arrays() | {"label_data": np.zeros((1, 2))},
    "states of three numbers": small_arrays() | {"state_xy_data": np.zeros((2, 3))},
    "maps that are not square": small_arrays() | {"im_data": np.ones((2, 8)), "value_data": np.ones((2, 8))},
    "marks of other maps": small_arrays() | {"value_data": np.eye(16)[:2]},
    "no states": {key: array[:0] for key, array in small_arrays().items()},
    "text": small_arrays() | {"label_data": "words"},
    "a structure": small_arrays() | {"im_data": {"a": 1}},
    "cells of arrays": small_arrays() | {"im_data": np.array([[np.zeros(1), np.zeros(2)]], object)},
    "three axes": small_arrays() | {"im_data": np.ones((2, 3, 3))},
}


@pytest.mark.parametrize("name", NONSENSE)
@pytest.mark.parametrize("packed", [True, False])
def test_nonsense_is_refused(tmp_path, name, packed):
    scipy.io.savemat(tmp_path / "a.mat", NONSENSE[name], do_compression=packed)
    with pytest.raises(InputError, match=r"a\.mat: expected"):
        read_authors_file(tmp_path / "a.mat")


def test_a_sound_file_of_floats_is_read(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", small_arrays())
    assert read_authors_file(tmp_path / "a.mat").labels.tolist() == [2, 0]


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_cut_anywhere_is_refused(tmp_path, packed):
    scipy.io.savemat(tmp_path / "a.mat", small_arrays(), do_compression=packed)
    data = (tmp_path / "a.mat").read_bytes()
    for end in (len(data) - 1, len(data) - 8, len(data) // 2, 130, 100, 1):
        (tmp_path / "a.mat").write_bytes(data[:end])
        with pytest.raises(InputError):
            read_authors_file(tmp_path / "a.mat")


def test_a_flipped_bit_in_a_packed_file_is_refused(tmp_path):
    scipy.io.savemat(tmp_path / "a.mat", small_arrays(), do_compression=True)
    data = bytearray((tmp_path / "a.mat").read_bytes())
    data[-3] ^= 1
    (tmp_path / "a.mat").write_bytes(bytes(data))
    with pytest.raises(InputError):
        read_authors_file(tmp_path / "a.mat")


def test_an_array_of_too_many_bytes_is_refused_whatever_its_numbers_take(tmp_path, monkeypatch):
    write_small_file(tmp_path / "a.mat")
    monkeypatch.setattr(author_data, "LARGEST_ARRAY", 27)
    assert len(read_authors_file(tmp_path / "a.mat").obstacles) == 2
    content = {key: array for key, array in scipy.io.loadmat(tmp_path / "a.mat").items() if key[0] != "_"}
    scipy.io.savemat(tmp_path / "a.mat", content | {"im_data": content["im_data"].astype(float)})
    with pytest.raises(InputError, match=r"expected at most 0 MB in im_data, got double of \(3, 9\)"):
        read_authors_file(tmp_path / "a.mat")

"""Datasets in one file: what is read, and a sentence for each thing that cannot be."""

import os

import numpy as np
import pytest

from helpers.path_datasets import arrays, one_path, save
from vinlab.domains.gridworld import files
from vinlab.experiments.terrain_costs.dataset import arrays as dataset_arrays
from vinlab.experiments.terrain_costs.dataset.read import read_dataset
from vinlab.experiments.terrain_costs.dataset.record import ReadingOptions, summary
from vinlab.experiments.terrain_costs.dataset.split import split_dataset
from vinlab.types import InputError


def test_a_file_is_read_as_it_is_described(tmp_path):
    blocked = np.zeros((6, 10, 10), np.uint8)
    held = arrays()
    dataset = read_dataset(save(tmp_path / "data.npz", blocked=blocked))
    assert (len(dataset.images), len(dataset), dataset.channels, dataset.pixels) == (6, 12, 3, 1)
    np.testing.assert_allclose(dataset.images[2], held["observations"][2] / 255, rtol=1e-6)
    np.testing.assert_array_equal(dataset.paths[3], held["paths"][3][: len(dataset.paths[3])])
    assert dataset.costs is not None
    assert "0.0% of" in " ".join(summary(dataset))


def test_gaps_are_filled_along_a_straight_line_and_counted(tmp_path):
    file = save(tmp_path / "data.npz", **one_path([(0, 0), (2, 4), (2, 4), (3, 5)]))
    dataset = read_dataset(file)
    assert dataset.paths[0].tolist() == [[0, 0], [1, 1], [1, 2], [2, 3], [2, 4], [3, 5]]
    words = " ".join(summary(dataset))
    assert "50.0% of 2 moves are not between neighbours; they were filled along straight lines." in words
    assert "1 repeated cells were left out." in words


BAD = {
    "outside": (
        one_path([(0, 0), (0, 10)]),
        r"path 0: expected cells of the 10 x 10 of its image, got \(0, 10\)",
    ),
    "one cell": (one_path([(3, 3), (3, 3)]), "path 0: expected at least 2 different cells, got 1"),
    "empty": (one_path([]), "path 0: expected at least 2 different cells, got 0"),
    "jump": (one_path([(0, 0), (0, 6)]), r"at most 5 apart, got a jump from \(0, 0\) to \(0, 6\)"),
    "blocked": (
        one_path([(0, 0), (0, 1)], blocked=np.ones((6, 10, 10))),
        r"path 0: expected free cells, got the blocked cell \(0, 0\)",
    ),
    "hole": (one_path([(0, 0), (-1, -1), (0, 1)]), "path 0: expected -1 to the end"),
    "nan": (
        {"observations": np.full((6, 1, 10, 10), np.nan)},
        "expected finite numbers, got nan in channel 0 of",
    ),
    "axes": ({"observations": np.zeros((6, 10, 10))}, r"expected numbers of the shape \(N, C, H, W\)"),
    "negative": (
        {"costs": np.full((6, 10, 10), -2.0)},
        r"finite numbers of at least 0, got -2 in cell \(0, 0\)",
    ),
    "other size": (
        {"costs": np.ones((6, 9, 10))},
        r"costs in .*: expected numbers of the shape \(6, 10, 10\)",
    ),
    "grey blocked": ({"blocked": np.full((6, 10, 10), 7)}, "expected only 0 and 1"),
    "owner": ({"path_image": np.full(12, 6)}, "path_image in .*: expected 0 to 5, got 6"),
    "owners": ({"path_image": np.zeros(3, int)}, "expected a whole number for each of 12 paths"),
    "floats": ({"paths": np.zeros((12, 3, 2))}, "expected whole numbers of the shape"),
    "missing": ({"path_image": None}, "got a file without path_image"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used_is_one_sentence(case, tmp_path):
    changes, sentence = BAD[case]
    file = save(tmp_path / "data.npz", **changes)
    with pytest.raises(InputError, match=sentence) as error:
        read_dataset(file)
    assert "data.npz" in str(error.value)
    assert "\n" not in str(error.value)


def test_bad_paths_can_be_left_out_each_with_a_note(tmp_path):
    held = arrays()
    paths = held["paths"].copy()
    paths[4, 0] = (30, 30)
    dataset = read_dataset(save(tmp_path / "data.npz", paths=paths), ReadingOptions(skip_bad=True))
    assert len(dataset) == 11
    assert "Left out" in " ".join(dataset.notes)
    assert "path 4" in " ".join(dataset.notes)


def test_pixels_per_cell_follow_from_arrays_of_cells_or_are_given(tmp_path):
    wide = np.zeros((6, 3, 40, 40), np.uint8)
    assert read_dataset(save(tmp_path / "a.npz", observations=wide)).pixels == 4
    options = ReadingOptions(pixels=4)
    dataset = read_dataset(save(tmp_path / "b.npz", observations=wide, costs=None), options)
    assert (dataset.pixels, dataset.shapes[0]) == (4, (10, 10))


def test_a_split_shares_no_image_and_needs_three(tmp_path):
    split = split_dataset(read_dataset(save(tmp_path / "data.npz")))
    counts = [len(part.images) for part in (split.train, split.validation, split.test)]
    assert counts == [4, 1, 1]
    assert sum(len(part) for part in (split.train, split.validation, split.test)) == 12
    hashes = {
        image.tobytes() for part in (split.train, split.validation, split.test) for image in part.images
    }
    assert len(hashes) == 6
    with pytest.raises(InputError, match=r"expected paths on at least 3 images.*none is left"):
        split_dataset(read_dataset(save(tmp_path / "two.npz", pictures=2)))


def test_a_named_array_says_what_is_held_out(tmp_path):
    part = np.array(["train", "test", "val", "train", "test", "train"])
    options = ReadingOptions(split_by="part")
    split = split_dataset(read_dataset(save(tmp_path / "data.npz", part=part), options))
    assert [len(one.images) for one in (split.train, split.validation, split.test)] == [3, 1, 2]
    none_held_out = save(tmp_path / "none.npz", part=np.where(part == "test", "train", part))
    with pytest.raises(InputError, match="none is left to hold out"):
        split_dataset(read_dataset(none_held_out, options))
    site = np.array([0, 0, 1, 1, 2, 2])
    split = split_dataset(read_dataset(save(tmp_path / "sites.npz", part=site), options))
    assert [len(one.images) for one in (split.train, split.validation, split.test)] == [2, 2, 2]
    assert all(len(set(one.groups)) == 1 for one in (split.train, split.validation, split.test))


def test_the_same_images_are_held_out_again(tmp_path):
    dataset = read_dataset(save(tmp_path / "data.npz"))
    assert split_dataset(dataset).test.hash == split_dataset(dataset).test.hash


def test_datasets_of_neural_astar_are_read_as_they_are(tmp_path):
    free = np.ones((3, 6, 6), np.float32)
    free[:, 2, :4] = 0
    goal = np.zeros((3, 1, 6, 6))
    goal[:, 0, 0, 0] = 1
    moves, distance = np.zeros((3, 8, 1, 6, 6)), np.full((3, 1, 6, 6), -1024.0)
    # A corridor along the first row: all of it moves west, their third move.
    moves[:, 2, 0, 0, 1:] = 1
    distance[:, 0, 0] = -np.arange(6)
    held = {
        f"arr_{4 * part + place}": value
        for part in range(3)
        for place, value in enumerate((free, goal, moves, distance))
    }
    np.savez(tmp_path / "mazes.npz", **held)
    dataset = read_dataset(tmp_path / "mazes.npz")
    assert len(dataset.images) == 9
    assert dataset.paths[0][-1].tolist() == [0, 0]
    assert max(len(path) for path in dataset.paths) == 6
    assert dataset.blocked[0][2, 0]
    split = split_dataset(dataset)
    assert [len(part.images) for part in (split.train, split.validation, split.test)] == [3, 3, 3]
    with pytest.raises(InputError, match="is a dataset of Neural A"):
        read_dataset(tmp_path / "mazes.npz", ReadingOptions(pixels=2))


def neural_astar(**changes):
    """A dataset of Neural A* on maps of 4 x 4 cells whose moves lead left, then up, to the goal in the corner."""
    found = {}
    for part in range(3):
        policy = np.zeros((1, 8, 1, 4, 4))
        policy[:, 2, :, :, 1:] = policy[:, 0, :, 1:, 0] = 1
        distance = -np.add.outer(np.arange(4.0), np.arange(4.0))[None, None]
        arrays = (np.ones((1, 4, 4)), np.zeros((1, 1, 4, 4)), policy, distance)
        found |= {f"arr_{4 * part + place}": array for place, array in enumerate(arrays)}
    return found | changes


def test_a_dataset_of_neural_astar_is_read_along_its_moves(tmp_path):
    np.savez(tmp_path / "data.npz", **neural_astar())
    dataset = read_dataset(tmp_path / "data.npz")
    assert dataset.groups == ("train", "validation", "test")
    assert all(path[-1].tolist() == [0, 0] for path in dataset.paths)


def moving(*moves):
    """A policy whose move in each column is one of these, by number."""
    policy = np.zeros((1, 8, 1, 4, 4))
    for col, move in enumerate(moves):
        policy[0, move, 0, :, col] = 1
    return policy


WIDE = {"arr_0": np.ones((1, 5, 5)), "arr_1": np.ones((1, 1, 5, 5))}
WIDE |= {"arr_2": np.zeros((1, 8, 1, 5, 5)), "arr_3": np.zeros((1, 1, 5, 5))}
NEURAL_ASTAR = {
    "moves off the map": ({"arr_2": moving(1, 1, 1, 1)}, "over free cells to the goal"),
    "moves to and fro": ({"arr_2": moving(1, 2, 1, 2)}, "over free cells to the goal"),
    "walls on the way": ({"arr_0": np.array([[[1, 0, 1, 1]] * 4])}, "over free cells to the goal"),
    "no number": ({"arr_3": np.full((1, 1, 4, 4), np.nan)}, "finite distances"),
    "no moves": ({"arr_2": np.full((1, 8, 1, 4, 4), np.nan)}, "finite numbers for the eight moves"),
    "shades": ({"arr_0": np.full((1, 4, 4), 0.5)}, "only 0 .free. and 1"),
    "no path": (
        {f"arr_{place}": np.zeros((1, 1, 4, 4)) for place in (3, 7, 11)},
        "with paths to their goals",
    ),
    "other sizes": (WIDE, "maps of one size"),
}


@pytest.mark.parametrize("case", NEURAL_ASTAR)
def test_a_hostile_dataset_of_neural_astar_is_one_sentence(case, tmp_path):
    changes, sentence = NEURAL_ASTAR[case]
    np.savez(tmp_path / "data.npz", **neural_astar(**changes))
    with pytest.raises(InputError, match=sentence):
        read_dataset(tmp_path / "data.npz")


def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "data.npz")
    with pytest.raises(InputError, match="got a device or a pipe"):
        read_dataset(tmp_path / "data.npz")


def test_arrays_that_unpack_to_much_in_all_are_refused(tmp_path, monkeypatch):
    held = arrays()
    monkeypatch.setattr(files, "LARGEST_ARRAYS", held["observations"].nbytes + 100)
    with pytest.raises(InputError, match=r"'paths' in .*: expected at least one cell and at most"):
        read_dataset(save(tmp_path / "data.npz"))
    monkeypatch.setattr(files, "LARGEST_ARRAYS", sum(array.nbytes for array in held.values()))
    assert len(read_dataset(save(tmp_path / "data.npz"))) == 12


def test_images_and_paths_that_would_take_much_memory_are_refused(tmp_path, monkeypatch):
    for name, most in {"MOST_VALUES": "observations", "MOST_NUMBERS": "paths"}.items():
        with monkeypatch.context() as patch:
            patch.setattr(dataset_arrays, name, 100)
            with pytest.raises(InputError, match=f"{most} in .*: expected at most 100 numbers, got"):
                read_dataset(save(tmp_path / "data.npz"))

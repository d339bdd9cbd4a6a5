"""The benchmark of Neural A*'s sets: what it measures, and its table."""

import numpy as np

from neural_astar import differing_distances, table
from vinlab.domains.motion.files import read_gppn_mazes


def test_distances_unlike_the_files_are_counted(tmp_path):
    arrays = {f"arr_{place}": np.zeros((1, 1)) for place in range(8)}
    mazes, goals = np.ones((1, 1, 3), np.float32), np.zeros((1, 1, 1, 3))
    goals[0, 0, 0, 0] = 1
    arrays |= {"arr_8": mazes, "arr_9": goals, "arr_10": np.zeros((1, 8, 1, 1, 3))}
    for distances, differ in (((0, -1, -2), 0), ((0, -1, -1024), 1)):
        path = tmp_path / "set.npz"
        np.savez(path, **arrays, arr_11=np.array(distances, float).reshape(1, 1, 1, 3))
        assert differing_distances(path, read_gppn_mazes(path, 1), "eight") == differ


def test_each_file_is_a_row_of_the_table():
    scores = {
        "maps": 2,
        "percent_arrived": 99.5,
        "percent_optimal": 98.0,
        "length_ratio": 1.25,
        "longest": 7.0,
        "distances_that_differ": 0,
        "ms_per_map": 0.5,
    }
    heading, _, row = table({"files": {"a": scores}}).splitlines()
    assert heading.startswith("| file | maps |")
    assert row == "| `a` | 2 | 99.5 | 98 | 1.25 | 7 | 0 | 0.5 |"

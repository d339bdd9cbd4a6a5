"""The benchmark of files in GPPN's layout: cells without a path lower the ceiling, and the network reaches it."""

import numpy as np
import pytest

from gppn import measure


def test_a_closed_cell_lowers_the_ceiling(tmp_path):
    mazes, goals = np.zeros((1, 5, 5)), np.zeros((1, 1, 5, 5))
    mazes[0, 1, 1:4] = mazes[0, 3, 3] = 1  # three cells in a row, and one that is closed
    goals[0, 0, 1, 1] = 1
    np.savez(tmp_path / "mazes.npz", valid_mazes=mazes, valid_goals=goals)
    found = measure(tmp_path / "mazes.npz", "arena/gppn-15/best")
    assert found["ceiling"] == found["percent_success"] == pytest.approx(75.0)
    assert found["percent_optimal"] == 100.0
    assert (found["num_problems"], found["longest"]) == (1, 2.0)

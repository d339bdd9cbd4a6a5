"""A perfect maze is a tree of rooms; removed walls only add paths."""

import numpy as np
import pytest

from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.planning.exact import cost_to_go
from vinlab.types import InputError


@pytest.mark.parametrize("shape", [(3, 5), (9, 9), (11, 21)])
def test_perfect_mazes_are_trees(shape):
    mazes, goals = MazeConfig(removed_walls=0.0).draw(*shape, 50, rng=np.random.default_rng(0))
    rooms = (shape[0] // 2) * (shape[1] // 2)
    assert ((1 - mazes).sum(axis=(1, 2)) == rooms + rooms - 1).all()
    costs = cost_to_go(mazes, goals, num_moves=4)
    assert np.isfinite(costs[mazes == 0]).all()


def test_removed_walls_open_their_share_of_the_walls_between_rooms():
    rng = np.random.default_rng
    perfect, _ = MazeConfig(removed_walls=0.0).draw(21, 21, 100, rng=rng(1))
    open_, _ = MazeConfig(removed_walls=0.3).draw(21, 21, 100, rng=rng(1))
    assert (open_ <= perfect).all()
    walls = 2 * 10 * 9 - 99
    assert (perfect - open_).sum() / (100 * walls) == pytest.approx(0.3, abs=0.02)
    assert open_[:, ::2, ::2].all()


def test_goals_are_free_and_everything_comes_from_the_seed():
    first, second = (MazeConfig().draw(15, 15, 20, rng=np.random.default_rng(2)) for _ in range(2))
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
    assert not first[0][np.arange(20), first[1][:, 0], first[1][:, 1]].any()
    assert len(np.unique(first[0], axis=0)) == 20


def test_impossible_settings_are_refused():
    with pytest.raises(InputError, match="odd sizes"):
        MazeConfig().draw(8, 9, 1, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="expected 0 to 1"):
        MazeConfig(removed_walls=2.0)

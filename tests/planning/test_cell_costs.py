"""One cost a cell: the rule of scikit-image's geometric routes."""

import numpy as np
import pytest
from skimage.graph import route_through_array

from vinlab.planning.cell_costs import cheapest_moves, path_cost
from vinlab.types import MOVE_OFFSETS, InputError


def follow(moves, start, goal):
    path = [start]
    while path[-1] != goal:
        path.append(tuple(np.array(path[-1]) + MOVE_OFFSETS[moves[path[-1]]]))
    return np.array(path)


@pytest.mark.parametrize("seed", range(20))
def test_cheapest_paths_cost_what_scikit_image_finds(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(3, 25, 2))
    costs = rng.uniform(0.1, 30, shape)
    blocked = rng.random(shape) < 0.2
    start, goal = (tuple(int(rng.integers(side)) for side in shape) for _ in range(2))
    blocked[start] = blocked[goal] = False
    moves, found = cheapest_moves(costs[None], np.array([goal]), blocked[None])
    try:
        _, expected = route_through_array(
            np.where(blocked, -1, costs), start, goal, fully_connected=True, geometric=True
        )
    except ValueError:
        assert found[0][start] == np.inf
        return
    assert found[0][start] == pytest.approx(expected)
    path = follow(moves[0], start, goal)
    assert path_cost(costs, path) == pytest.approx(expected)
    assert not blocked[tuple(path.T)].any()


def test_free_ground_may_cost_nothing():
    costs = np.ones((1, 5, 5))
    costs[0, 2] = 0.0
    moves, found = cheapest_moves(costs, np.array([[2, 4]]))
    assert found[0, 2, 0] < 1e-6
    assert moves[0, 2, 4] == -1


@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
def test_costs_below_zero_or_not_finite_are_refused(wrong):
    costs = np.ones((1, 3, 3))
    costs[0, 1, 1] = wrong
    with pytest.raises(InputError, match="expected finite costs of at least 0"):
        cheapest_moves(costs, np.array([[0, 0]]))

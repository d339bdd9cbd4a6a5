"""Planning on graded grids equals independent libraries."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from skimage.graph import MCP_Geometric, route_through_array

from helpers.graded_grids import random_grid
from vinlab.planning.graded import GradedGrid, graded_cost_to_go, graded_path_cost
from vinlab.planning.replanning import CostField
from vinlab.types import MOVE_COSTS, MOVE_OFFSETS, InputError


def scipy_costs(grid: GradedGrid, goals: list[tuple[int, int]]) -> np.ndarray:
    """The cost to go by SciPy's Dijkstra, on the graph of the moves turned round."""
    rows, cols = grid.shape
    moves = grid.move_costs()
    move, row, col = np.nonzero(np.isfinite(moves))
    sources = row * cols + col
    targets = sources + MOVE_OFFSETS[move] @ (cols, 1)
    graph = csr_matrix((moves[move, row, col], (targets, sources)), shape=(rows * cols,) * 2)
    ends = [row * cols + col for row, col in goals]
    return dijkstra(graph, indices=ends, min_only=True).reshape(rows, cols)


def many_grids(rng: np.random.Generator, count: int) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Random grids side by side, with blocked cells between them, so that one search plans on all; and their goals."""
    across, side = 32, 16
    cells = np.full((-(-count // across) * side, across * side), np.inf)
    goals = []
    for number in range(count):
        top, left = side * (number // across), side * (number % across)
        grid, (row, col) = random_grid(rng, number)
        rows, cols = grid.shape
        cells[top : top + rows, left : left + cols] = grid.cells
        goals.append((top + row, left + col))
    return cells, goals


def test_cost_to_go_equals_scipy_and_scikit_image_on_1000_random_maps():
    cells, goals = many_grids(np.random.default_rng(0), 1000)
    image = np.where(np.isfinite(cells), cells, -1.0)
    theirs, _ = MCP_Geometric(image, fully_connected=True).find_costs(goals)
    np.testing.assert_allclose(graded_cost_to_go(GradedGrid(cells), goals), theirs, rtol=1e-12)
    for corner_cutting in (True, False):
        grid = GradedGrid(cells, corner_cutting=corner_cutting)
        np.testing.assert_allclose(graded_cost_to_go(grid, goals), scipy_costs(grid, goals), rtol=1e-12)


def test_cost_to_go_on_small_maps_alone():
    rng = np.random.default_rng(0)
    for number in range(60):
        grid, goal = random_grid(rng, number)
        np.testing.assert_allclose(graded_cost_to_go(grid, [goal]), scipy_costs(grid, [goal]), rtol=1e-12)


def test_paths_cost_what_the_field_and_scikit_image_say():
    rng = np.random.default_rng(1)
    for number in range(0, 200, 2):
        grid, goal = random_grid(rng, number)
        field = CostField(grid, [goal])
        starts = np.argwhere(np.isfinite(field.costs))
        start = tuple(starts[rng.integers(len(starts))].tolist())
        path = field.path(start)
        assert (tuple(path[0]), tuple(path[-1])) == (start, goal)
        assert graded_path_cost(grid, path) == pytest.approx(field.cost_from(start), rel=1e-12)
        image = np.where(np.isfinite(grid.cells), grid.cells, -1.0)
        _, theirs = route_through_array(image, start, goal, fully_connected=True, geometric=True)
        assert field.cost_from(start) == pytest.approx(theirs, rel=1e-12)


def test_uphill_and_downhill_moves_have_their_own_costs():
    rng = np.random.default_rng(2)
    for number in range(60):
        grid, goal = random_grid(rng, number)
        moves = rng.uniform(0.5, 3.0, (8, *grid.shape))
        moves[rng.random(moves.shape) < 0.1] = np.inf
        grid = GradedGrid(grid.cells, moves, grid.corner_cutting)
        costs = graded_cost_to_go(grid, [goal])
        np.testing.assert_allclose(costs, scipy_costs(grid, [goal]), rtol=1e-12)
        path = CostField(grid, [goal]).path(goal)
        assert path.tolist() == [list(goal)]


def test_the_nearest_of_several_goals_counts():
    rng = np.random.default_rng(3)
    for number in range(100):
        grid, goal = random_grid(rng, number)
        others = [tuple(rng.integers(0, grid.shape).tolist()) for _ in range(2)]
        goals = [goal, *(other for other in others if np.isfinite(grid.cells[other]))]
        costs = graded_cost_to_go(grid, goals)
        np.testing.assert_allclose(costs, scipy_costs(grid, goals), rtol=1e-12)
        alone = [graded_cost_to_go(grid, [one]) for one in goals]
        np.testing.assert_array_equal(costs, np.min(alone, axis=0))


def test_without_costs_a_path_is_as_long_as_on_a_plain_map():
    from vinlab.planning.exact import cost_to_go

    rng = np.random.default_rng(4)
    obstacles = (rng.random((20, 30, 30)) < 0.3).astype(np.uint8)
    goals = np.zeros((20, 2), np.int64)
    obstacles[:, 0, 0] = 0
    for corner_cutting in (True, False):
        plain = cost_to_go(obstacles, goals, corner_cutting=corner_cutting)
        for one, expected in zip(obstacles, plain, strict=True):
            grid = GradedGrid(np.where(one == 1, np.inf, 1.0), corner_cutting=corner_cutting)
            np.testing.assert_allclose(graded_cost_to_go(grid, [(0, 0)]), expected, rtol=1e-12)


def test_move_costs_are_lengths_times_the_mean_of_two_cells():
    cells = np.array([[1.0, 3.0], [5.0, np.inf]])
    moves = GradedGrid(cells).move_costs()
    assert (moves[2, 0, 0], moves[1, 0, 0], moves[0, 1, 0]) == (2.0, 3.0, 3.0)
    assert moves[4, 1, 0] == MOVE_COSTS[4] * 4.0
    assert np.isfinite(moves).sum() == 6
    assert np.isfinite(GradedGrid(cells, corner_cutting=False).move_costs()).sum() == 4


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, 1e30, -np.inf])
def test_costs_that_cannot_be_added_up_are_refused(wrong):
    with pytest.raises(InputError, match="costs: expected costs above zero"):
        GradedGrid(np.array([[1.0, wrong]]))
    with pytest.raises(InputError, match="moves: expected costs above zero"):
        GradedGrid(np.ones((1, 1)), np.full((8, 1, 1), wrong))


def test_moves_of_another_shape_and_goals_off_the_map_are_refused():
    with pytest.raises(InputError, match="expected costs of moves on"):
        GradedGrid(np.ones((2, 2)), np.ones((8, 2, 3)))
    grid = GradedGrid(np.ones((2, 2)))
    for goals, words in (
        ([(2, 0)], "expected cells of a map"),
        ([(0.5, 0)], "whole numbers"),
        ([], "expected"),
    ):
        with pytest.raises(InputError, match=words):
            graded_cost_to_go(grid, goals)
    with pytest.raises(InputError, match="expected moves between neighbouring cells"):
        graded_path_cost(grid, np.array([[0, 0], [0, 0]]))


def test_costs_that_are_given_move_by_move_plan_as_an_array_of_all():
    rng = np.random.default_rng(5)
    cells = np.where(rng.random((12, 15)) < 0.2, np.inf, 1.0)
    cells[3, 4] = 1.0
    moves = rng.uniform(0.5, 3.0, (8, 12, 15))
    for corner_cutting in (True, False):
        whole, parts = (
            GradedGrid(cells, given, corner_cutting) for given in (moves, lambda move: moves[move])
        )
        np.testing.assert_array_equal(graded_cost_to_go(whole, (3, 4)), graded_cost_to_go(parts, (3, 4)))
        path = CostField(parts, (3, 4)).path((11, 14))
        assert graded_path_cost(whole, path) == graded_path_cost(parts, path)
    with pytest.raises(InputError, match="moves: expected costs above zero"):
        graded_cost_to_go(GradedGrid(cells, lambda move: -moves[move]), (3, 4))

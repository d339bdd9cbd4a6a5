"""A field that was corrected equals one of a new search, to the last bit."""

from itertools import pairwise

import numpy as np
import pytest

from helpers.graded_grids import random_cells, random_grid
from vinlab.planning.graded import GradedGrid
from vinlab.planning.replanning import CostField
from vinlab.types import MOVE_OFFSETS, InputError


def random_change(rng: np.random.Generator, grid: GradedGrid, kind: int) -> tuple[np.ndarray, np.ndarray]:
    """Cells all over the grid or in one window, and their new costs, some of them blocked."""
    rows, cols = grid.shape
    if rng.random() < 0.5:
        count = int(rng.integers(1, max(2, rows * cols // 5)))
        cells = np.stack([rng.integers(0, rows, count), rng.integers(0, cols, count)], axis=1)
    else:
        top, left = rng.integers(0, rows), rng.integers(0, cols)
        cells = np.argwhere(np.ones((min(4, rows - top), min(4, cols - left)))) + (top, left)
    return cells, random_cells(rng, (len(cells), 1), kind)[:, 0]


def test_1000_random_edits_equal_a_new_search():
    rng = np.random.default_rng(0)
    edits = 0
    while edits < 1000:
        grid, goal = random_grid(rng, edits // 5)
        goals = [goal, tuple(rng.integers(0, grid.shape).tolist())][: 1 + edits % 2]
        field = CostField(grid, goals)
        for _ in range(5):
            cells, costs = random_change(rng, grid, edits // 5 % 3)
            field.update(cells, costs)
            np.testing.assert_array_equal(field.costs, CostField(field.grid, goals).costs)
            edits += 1


def test_edits_of_moves_equal_a_new_search():
    rng = np.random.default_rng(1)
    for number in range(100):
        grid, goal = random_grid(rng, number)
        grid = GradedGrid(grid.cells, rng.uniform(0.5, 3.0, (8, *grid.shape)), grid.corner_cutting)
        field = CostField(grid, [goal])
        for _ in range(3):
            cells, _ = random_change(rng, grid, 0)
            cells = np.unique(cells, axis=0)
            known = field.grid
            assert known.moves is not None
            moves = known.moves[:, *cells.T].T * rng.uniform(0.3, 3.0, (len(cells), 8))
            field.update_moves(cells, known.cells[tuple(cells.T)], moves)
            np.testing.assert_array_equal(field.costs, CostField(field.grid, [goal]).costs)


def test_only_what_follows_from_a_change_is_computed_anew():
    field = CostField(GradedGrid(np.random.default_rng(0).uniform(1, 2, (100, 100))), [(0, 0)])
    field.update([(99, 99)], [5.0])
    assert field.recomputed <= 9
    field.update([], [])
    assert field.recomputed == 0


def test_a_repair_that_would_take_longer_than_a_search_is_one():
    rng = np.random.default_rng(0)
    field = CostField(GradedGrid(rng.uniform(1, 2, (60, 60))), [(0, 0)])
    cells = np.argwhere(np.ones((60, 60)))
    field.update(cells, np.exp(rng.uniform(0, 9, 3600)))
    assert field.recomputed > 3600
    np.testing.assert_array_equal(field.costs, CostField(field.grid, [(0, 0)]).costs)
    field.update([(30, 30)], [9.0])
    np.testing.assert_array_equal(field.costs, CostField(field.grid, [(0, 0)]).costs)


def test_costs_over_many_orders_of_magnitude():
    rng = np.random.default_rng(0)
    for _ in range(20):
        field = CostField(GradedGrid(10 ** rng.uniform(-8, 19, (20, 20))), [(3, 3)])
        field.update(rng.integers(0, 20, (9, 2)), 10 ** rng.uniform(-8, 19, 9))
        np.testing.assert_array_equal(field.costs, CostField(field.grid, [(3, 3)]).costs)


def test_a_goal_that_is_blocked_and_freed_again():
    field = CostField(GradedGrid(np.ones((5, 5))), [(2, 2)])
    before = field.costs
    field.update([(2, 2)], [np.inf])
    assert np.isinf(field.costs).all()
    assert field.path((0, 0)).tolist() == [[0, 0]]
    field.update([(2, 2)], [1.0])
    np.testing.assert_array_equal(field.costs, before)


def test_a_change_that_is_refused_changes_nothing():
    field = CostField(GradedGrid(np.ones((4, 4))), [(0, 0)])
    before = field.costs
    for cells, costs, words in (
        ([(0, 4)], [1.0], "expected cells of a map of 4 x 4"),
        ([(0, 1)], [-1.0], "expected costs above zero"),
        ([(0, 1)], [np.nan], "expected costs above zero"),
        ([(0, 1)], [1.0, 2.0], "expected one for each of 1 cells"),
        ([(0.5, 1)], [1.0], "expected whole numbers"),
    ):
        with pytest.raises(InputError, match=words):
            field.update(cells, costs)
    with pytest.raises(InputError, match="expected a grid with a cost for each move"):
        field.update_moves([(0, 0)], [1.0], np.ones((1, 8)))
    np.testing.assert_array_equal(field.costs, before)


@pytest.mark.parametrize("corner_cutting", [True, False])
@pytest.mark.parametrize("kind", range(3))
def test_scattered_edits_of_larger_grids_equal_a_new_search(kind, corner_cutting):
    rng = np.random.default_rng(10 * kind + corner_cutting)
    cells = random_cells(rng, (60, 70), kind)
    cells[30, 30] = 1.0
    field = CostField(GradedGrid(cells, corner_cutting=corner_cutting), [(30, 30), (2, 2)])
    for share in (0.01, 0.03, 0.1, 0.5):
        for _ in range(8):
            places = np.argwhere(rng.random(cells.shape) < share)
            field.update(places, random_cells(rng, (len(places), 1), kind)[:, 0])
            np.testing.assert_array_equal(field.costs, CostField(field.grid, [(30, 30), (2, 2)]).costs)


@pytest.mark.parametrize("where", ["scattered", "window"])
@pytest.mark.parametrize("corner_cutting", [True, False])
def test_costs_that_rise_or_fall_and_cells_that_are_blocked_or_freed(where, corner_cutting):
    rng = np.random.default_rng(3 + corner_cutting)
    cells = random_cells(rng, (90, 85), 2)
    cells[40, 40] = 1.0
    field = CostField(GradedGrid(cells, corner_cutting=corner_cutting), [(40, 40)])
    for change in (lambda old: 3 * old, lambda old: old / 3, lambda old: np.inf, lambda old: 2.0) * 6:
        chosen = rng.random(cells.shape) < 0.02
        if where == "window":
            top, left = rng.integers(0, 80, 2)
            chosen[:] = False
            chosen[top : top + 10, left : left + 10] = True
        chosen[40, 40] = False
        places = np.argwhere(chosen)
        field.update(places, change(field.grid.cells[chosen]))
        anew = CostField(field.grid, [(40, 40)])
        np.testing.assert_array_equal(field.costs, anew.costs)
        np.testing.assert_array_equal(field.path((3, 80)), anew.path((3, 80)))


def test_a_door_that_opens_a_closed_room_and_closes_again():
    cells = np.random.default_rng(0).uniform(1, 9, (64, 64))
    cells[:, 32] = np.inf
    field = CostField(GradedGrid(cells, corner_cutting=False), [(0, 0)])
    scattered = np.argwhere(np.random.default_rng(1).random((64, 64)) < 0.1)
    for door in (3.0, np.inf, 3.0):
        cells[tuple(scattered.T)] = np.where(scattered[:, 1] == 32, np.inf, 2.0)
        cells[40, 32] = door
        field.update(scattered, cells[tuple(scattered.T)])
        field.update([(40, 32)], [door])
        assert np.isfinite(field.cost_from((63, 63))) == np.isfinite(door)
        np.testing.assert_array_equal(field.costs, CostField(GradedGrid(cells, None, False), [(0, 0)]).costs)


def test_a_change_of_few_cells_that_concerns_most_of_the_grid():
    rng = np.random.default_rng(2)
    for _ in range(10):
        field = CostField(GradedGrid(rng.uniform(1, 9, (80, 80))), [(0, 0)])
        field.update(np.argwhere(np.ones((3, 3)))[1:], rng.uniform(1, 90, 8))
        np.testing.assert_array_equal(field.costs, CostField(field.grid, [(0, 0)]).costs)


@pytest.mark.parametrize("with_moves", [False, True])
def test_the_moves_of_a_path_cost_what_the_field_says(with_moves):
    rng = np.random.default_rng(4)
    for number in range(30):
        grid, goal = random_grid(rng, number)
        if with_moves:
            grid = GradedGrid(grid.cells, rng.uniform(0.5, 3.0, (8, *grid.shape)), grid.corner_cutting)
        field = CostField(grid, [goal])
        for start in np.argwhere(np.isfinite(field.costs))[:20].tolist():
            path = field.path(tuple(start))
            assert (path[0].tolist(), path[-1].tolist()) == (start, list(goal))
            assert cost_of(grid, path) == pytest.approx(field.cost_from(tuple(start)), rel=1e-12)


def cost_of(grid: GradedGrid, path: np.ndarray) -> float:
    """The costs of the moves of a path, added up."""
    total = 0.0
    for here, there in pairwise(path.tolist()):
        step = np.subtract(there, here)
        move = int(np.flatnonzero((step == MOVE_OFFSETS).all(axis=1))[0])
        if grid.moves is not None:
            total += grid.moves[move, *here]
        else:
            total += np.hypot(*step) * (grid.cells[*here] + grid.cells[*there]) / 2
    return total

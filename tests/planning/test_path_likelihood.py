"""Sums over all paths, against the inverse of a matrix and against finite differences."""

import numpy as np
import pytest
import torch

from vinlab.planning.cell_costs import cell_move_costs, free_moves
from vinlab.planning.costs import CostMap, terminals_at
from vinlab.planning.path_likelihood import log_partition
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.types import MOVE_OFFSETS


def plan_of(cells, goals, blocked=None):
    allowed = None if blocked is None else free_moves(blocked)
    terminals = terminals_at(goals[:, None], *cells.shape[1:])
    return ShortestPathPlanner()(CostMap(cell_move_costs(cells), terminals, allowed))


def by_matrix(cells, start, goal, blocked=None):
    """Log Z by solving (I - M) z = e, with M the weights of single moves."""
    rows, cols = cells.shape
    costs = cell_move_costs(torch.from_numpy(cells)[None])[0].numpy()
    weights = np.zeros((rows * cols, rows * cols))
    for row, col in np.ndindex(rows, cols):
        for move, (down, right) in enumerate(MOVE_OFFSETS.tolist()):
            there = row + down, col + right
            inside = 0 <= there[0] < rows and 0 <= there[1] < cols
            if inside and (row, col) != goal and not (blocked is not None and blocked[there]):
                weights[row * cols + col, there[0] * cols + there[1]] = np.exp(-costs[move, row, col])
    end = np.zeros(rows * cols)
    end[goal[0] * cols + goal[1]] = 1.0
    return np.log(np.linalg.solve(np.eye(rows * cols) - weights, end)[start[0] * cols + start[1]])


@pytest.mark.parametrize("seed", range(5))
def test_the_sum_over_all_paths_is_that_of_the_matrix(seed):
    rng = np.random.default_rng(seed)
    cells = rng.uniform(2.1, 8.0, (2, 6, 7))
    blocked = rng.random((2, 6, 7)) < 0.15
    blocked[:, 0, 0] = blocked[:, 5, 6] = False
    goals, starts = torch.tensor([[5, 6], [0, 0]]), torch.tensor([[0, 0], [5, 6]])
    plan = plan_of(torch.from_numpy(cells), goals, torch.from_numpy(blocked))
    found = log_partition(plan, starts)
    ends = [((0, 0), (5, 6)), ((5, 6), (0, 0))]
    expected = [by_matrix(cells[index], *ends[index], blocked[index]) for index in range(2)]
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


def test_the_gradient_equals_finite_differences():
    torch.manual_seed(0)
    cells = (2.1 + 4 * torch.rand(2, 4, 5, dtype=torch.float64)).requires_grad_()
    goals, starts = torch.tensor([[3, 4], [1, 1]]), torch.tensor([[0, 0], [3, 0]])

    def log_sum(cells):
        return log_partition(plan_of(cells, goals), starts)

    assert torch.autograd.gradcheck(log_sum, (cells,), eps=1e-5, atol=1e-5)


def test_a_distant_goal_does_not_underflow():
    cells = torch.full((1, 3, 400), 50.0)
    found = log_partition(plan_of(cells, torch.tensor([[1, 399]])), torch.tensor([[1, 0]]))
    assert found.item() == pytest.approx(-50.0 * 399, rel=1e-5)

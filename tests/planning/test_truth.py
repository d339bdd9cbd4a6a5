"""The planner with hand-set kernels is value iteration: it equals the textbook's on the same decision process."""

import numpy as np
import pytest
import torch

from vinlab.modules import move_kernels
from vinlab.planning import GridPlanner, SharedKernels
from vinlab.planning.exact import cost_to_go, exact_value_iteration
from vinlab.types import MOVE_OFFSETS

DISCOUNT = 0.9


def random_local_moves(rng, actions):
    """For each action a probability of each of the nine cells around, itself included."""
    return rng.dirichlet(np.full(9, 0.3), size=actions).reshape(actions, 3, 3)


def process_on_grid(moves, rows, cols):
    """The explicit process: cells and one absorbing state outside the map, without reward."""
    cells = rows * cols
    probabilities = np.zeros((len(moves), cells + 1, cells + 1))
    probabilities[:, cells, cells] = 1.0
    for row in range(rows):
        for col in range(cols):
            for down in range(3):
                for right in range(3):
                    to_row, to_col = row + down - 1, col + right - 1
                    inside = 0 <= to_row < rows and 0 <= to_col < cols
                    target = to_row * cols + to_col if inside else cells
                    probabilities[:, row * cols + col, target] += moves[:, down, right]
    return probabilities


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize(("rows", "cols", "iterations"), [(1, 1, 3), (1, 6, 5), (5, 4, 1), (7, 6, 12)])
def test_the_planner_equals_textbook_value_iteration_on_random_maps(rows, cols, iterations, dtype):
    rng = np.random.default_rng(rows * 100 + cols)
    moves = random_local_moves(rng, actions=5)
    reward = rng.normal(size=(rows, cols))
    exact = exact_value_iteration(
        np.append(reward.ravel(), 0.0),
        process_on_grid(moves, rows, cols),
        discount=DISCOUNT,
        iterations=iterations,
    )
    here = torch.zeros(5, 1, 3, 3, dtype=dtype)
    here[:, 0, 1, 1] = 1.0
    kernels = SharedKernels(reward=here, value=torch.tensor(DISCOUNT * moves[:, None], dtype=dtype))
    plan = GridPlanner(iterations=iterations)(torch.tensor(reward[None, None], dtype=dtype), kernels)
    tolerance = 1e-12 if dtype == torch.float64 else 1e-5
    np.testing.assert_allclose(plan.value[0, 0].numpy().ravel(), exact[:-1], rtol=tolerance, atol=tolerance)


def test_with_move_kernels_the_planner_finds_how_many_moves_the_goal_is_away():
    """Entering a cell costs 1, an obstacle 1000, the goal nothing: the value counts the cells before the goal."""
    rng = np.random.default_rng(7)
    obstacles = (rng.random((20, 9, 11)) < 0.25).astype(np.uint8)
    obstacles[:, 4, 5] = 0
    goals = np.tile([4, 5], (20, 1))
    kernels = move_kernels(actions=9, discount=1.0, std=0.0)
    # The ninth action stays where it is for nothing at the goal, and is never worth it elsewhere.
    kernels.reward[8, 0, 1, 1], kernels.value[8, 0, 1, 1] = 1.0, 1.0
    reward = torch.where(torch.tensor(obstacles) == 1, -1000.0, -1.0)[:, None]
    reward[:, 0, 4, 5] = 0.0
    outside = torch.nn.functional.pad(reward, (1, 1, 1, 1), value=-1000.0)
    value = GridPlanner(iterations=60)(outside, kernels).value[:, 0, 1:-1, 1:-1].numpy()
    for problem in range(20):
        moves = breadth_first(obstacles[problem], (4, 5))
        reachable = np.isfinite(moves)
        np.testing.assert_array_equal(-value[problem][reachable], np.maximum(moves[reachable] - 1, 0))
        assert (np.isfinite(cost_to_go(obstacles, goals)[problem]) == reachable).all()


def breadth_first(obstacles, goal):
    """How many king's moves each free cell is from the goal."""
    moves = np.full(obstacles.shape, np.inf)
    moves[goal], front = 0, [goal]
    while front:
        ahead = []
        for row, col in front:
            for down, right in MOVE_OFFSETS:
                place = (row + down, col + right)
                inside = 0 <= place[0] < obstacles.shape[0] and 0 <= place[1] < obstacles.shape[1]
                if inside and not obstacles[place] and np.isinf(moves[place]):
                    moves[place] = moves[row, col] + 1
                    ahead.append(place)
        front = ahead
    return moves

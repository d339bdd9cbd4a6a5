"""Value iteration equals solved equations; shortest paths equal SciPy's and scikit-image's."""

import numpy as np
import pytest
import torch
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra
from skimage.graph import MCP_Geometric

from vinlab.planning.exact import action_values, cost_to_go, exact_value_iteration, weighted_cost_to_go
from vinlab.types import MOVE_COSTS, MOVE_OFFSETS, InputError

SHAPES = [(1, 9), (4, 7), (9, 9), (12, 5)]
MAPS_OF_EACH_SHAPE = 250


def random_maps(shape, count, rng):
    obstacles = (rng.random((count, *shape)) < rng.uniform(0, 0.5, (count, 1, 1))).astype(np.uint8)
    goals = rng.integers(0, shape, size=(count, 2))
    obstacles[np.arange(count), goals[:, 0], goals[:, 1]] = 0
    return obstacles, goals


def scipy_cost_to_go(blocked, goal, *, corner_cutting, num_moves=8):
    """The same by SciPy, from a list of edges written cell by cell."""
    height, width = blocked.shape
    free = {(row, col) for row in range(height) for col in range(width) if not blocked[row, col]}
    edges = []
    for row, col in free:
        for (down, right), length in zip(MOVE_OFFSETS[:num_moves], MOVE_COSTS, strict=False):
            target, corners = (row + down, col + right), {(row + down, col), (row, col + right)}
            if target in free and (corner_cutting or corners <= free):
                edges.append((row * width + col, target[0] * width + target[1], length))
    starts, ends, lengths = np.array(edges).reshape(-1, 3).T
    graph = coo_matrix((lengths, (ends.astype(int), starts.astype(int))), shape=(blocked.size,) * 2)
    return dijkstra(graph.tocsr(), indices=goal[0] * width + goal[1]).reshape(height, width)


@pytest.mark.parametrize("corner_cutting", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_cost_to_go_is_scipys(shape, corner_cutting):
    obstacles, goals = random_maps(shape, MAPS_OF_EACH_SHAPE, np.random.default_rng(sum(shape)))
    ours = cost_to_go(obstacles, goals, corner_cutting=corner_cutting)
    for blocked, goal, costs in zip(obstacles, goals, ours, strict=True):
        theirs = scipy_cost_to_go(blocked, goal, corner_cutting=corner_cutting)
        np.testing.assert_allclose(costs, theirs, rtol=0, atol=1e-9)


def test_cost_to_go_is_scikit_images():
    obstacles, goals = random_maps((28, 28), 50, np.random.default_rng(0))
    for blocked, goal, costs in zip(obstacles, goals, cost_to_go(obstacles, goals), strict=True):
        theirs, _ = MCP_Geometric(np.where(blocked, -1.0, 1.0)).find_costs([tuple(goal)])
        np.testing.assert_allclose(costs, np.where(blocked, np.inf, theirs), rtol=0, atol=1e-9)


def test_four_moves_leave_the_diagonals_out():
    obstacles, goals = random_maps((7, 8), 50, np.random.default_rng(1))
    for blocked, goal, costs in zip(obstacles, goals, cost_to_go(obstacles, goals, num_moves=4), strict=True):
        theirs = scipy_cost_to_go(blocked, goal, corner_cutting=True, num_moves=4)
        np.testing.assert_array_equal(costs, theirs)


def test_corner_rules_differ_where_two_obstacles_touch():
    blocked = np.array([[[0, 1], [1, 0]]], np.uint8)
    goals = np.array([[1, 1]])
    assert cost_to_go(blocked, goals)[0, 0, 0] == np.sqrt(2)
    assert cost_to_go(blocked, goals, corner_cutting=False)[0, 0, 0] == np.inf


def test_blocked_goal_is_reached_from_nowhere():
    costs = cost_to_go(np.ones((1, 1, 3), np.uint8), np.array([[0, 1]]))
    assert np.isinf(costs).all()


def test_large_winding_corridor_is_walked_to_its_end():
    side = 401
    blocked = np.zeros((1, side, side), np.uint8)
    blocked[0, 1::2] = 1
    blocked[0, 1::4, -1] = blocked[0, 3::4, 0] = 0
    costs = cost_to_go(blocked, np.array([[0, 0]]), num_moves=4)
    assert costs[0, -1, -1] == (side // 2) * (side - 1 + 2) + side - 1


def test_costs_do_not_depend_on_threads():
    import numba

    obstacles, goals = random_maps((16, 16), 64, np.random.default_rng(2))
    threads = numba.get_num_threads()
    many = cost_to_go(obstacles, goals)
    try:
        numba.set_num_threads(1)
        np.testing.assert_array_equal(cost_to_go(obstacles, goals), many)
    finally:
        numba.set_num_threads(threads)


def test_shortest_paths_refuse_what_makes_no_sense():
    blocked = np.zeros((1, 3, 3), np.uint8)
    with pytest.raises(InputError, match="cells of maps of 3 x 3"):
        cost_to_go(blocked, np.array([[0, 3]]))
    with pytest.raises(InputError, match="num_moves: expected 4"):
        cost_to_go(blocked, np.array([[0, 0]]), num_moves=6)


def random_process(rng, actions=3, states=6):
    probabilities = rng.random((actions, states, states))
    return rng.normal(size=(actions, states)), probabilities / probabilities.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("seed", range(5))
def test_settled_value_solves_the_best_policys_equations(seed):
    reward, probabilities = random_process(np.random.default_rng(seed))
    value = exact_value_iteration(reward, probabilities, discount=0.9, tolerance=1e-10)
    best = action_values(reward, probabilities, value, discount=0.9).argmax(axis=0)
    states = np.arange(len(value))
    solved = np.linalg.solve(np.eye(len(value)) - 0.9 * probabilities[best, states], reward[best, states])
    np.testing.assert_allclose(value, solved, atol=1e-9)


def test_each_iteration_is_one_backup_from_zero():
    reward, probabilities = random_process(np.random.default_rng(7))
    value = np.zeros(6)
    for iterations in range(4):
        found = exact_value_iteration(reward, probabilities, discount=0.8, iterations=iterations)
        np.testing.assert_array_equal(found, value)
        value = action_values(reward, probabilities, value, discount=0.8).max(axis=0)


def test_reward_of_states_is_the_same_for_all_actions():
    _, probabilities = random_process(np.random.default_rng(3))
    reward = np.arange(6.0)
    of_states = exact_value_iteration(reward, probabilities, discount=0.5)
    np.testing.assert_array_equal(
        of_states, exact_value_iteration(np.tile(reward, (3, 1)), probabilities, discount=0.5)
    )


def test_value_iteration_on_a_map_is_the_negative_cost_to_go():
    obstacles, goals = random_maps((4, 5), 1, np.random.default_rng(5))
    obstacles[:] = 0
    height, width = obstacles.shape[1:]
    goal = goals[0, 0] * width + goals[0, 1]
    probabilities, reward = np.zeros((8, 20, 20)), np.zeros((8, 20))
    for move, (offset, length) in enumerate(zip(MOVE_OFFSETS, MOVE_COSTS, strict=True)):
        for state in range(20):
            row, col = np.array(divmod(state, width)) + offset
            stays = state == goal or not (0 <= row < height and 0 <= col < width)
            probabilities[move, state, state if stays else row * width + col] = 1
            reward[move, state] = 0 if state == goal else -length
    value = exact_value_iteration(reward, probabilities, discount=1.0)
    np.testing.assert_allclose(value.reshape(height, width), -cost_to_go(obstacles, goals)[0], atol=1e-9)


def test_value_iteration_refuses_what_is_no_process():
    reward, probabilities = random_process(np.random.default_rng(0))
    with pytest.raises(InputError, match="add up to 1"):
        exact_value_iteration(reward, probabilities * 2, discount=0.9)
    with pytest.raises(InputError, match="expected 0 to 1"):
        exact_value_iteration(reward, probabilities, discount=1.5)


def dijkstra_with_entry_costs(entry_costs, goal):
    """The cost of the cheapest path from each cell, by SciPy on the graph of moves."""
    height, width = entry_costs.shape
    cells = np.arange(height * width).reshape(height, width)
    sources, targets, weights = [], [], []
    for (down, right), length in zip(MOVE_OFFSETS, MOVE_COSTS, strict=True):
        for row, col in np.ndindex(height, width):
            to_row, to_col = row + down, col + right
            if 0 <= to_row < height and 0 <= to_col < width:
                sources.append(cells[row, col])
                targets.append(cells[to_row, to_col])
                weights.append(length + entry_costs[to_row, to_col])
    graph = coo_matrix((weights, (targets, sources)), shape=(height * width,) * 2)  # from the goal backwards
    return dijkstra(graph.tocsr(), indices=cells[goal]).reshape(height, width)


@pytest.mark.parametrize("shape", SHAPES)
def test_weighted_costs_equal_those_of_dijkstra(shape):
    rng = np.random.default_rng(0)
    entry_costs = rng.exponential(2.0, (5, *shape))
    goals = rng.integers(0, shape, size=(5, 2))
    through = weighted_cost_to_go(torch.from_numpy(entry_costs), torch.from_numpy(goals)).numpy()
    for index, goal in enumerate(map(tuple, goals)):
        expected = dijkstra_with_entry_costs(entry_costs[index], goal)
        others = np.ones(shape, bool)
        others[goal] = False
        np.testing.assert_allclose(through[index].min(axis=0)[others], expected[others], rtol=1e-9)
        for move, (down, right) in enumerate(MOVE_OFFSETS):
            row, col = goal[0] - down, goal[1] - right
            if 0 <= row < shape[0] and 0 <= col < shape[1]:
                one_move = MOVE_COSTS[move] + entry_costs[index][goal]
                assert through[index, move, row, col] == pytest.approx(one_move)


def test_weighted_costs_equal_the_exact_costs_where_walls_are_dear():
    obstacles, goals = random_maps((9, 7), 20, np.random.default_rng(0))
    exact = cost_to_go(obstacles, goals)
    entry_costs = 1e5 * torch.from_numpy(obstacles).float()
    found = weighted_cost_to_go(entry_costs, torch.from_numpy(goals)).amin(dim=1).numpy()
    known = np.isfinite(exact) & (exact > 0)
    np.testing.assert_allclose(found[known], exact[known], atol=1e-3)
    assert (found[~np.isfinite(exact) & (obstacles == 0)] > 1e4).all()


@pytest.mark.parametrize("discount", [0.5, 0.9, 0.99])
def test_a_settled_value_is_within_the_tolerance_of_the_true_one_and_no_sooner(discount):
    reward, stay = np.array([1.0]), np.ones((1, 1, 1))
    true = 1 / (1 - discount)
    for tolerance in (1e-1, 1e-3, 1e-6):
        found = exact_value_iteration(reward, stay, discount=discount, tolerance=tolerance)[0]
        # After n backups the error is discount**n * true, and the last change (1 - discount) / discount of it.
        assert true - found <= tolerance * (1 + 1e-9)
        assert true - found > discount * tolerance * (1 - 1e-6)


def test_values_that_no_longer_change_are_settled_at_a_tolerance_of_zero():
    reward, step = np.array([0.0, 1.0, 0.0]), np.zeros((1, 3, 3))
    step[0, [0, 1, 2], [1, 2, 2]] = 1.0
    found = exact_value_iteration(reward, step, discount=0.5, tolerance=0.0)
    assert found.tolist() == [0.5, 1.0, 0.0]

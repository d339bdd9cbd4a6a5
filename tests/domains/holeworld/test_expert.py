"""Shortest paths of the four moves, against a map worked out by hand and against the distances."""

import numpy as np

from vinlab.domains.gridworld.expert import NO_MOVE
from vinlab.domains.gridworld.problem import GridworldConfig
from vinlab.domains.holeworld.expert import moves_to_goal, optimal_moves, solve
from vinlab.domains.holeworld.problem import sample_problems
from vinlab.types import MOVE_OFFSETS, GridProblems

MAP = np.array([[0, 1, 0], [0, 0, 0], [1, 0, 1]], np.uint8)
NORTH, SOUTH, EAST, WEST = range(4)
INF = np.inf


def test_distances_and_optimal_moves_of_a_small_map():
    distances = moves_to_goal(MAP[None], np.array([[0, 2]]))
    np.testing.assert_array_equal(distances[0], [[4, INF, 0], [3, 2, 1], [INF, 3, INF]])
    optimal = optimal_moves(distances, MAP[None])[0]
    found = {(m, r, c) for m, r, c in np.argwhere(optimal)}
    assert found == {(SOUTH, 0, 0), (EAST, 1, 0), (EAST, 1, 1), (NORTH, 1, 2), (NORTH, 2, 1)}


def test_a_solution_has_a_shortest_path_and_says_where_there_is_none():
    obstacles = np.stack([MAP, np.array([[0, 1, 0], [1, 1, 0], [0, 0, 0]], np.uint8)])
    problems = GridProblems(obstacles, np.array([[0, 0], [0, 0]]), np.array([[0, 2], [0, 2]]))
    solution = solve(problems)
    assert solution.lengths.tolist() == [5, 0]
    assert solution.paths[0].tolist() == [[0, 0], [1, 0], [1, 1], [1, 2], [0, 2]]
    assert solution.moves[1, 0, 0] == NO_MOVE


def test_every_step_of_a_path_comes_one_move_closer():
    problems = sample_problems(GridworldConfig(size=8), 30, rng=np.random.default_rng(0))
    solution, index = solve(problems), np.arange(30)
    distances = solution.costs[index[:, None], solution.paths[..., 0], solution.paths[..., 1]]
    np.testing.assert_array_equal(distances[:, 0] + 1, solution.lengths)
    for path, length, away in zip(solution.paths, solution.lengths, distances, strict=True):
        np.testing.assert_array_equal(away[:length], np.arange(length)[::-1])
        steps = np.diff(path[:length], axis=0).tolist()
        assert all(step in MOVE_OFFSETS[:4].tolist() for step in steps)

"""The expert's moves are all of the shortest ones, and its paths are shortest paths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vinlab.domains.gridworld.environment import step
from vinlab.domains.gridworld.expert import (
    NO_MOVE,
    demonstrate_everywhere,
    demonstrate_trajectories,
    expert_moves,
    expert_path,
    expert_paths,
    optimal_moves,
    sample_starts,
)
from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.obstacles import ScatterConfig
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.planning.exact import cost_to_go
from vinlab.types import MOVE_COSTS, GridProblems

CONFIGS = [
    GridworldConfig(8),
    GridworldConfig((12, 17), corner_cutting=False),
    GridworldConfig((11, 9), MazeConfig(0.2)),
    GridworldConfig((11, 9), MazeConfig(0.2), corner_cutting=False),
]


def solved(config, count=60, seed=0):
    problems = sample_problems(config, count, rng=np.random.default_rng(seed))
    costs = cost_to_go(problems.obstacles, problems.goals, corner_cutting=config.corner_cutting)
    return problems, costs


@pytest.mark.parametrize("config", CONFIGS)
def test_a_move_is_optimal_exactly_if_its_step_and_what_follows_cost_the_least(config):
    problems, costs = solved(config)
    optimal = optimal_moves(costs, problems.obstacles, corner_cutting=config.corner_cutting)
    index, row, col = np.nonzero(problems.obstacles == 0)
    here, maps = np.stack([row, col], axis=-1), problems.obstacles[index]
    for move, length in enumerate(MOVE_COSTS):
        there = step(maps, here, np.full(len(here), move), corner_cutting=config.corner_cutting)
        length_through = length + costs[index, there[:, 0], there[:, 1]]
        moved, least = (there != here).any(axis=1), costs[index, row, col]
        expected = (
            moved
            & (least > 0)
            & np.isfinite(length_through)
            & np.isclose(length_through, least, rtol=0, atol=1e-6)
        )
        np.testing.assert_array_equal(optimal[index, move, row, col], expected)
    assert not optimal.transpose(0, 2, 3, 1)[problems.obstacles == 1].any()


@pytest.mark.parametrize("config", CONFIGS)
def test_the_label_is_one_of_the_optimal_moves_wherever_there_is_one(config):
    problems, costs = solved(config)
    optimal = optimal_moves(costs, problems.obstacles, corner_cutting=config.corner_cutting)
    labels = expert_moves(costs, problems.obstacles, corner_cutting=config.corner_cutting)
    np.testing.assert_array_equal(labels == NO_MOVE, ~optimal.any(axis=1))
    chosen = np.take_along_axis(optimal, np.maximum(labels, 0)[:, None], axis=1)[:, 0]
    assert chosen[labels != NO_MOVE].all()


def test_equal_ways_are_decided_for_the_diagonal():
    empty = np.zeros((1, 5, 5), np.uint8)
    labels = expert_moves(cost_to_go(empty, np.array([[0, 0]])), empty)
    assert labels[0, 1, 2] == 5  # north-west, not west
    assert labels[0, 0, 2] == 3  # only west is straight ahead


@pytest.mark.parametrize("config", CONFIGS)
def test_paths_go_step_by_step_to_the_goal_at_least_cost(config):
    problems, costs = solved(config)
    labels = expert_moves(costs, problems.obstacles, corner_cutting=config.corner_cutting)
    paths, lengths = expert_paths(labels, problems.obstacles, problems.starts, problems.goals)
    for number, (path, length) in enumerate(zip(paths, lengths, strict=True)):
        steps = np.abs(np.diff(path[:length], axis=0))
        assert (steps.max(axis=1) == 1).all()
        start, goal = problems.starts[number], problems.goals[number]
        assert (path[0] == start).all()
        assert (path[length - 1 :] == goal).all()
        assert np.sqrt((steps**2).sum(axis=1)).sum() == pytest.approx(costs[number, start[0], start[1]])


def test_path_without_a_way_is_empty_and_at_the_goal_is_one_state():
    blocked = np.array([[[0, 1, 0]]], np.uint8)
    labels = expert_moves(cost_to_go(blocked, np.array([[0, 0]])), blocked)
    _, lengths = expert_paths(labels, blocked, np.array([[[0, 2], [0, 0]]]), np.array([[0, 0]]))
    assert lengths.tolist() == [[0, 1]]


def test_starts_are_distinct_free_cells_beginning_with_the_problems_own():
    problems, _ = solved(GridworldConfig(8), count=200)
    starts = sample_starts(problems, 7, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(starts[:, 0], problems.starts)
    assert not problems.obstacles[np.arange(200)[:, None], starts[..., 0], starts[..., 1]].any()
    assert all(len(np.unique(of_map, axis=0)) == 7 for of_map in starts)


def test_trajectories_hold_each_path_with_its_labels_and_never_the_goal():
    config = GridworldConfig(8)
    problems, costs = solved(config)
    labels = expert_moves(costs, problems.obstacles)
    shown = demonstrate_trajectories(problems, rng=np.random.default_rng(2))
    starts = sample_starts(problems, 7, rng=np.random.default_rng(2))
    _, lengths = expert_paths(labels, problems.obstacles, starts, problems.goals)
    counted = shown.weights.numpy() > 0
    np.testing.assert_array_equal(counted.sum(axis=1), np.maximum(lengths - 1, 0).sum(axis=1))
    index, states = np.nonzero(counted)[0], shown.states.numpy()[counted]
    moves = shown.moves.numpy()[counted]
    assert (moves.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(moves.argmax(axis=1), labels[index, states[:, 0], states[:, 1]])
    assert not (states == problems.goals[index]).all(axis=1).any()


@pytest.mark.parametrize("config", CONFIGS)
def test_everywhere_holds_every_cell_with_a_way_once(config):
    problems, costs = solved(config)
    shown = demonstrate_everywhere(problems, corner_cutting=config.corner_cutting)
    optimal = optimal_moves(costs, problems.obstacles, corner_cutting=config.corner_cutting)
    counted = shown.weights.numpy() > 0
    index, states = np.nonzero(counted)[0], shown.states.numpy()[counted]
    visited = np.zeros(costs.shape, int)
    np.add.at(visited, (index, states[:, 0], states[:, 1]), 1)
    np.testing.assert_array_equal(visited, np.isfinite(costs) & (costs > 0))
    moves = shown.moves.numpy()[counted]
    np.testing.assert_array_equal(moves, optimal[index, :, states[:, 0], states[:, 1]])
    assert shown.moves.numpy()[~counted].all()  # so that no loss is infinite in filler


def test_same_seed_same_demonstrations():
    problems, _ = solved(GridworldConfig(16), count=20)
    first, second = (demonstrate_trajectories(problems, rng=np.random.default_rng(3)) for _ in range(2))
    assert first.states.equal(second.states)
    assert first.moves.equal(second.moves)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 2**32 - 1), st.booleans())
def test_any_map_has_an_expert_even_without_a_way(height, width, seed, corner_cutting):
    rng = np.random.default_rng(seed)
    blocked = (rng.random((3, height, width)) < 0.4).astype(np.uint8)
    goals, starts = (rng.integers(0, (height, width), size=(3, 2)) for _ in range(2))
    problems = GridProblems(blocked, starts, goals)
    costs = cost_to_go(blocked, goals, corner_cutting=corner_cutting)
    assert not costs[np.arange(3), goals[:, 0], goals[:, 1]][
        blocked[np.arange(3), goals[:, 0], goals[:, 1]] == 0
    ].any()
    shown = demonstrate_everywhere(problems, corner_cutting=corner_cutting)
    assert shown.weights.sum() == (np.isfinite(costs) & (costs > 0)).sum()
    assert shown.moves.any(dim=-1).all()
    demonstrate_trajectories(problems, rng=rng, corner_cutting=corner_cutting)


@pytest.mark.parametrize(("longer", "optimal"), [(1e-12, True), (9e-10, True), (2e-9, False), (1e-6, False)])
def test_paths_that_differ_by_rounding_alone_are_equally_long(longer, optimal):
    costs = np.array(
        [[[0.0, 1.0, 1.0 + 2**0.5 + longer], [1.0, 2**0.5, 1.0 + 2**0.5], [2.0, 2.0, 2 * 2**0.5]]]
    )
    costs[0, 2, 2] = costs[0, 1, 1] + 2**0.5  # the exact cost by way of the diagonal
    found = optimal_moves(costs, np.zeros((1, 3, 3), np.uint8))[0, :, 1, 2]
    # From (1, 2): west to (1, 1) costs 1 + sqrt(2), and north-west to (0, 1) costs sqrt(2) + 1.
    assert found[3]
    assert found[5]
    costs[0, 0, 1] = 1.0 + longer
    assert optimal_moves(costs, np.zeros((1, 3, 3), np.uint8))[0, 5, 1, 2] == optimal


@pytest.mark.parametrize("corner_cutting", [True, False])
def test_a_path_computed_cell_by_cell_is_that_of_the_moves_of_all_cells(corner_cutting):
    problems = sample_problems(
        GridworldConfig(size=(9, 14), family=ScatterConfig(0.3), corner_cutting=corner_cutting),
        40,
        rng=np.random.default_rng(5),
    )
    costs = cost_to_go(problems.obstacles, problems.goals, corner_cutting=corner_cutting)
    moves = expert_moves(costs, problems.obstacles, corner_cutting=corner_cutting)
    paths, lengths = expert_paths(moves, problems.obstacles, problems.starts, problems.goals)
    for index, start in enumerate(problems.starts.tolist()):
        path = expert_path(
            costs[index], problems.obstacles[index], (start[0], start[1]), corner_cutting=corner_cutting
        )
        np.testing.assert_array_equal(path, paths[index, : lengths[index]])

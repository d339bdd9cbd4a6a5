"""Demonstrations show shortest paths, of the patch or of its vertical flip, and nothing in blocked cells."""

import numpy as np
import pytest

from helpers.terrain_problems import rough_terrain
from vinlab.domains.gridworld.expert import optimal_moves
from vinlab.domains.mars.expert import DemonstrationConfig, demonstrate, flip_vertically, solve
from vinlab.planning.exact import cost_to_go


def unpacked(shown, number: int, goal: int) -> np.ndarray:
    return shown[np.array([number])].moves.numpy()[goal]


@pytest.mark.parametrize("goals", [1, 3, 100])
def test_every_goal_is_demonstrated_with_all_optimal_moves(goals):
    problems = rough_terrain()
    shown = demonstrate(
        problems, DemonstrationConfig(goals=goals, mirror=False), rng=np.random.default_rng(1)
    )
    assert np.array_equal(shown.goals[:, 0], problems.goals)
    for goal in {0, goals - 1}:
        costs = cost_to_go(problems.grid.obstacles, shown.goals[:, goal])
        right = optimal_moves(costs, problems.grid.obstacles)
        assert all(np.array_equal(unpacked(shown, n, goal), right[n]) for n in range(len(problems)))


def test_goals_are_free_and_weights_count_the_targets():
    shown = demonstrate(rough_terrain(), DemonstrationConfig(goals=5), rng=np.random.default_rng(1))
    patch = np.arange(len(shown))[:, None]
    assert not shown.obstacles[patch, shown.goals[..., 0], shown.goals[..., 1]].any()
    batch = shown[np.arange(len(shown))]
    assert batch.moves.any(dim=1).sum().item() == shown.weights.sum().item()
    assert not (batch.moves.any(dim=1) & ~batch.free).any()


def test_trajectories_show_one_move_along_seven_paths():
    problems = rough_terrain()
    everything = demonstrate(
        problems, DemonstrationConfig(goals=1, mirror=False), rng=np.random.default_rng(1)
    )
    along_paths = demonstrate(
        problems, DemonstrationConfig(1, trajectories=7, mirror=False), rng=np.random.default_rng(1)
    )
    moves, right = (one[np.arange(len(problems))].moves for one in (along_paths, everything))
    assert moves.sum(dim=1).max() == 1
    assert not (moves & ~right).any()
    assert (moves.any(dim=1)[:, 4, 0]).all()  # the problem's own start is one of them
    assert 0 < along_paths.weights.sum() < everything.weights.sum()


def test_a_vertical_flip_is_the_same_problem():
    problems = rough_terrain()
    turned = flip_vertically(problems, np.arange(len(problems)) % 2 == 0)
    assert np.array_equal(turned.images[0], problems.images[0, ::-1])
    assert np.array_equal(turned.images[1], problems.images[1])
    assert turned.starts[0].tolist() == [3, 0]
    assert turned.goals[:2].tolist() == [[7, 4], [0, 4]]
    before, after = (cost_to_go(p.grid.obstacles, p.goals) for p in (problems, turned))
    assert np.array_equal(after[0], before[0, ::-1])


def test_a_batch_holds_the_problems_of_each_patch_one_after_the_other():
    shown = demonstrate(rough_terrain(), DemonstrationConfig(goals=3), rng=np.random.default_rng(1))
    batch = shown[np.array([0, 5])]
    assert batch.observations.shape == (2, 1, 64, 64)
    assert batch.goals.shape == (2, 3, 2)
    assert batch.moves.shape == (6, 8, 8, 8)
    assert batch.free[3].equal(batch.free[5])
    assert not batch.free[2].equal(batch.free[3])


def test_exact_solutions_are_those_of_the_obstacles():
    problems = rough_terrain()
    solution = solve(problems)
    costs = cost_to_go(problems.grid.obstacles, problems.goals)
    assert np.array_equal(solution.costs, costs)
    assert (solution.lengths >= 5).all()
    strict = solve(problems, corner_cutting=False)
    assert (strict.costs >= costs).all()

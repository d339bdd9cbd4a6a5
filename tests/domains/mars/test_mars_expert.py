"""Lessons show shortest ways, of the patch as it lies or upside down, and nothing from blocked cells."""

import numpy as np
import pytest
import torch

from vinlab.domains.gridworld.expert import optimal_moves
from vinlab.domains.mars.expert import DemonstrationConfig, demonstrate, flip_vertically
from vinlab.domains.mars.patches import MarsProblems
from vinlab.planning.exact import cost_to_go
from vinlab.types import MOVE_OFFSETS


def some_problems(count: int = 12) -> MarsProblems:
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (count, 64, 64)).astype(np.uint8)
    obstacles = rng.random((count, 8, 8)) < 0.25
    obstacles[:, 4], obstacles[:, :, 4] = False, False
    starts, goals = np.tile([4, 0], (count, 1)), np.tile([0, 4], (count, 1))
    return MarsProblems(images, obstacles, starts, goals, np.arange(count))


def unpacked(lessons, number: int, goal: int) -> np.ndarray:
    return lessons[np.array([number])].moves.numpy()[goal]


@pytest.mark.parametrize("goals", [1, 3, 100])
def test_every_goal_is_taught_with_all_optimal_moves(goals):
    problems = some_problems()
    lessons = demonstrate(
        problems, DemonstrationConfig(goals=goals, mirror=False), rng=np.random.default_rng(1)
    )
    assert np.array_equal(lessons.goals[:, 0], problems.goals)
    for goal in {0, goals - 1}:
        costs = cost_to_go(problems.grid.obstacles, lessons.goals[:, goal])
        right = optimal_moves(costs, problems.grid.obstacles)
        assert all(np.array_equal(unpacked(lessons, n, goal), right[n]) for n in range(len(problems)))


def test_goals_are_free_and_weights_count_what_is_taught():
    lessons = demonstrate(some_problems(), DemonstrationConfig(goals=5), rng=np.random.default_rng(1))
    patch = np.arange(len(lessons))[:, None]
    assert not lessons.obstacles[patch, lessons.goals[..., 0], lessons.goals[..., 1]].any()
    batch = lessons[np.arange(len(lessons))]
    assert batch.moves.any(dim=1).sum().item() == lessons.weights.sum().item()
    assert not (batch.moves.any(dim=1) & ~batch.free).any()


def test_trajectories_show_one_move_along_seven_ways():
    problems = some_problems()
    everything = demonstrate(
        problems, DemonstrationConfig(goals=1, mirror=False), rng=np.random.default_rng(1)
    )
    ways = demonstrate(
        problems, DemonstrationConfig(1, trajectories=7, mirror=False), rng=np.random.default_rng(1)
    )
    shown, right = (one[np.arange(len(problems))].moves for one in (ways, everything))
    assert shown.sum(dim=1).max() == 1
    assert not (shown & ~right).any()
    assert (shown.any(dim=1)[:, 4, 0]).all()  # the problem's own start is one of them
    assert 0 < ways.weights.sum() < everything.weights.sum()


def test_upside_down_is_the_same_problem_seen_from_the_north():
    problems = some_problems()
    turned = flip_vertically(problems, np.arange(len(problems)) % 2 == 0)
    assert np.array_equal(turned.images[0], problems.images[0, ::-1])
    assert np.array_equal(turned.images[1], problems.images[1])
    assert turned.starts[0].tolist() == [3, 0]
    assert turned.goals[:2].tolist() == [[7, 4], [0, 4]]
    before, after = (cost_to_go(p.grid.obstacles, p.goals) for p in (problems, turned))
    assert np.array_equal(after[0], before[0, ::-1])


def test_a_batch_asks_the_policy_for_all_goals_at_once():
    class Compass:
        def dense_logits(self, images, goals):
            assert images.shape == (2, 1, 64, 64)
            return torch.zeros(goals.shape[0] * goals.shape[1], len(MOVE_OFFSETS), 8, 8)

    lessons = demonstrate(some_problems(), DemonstrationConfig(goals=3), rng=np.random.default_rng(1))
    assert lessons[np.array([0, 5])].logits(Compass()).shape == (6, 8, 8, 8)

"""Sampled problems can be solved, come from the seed alone, and can be kept apart."""

import numpy as np
import pytest

from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.problem import (
    GridworldConfig,
    concatenate,
    content_hash,
    content_keys,
    observe,
    sample_problems,
    without,
)
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems, InputError

CONFIGS = [
    GridworldConfig(8),
    GridworldConfig(16, corner_cutting=False),
    GridworldConfig((5, 12)),
    GridworldConfig((9, 15), MazeConfig()),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_every_problem_can_be_solved(config):
    problems = sample_problems(config, 300, rng=np.random.default_rng(0))
    assert problems.obstacles.shape == (300, *config.shape)
    costs = cost_to_go(problems.obstacles, problems.goals, corner_cutting=config.corner_cutting)
    distance = costs[np.arange(300), problems.starts[:, 0], problems.starts[:, 1]]
    assert (np.isfinite(distance) & (distance > 0)).all()


def test_same_seed_same_problems():
    first, second, other = (sample_problems(CONFIGS[0], 50, rng=np.random.default_rng(s)) for s in (1, 1, 2))
    assert content_hash(first) == content_hash(second) != content_hash(other)


def test_hash_sees_starts_goals_and_order():
    problems = sample_problems(CONFIGS[0], 10, rng=np.random.default_rng(3))
    moved = GridProblems(problems.obstacles, problems.goals, problems.goals)
    swapped = GridProblems(problems.obstacles, problems.starts, problems.starts)
    assert len({content_hash(one) for one in (problems, moved, swapped, problems[::-1])}) == 4


def test_without_drops_exactly_the_same_maps_with_the_same_goal():
    problems = sample_problems(CONFIGS[1], 40, rng=np.random.default_rng(4))
    others = GridProblems(problems.obstacles[:10], problems.goals[:10], problems.goals[:10])
    kept = without(problems, others)
    assert content_keys(kept) == content_keys(problems[10:])
    elsewhere = GridProblems(problems.obstacles, problems.starts, problems.starts)
    assert len(without(problems, elsewhere)) == 40


def test_problems_apart_from_others_share_none_with_them():
    small = GridworldConfig(5)
    train = sample_problems(small, 300, rng=np.random.default_rng(5))
    assert len(without(sample_problems(small, 300, rng=np.random.default_rng(6)), train)) < 300
    test = sample_problems(small, 300, rng=np.random.default_rng(6), apart_from=[train])
    assert len(test) == 300
    assert not set(content_keys(test)) & set(content_keys(train))


def test_sampling_gives_up_when_nothing_new_is_left():
    tiny = GridworldConfig((3, 5), MazeConfig(removed_walls=1.0))
    everything = sample_problems(tiny, 100, rng=np.random.default_rng(7))
    with pytest.raises(InputError, match="expected a new problem, got none"):
        sample_problems(tiny, 1, rng=np.random.default_rng(8), apart_from=[everything])


def test_count_must_be_positive():
    with pytest.raises(InputError, match="at least 1, got 0"):
        sample_problems(CONFIGS[0], 0, rng=np.random.default_rng(0))


def test_sizes_and_trajectories_must_be_positive():
    with pytest.raises(InputError, match="at least 1"):
        GridworldConfig((0, 8))
    with pytest.raises(InputError, match="at least 1"):
        GridworldConfig(8, trajectories=0)


def test_observation_shows_obstacles_and_marks_the_goal():
    problems = sample_problems(CONFIGS[2], 20, rng=np.random.default_rng(9))
    images = observe(problems.obstacles, problems.goals).numpy()
    np.testing.assert_array_equal(images[:, 0], problems.obstacles)
    np.testing.assert_array_equal(np.argwhere(images[:, 1])[:, 1:], problems.goals)
    assert set(np.unique(images[:, 1])) == {0.0, 10.0}


def test_concatenated_problems_follow_one_another():
    problems = sample_problems(CONFIGS[0], 12, rng=np.random.default_rng(10))
    assert content_hash(concatenate([problems[:5], problems[5:]])) == content_hash(problems)

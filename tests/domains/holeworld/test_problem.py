"""Problems of the hole world: difficulties, starts, and maps that are taken."""

import numpy as np
import pytest

from vinlab.domains.gridworld.problem import GridworldConfig, content_keys
from vinlab.domains.holeworld.expert import moves_to_goal
from vinlab.domains.holeworld.problem import sample_problems, sample_worlds
from vinlab.types import GridProblems, InputError

SMALL = GridworldConfig(size=8)


def test_a_difficulty_is_the_length_of_the_shortest_path():
    for difficulty in (1, 4, 9):
        problems = sample_problems(SMALL, 40, rng=np.random.default_rng(0), difficulty=difficulty)
        found = moves_to_goal(problems.obstacles, problems.goals)
        assert len(problems) == 40
        assert (found[np.arange(40), problems.starts[:, 0], problems.starts[:, 1]] == difficulty).all()


def test_an_impossible_difficulty_is_said_to_be_one():
    with pytest.raises(InputError, match="difficulty 500"):
        sample_problems(SMALL, 5, rng=np.random.default_rng(0), difficulty=500)


def test_starts_are_uniform_over_the_distances_up_to_the_hardest():
    worlds = sample_worlds(SMALL, 500, episodes=4, hardest=4, rng=np.random.default_rng(0))
    away = moves_to_goal(worlds.obstacles, worlds.goals)
    found = away[np.arange(500)[:, None], worlds.starts[..., 0], worlds.starts[..., 1]]
    shares = np.bincount(found.astype(int).ravel(), minlength=5)[1:] / found.size
    np.testing.assert_allclose(shares, 0.25, atol=0.04)


def test_maps_that_are_taken_are_never_drawn():
    tiny = GridworldConfig(size=4)
    taken = sample_problems(tiny, 30, rng=np.random.default_rng(0))
    keys = set(content_keys(taken))
    free = sample_worlds(tiny, 40, episodes=1, hardest=2, rng=np.random.default_rng(0), taken=keys)
    drawn = content_keys(GridProblems(free.obstacles, free.goals, free.goals))
    assert keys.isdisjoint(drawn)
    again = sample_problems(tiny, 40, rng=np.random.default_rng(0), taken=keys)
    assert keys.isdisjoint(content_keys(again))

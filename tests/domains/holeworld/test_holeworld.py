"""The world with holes: one definition of its dynamics, held together across its faces."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from vinlab.domains.gridworld.environment import HOLES_ID, register_environments
from vinlab.domains.gridworld.problem import GridworldConfig, content_keys
from vinlab.domains.holeworld.gymnasium_env import HoleWorldEnvironment, HoleWorldVectorEnv
from vinlab.domains.holeworld.problem import (
    GOAL_REWARD,
    HOLE_REWARD,
    STEP_REWARD,
    HoleWorldBatch,
    moves_to_goal,
    sample_hole_problems,
    sample_worlds,
    step_holeworld,
)
from vinlab.types import GridProblems, InputError

MAP = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 1]], np.uint8)
NORTH, SOUTH, EAST, WEST = range(4)
SMALL = GridworldConfig(size=8)


@pytest.mark.parametrize(
    ("state", "move", "following", "reward"),
    [
        ((1, 1), SOUTH, (2, 1), STEP_REWARD),
        ((1, 1), EAST, (1, 2), GOAL_REWARD),
        ((1, 1), NORTH, (1, 1), HOLE_REWARD),
        ((2, 0), WEST, (2, 0), HOLE_REWARD),  # off the map is a fall, too
        ((0, 2), SOUTH, (1, 2), GOAL_REWARD),
    ],
)
def test_a_move_goes_on_falls_or_arrives(state, move, following, reward):
    outcome = step_holeworld(MAP[None], np.array([[1, 2]]), np.array([state]), np.array([move]))
    assert tuple(outcome.states[0]) == following
    assert outcome.rewards[0] == np.float32(reward)
    assert outcome.fallen[0] == (reward == HOLE_REWARD)
    assert outcome.reached[0] == (reward == GOAL_REWARD)
    assert outcome.ended[0] == (reward != STEP_REWARD)


def test_the_batched_world_equals_the_single_one_on_ten_thousand_steps():
    rng = np.random.default_rng(0)
    problems = sample_hole_problems(SMALL, 100, rng=rng)
    worlds = HoleWorldBatch(problems.obstacles, problems.goals, problems.starts[:, None])
    alone = [HoleWorldEnvironment(problems=problems[i : i + 1], horizon=10_000) for i in range(100)]
    for environment in alone:
        environment.reset(seed=0)
    states, steps, endings = worlds.starts, 0, 0
    for _ in range(100):
        moves = rng.integers(4, size=(100, 1))
        states, rewards, ended = worlds.step(states, moves)
        for index, environment in enumerate(alone):
            seen, reward, over, cut, _ = environment.step(np.int64(moves[index, 0]))
            np.testing.assert_array_equal(seen["position"], states[index, 0])
            assert np.float32(reward) == rewards[index, 0]
            assert over == ended[index, 0]
            assert not cut
            if over:
                environment.reset()
                states[index, 0] = problems.starts[index]
                endings += 1
            steps += 1
    assert steps == 10_000
    assert endings > 500


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("difficulty", [None, 3])
def test_the_environment_passes_gymnasiums_checker(difficulty):
    check_env(HoleWorldEnvironment(SMALL, difficulty=difficulty), skip_render_check=True)


def test_the_environment_is_made_by_its_id():
    register_environments()
    environment = gymnasium.make(HOLES_ID, config=GridworldConfig(size=16), difficulty=5)
    seen, _ = environment.reset(seed=3)
    assert seen["image"].shape == (2, 16, 16)
    again, _ = environment.reset(seed=3)
    np.testing.assert_array_equal(seen["image"], again["image"])


def test_many_environments_follow_gymnasiums_rule_of_resetting_at_the_next_step():
    environments = HoleWorldVectorEnv(50, SMALL, horizon=6, difficulty=2)
    seen, _ = environments.reset(seed=1)
    assert seen["image"].shape == (50, 2, 8, 8)
    assert environments.observation_space.contains(seen)
    rng, over = np.random.default_rng(0), np.zeros(50, bool)
    for _ in range(40):
        before = seen["image"].copy()
        seen, rewards, ended, cut, _ = environments.step(rng.integers(4, size=50))
        assert environments.observation_space.contains(seen)
        assert not (ended & cut).any()
        # Who was over starts a new problem, whatever was asked for, and gains nothing by it.
        assert (rewards[over] == 0).all()
        assert not ended[over].any()
        kept = (seen["image"] == before).all(axis=(1, 2, 3))
        assert kept[~over].all()
        assert not over.any() or (~kept[over]).mean() > 0.9
        over = ended | cut
    assert (
        environments.reset(seed=1)[0]["image"].tobytes() == environments.reset(seed=1)[0]["image"].tobytes()
    )


def test_a_difficulty_is_the_length_of_the_shortest_way():
    for difficulty in (1, 4, 9):
        problems = sample_hole_problems(SMALL, 40, rng=np.random.default_rng(0), difficulty=difficulty)
        found = moves_to_goal(problems.obstacles, problems.goals)
        assert len(problems) == 40
        assert (found[np.arange(40), problems.starts[:, 0], problems.starts[:, 1]] == difficulty).all()


def test_an_impossible_difficulty_is_said_to_be_one():
    with pytest.raises(InputError, match="difficulty 500"):
        sample_hole_problems(SMALL, 5, rng=np.random.default_rng(0), difficulty=500)


def test_starts_are_uniform_over_the_distances_up_to_the_hardest():
    worlds = sample_worlds(SMALL, 500, episodes=4, hardest=4, rng=np.random.default_rng(0))
    away = moves_to_goal(worlds.obstacles, worlds.goals)
    found = away[np.arange(500)[:, None], worlds.starts[..., 0], worlds.starts[..., 1]]
    shares = np.bincount(found.astype(int).ravel(), minlength=5)[1:] / found.size
    np.testing.assert_allclose(shares, 0.25, atol=0.04)


def test_maps_that_are_taken_are_never_drawn():
    tiny = GridworldConfig(size=4)
    taken = sample_hole_problems(tiny, 30, rng=np.random.default_rng(0))
    keys = set(content_keys(taken))
    free = sample_worlds(tiny, 40, episodes=1, hardest=2, rng=np.random.default_rng(0), taken=keys)
    drawn = content_keys(GridProblems(free.obstacles, free.goals, free.goals))
    assert keys.isdisjoint(drawn)
    again = sample_hole_problems(tiny, 40, rng=np.random.default_rng(0), taken=keys)
    assert keys.isdisjoint(content_keys(again))

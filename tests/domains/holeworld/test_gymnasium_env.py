"""The Gymnasium environments have the dynamics of the batch, and pass Gymnasium's own checks."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from vinlab.domains.gridworld.problem import GridworldConfig
from vinlab.domains.holeworld.environment import HoleWorldBatch
from vinlab.domains.holeworld.gymnasium_env import HoleWorldEnvironment, HoleWorldVectorEnv
from vinlab.domains.holeworld.problem import sample_problems

SMALL = GridworldConfig(size=8)


def test_the_batched_world_equals_the_single_one_on_ten_thousand_steps():
    rng = np.random.default_rng(0)
    problems = sample_problems(SMALL, 100, rng=rng)
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
    environment = gymnasium.make(
        "vinlab.envs:vinlab/HoleWorld-v0", config=GridworldConfig(size=16), difficulty=5
    )
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
        # An ended environment is reset whatever the action, and its reward is 0.
        assert (rewards[over] == 0).all()
        assert not ended[over].any()
        kept = (seen["image"] == before).all(axis=(1, 2, 3))
        assert kept[~over].all()
        assert not over.any() or (~kept[over]).mean() > 0.9
        over = ended | cut
    assert (
        environments.reset(seed=1)[0]["image"].tobytes() == environments.reset(seed=1)[0]["image"].tobytes()
    )

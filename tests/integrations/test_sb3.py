"""A VIN inside stable-baselines3 is the same network, and all of it learns."""

import gymnasium
import numpy as np
import pytest
import torch

pytest.importorskip("stable_baselines3", reason="stable-baselines3 is an extra")

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

from vinlab.domains.gridworld.problem import GridworldConfig
from vinlab.domains.holeworld.gymnasium_env import HoleWorldEnvironment
from vinlab.integrations.sb3 import VinPolicy
from vinlab.networks.grid.rl import ValueVinConfig
from vinlab.types import InputError


@pytest.fixture(scope="module")
def learner():
    maps = GridworldConfig(size=8)
    worlds = make_vec_env(lambda: HoleWorldEnvironment(maps, difficulty=2), n_envs=4, seed=0)
    kwargs = {"network": ValueVinConfig(iterations=4, hidden=4)}
    return PPO(
        VinPolicy, worlds, policy_kwargs=kwargs, n_steps=16, batch_size=32, n_epochs=2, seed=0, device="cpu"
    )


def test_its_probabilities_are_the_networks_own(learner):
    seen = learner.env.reset()
    distribution = learner.policy.get_distribution(learner.policy.obs_to_tensor(seen)[0])
    vin = learner.policy.vin
    plan = vin.plan(torch.as_tensor(seen["image"]))
    logits = vin.act(plan, torch.as_tensor(seen["position"])[:, None])[:, 0]
    torch.testing.assert_close(distribution.distribution.probs, logits.softmax(dim=-1))


def test_ppo_moves_every_parameter_whatever_its_name(learner):
    before = {name: tensor.clone() for name, tensor in learner.policy.state_dict().items()}
    assert any("value" in name for name in before)
    learner.learn(64)
    assert [
        name for name, tensor in learner.policy.state_dict().items() if torch.equal(tensor, before[name])
    ] == []
    chosen, _ = learner.predict(learner.env.reset(), deterministic=True)
    assert np.isin(chosen, range(4)).all()


class EightMoves(gymnasium.Env):
    """A world that accepts eight moves."""

    observation_space = gymnasium.spaces.Dict(
        image=gymnasium.spaces.Box(0, 1, (2, 4, 4), np.float32),
        position=gymnasium.spaces.MultiDiscrete([4, 4]),
    )
    action_space = gymnasium.spaces.Discrete(8)

    def reset(self, *, seed=None, options=None):
        return {"image": np.zeros((2, 4, 4), np.float32), "position": np.zeros(2, np.int64)}, {}

    def step(self, action):
        return self.reset()[0], 0.0, False, False, {}


def test_the_network_has_as_many_moves_as_the_environment():
    kwargs = {"network": ValueVinConfig(iterations=2, hidden=4)}
    with pytest.raises(
        InputError, match="expected an environment with 4 moves for this network, got Discrete"
    ):
        PPO(VinPolicy, EightMoves(), policy_kwargs=kwargs, device="cpu")
    kwargs = {"network": ValueVinConfig(iterations=2, hidden=4, moves=8)}
    learner = PPO(VinPolicy, EightMoves(), policy_kwargs=kwargs, n_steps=4, batch_size=4, device="cpu")
    seen = {name: torch.as_tensor(part)[None] for name, part in EightMoves().reset()[0].items()}
    assert learner.policy.get_distribution(seen).distribution.logits.shape == (1, 8)
    assert learner.policy.vin.num_moves == 8
    with pytest.raises(InputError, match="moves: expected 4"):
        ValueVinConfig(iterations=2, moves=5).build()

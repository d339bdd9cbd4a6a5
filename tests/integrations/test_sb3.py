"""A VIN inside stable-baselines3 is the same network, and all of it learns."""

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

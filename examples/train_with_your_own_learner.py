"""Train a VIN with stable-baselines3's PPO instead of our own learner (pip install -e '.[rl]').

Any learner that takes a Gymnasium environment can train a VIN. PPO plans again for every step, so this is slower than
`vinlab train rl/8/vin`; the network is the same.
"""

import argparse

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

from vinlab.domains.gridworld.problem import GridworldConfig
from vinlab.domains.holeworld.gymnasium_env import HoleWorldEnvironment
from vinlab.domains.holeworld.problem import sample_problems
from vinlab.experiments.rl.evaluate import success_rate
from vinlab.integrations.sb3 import VinPolicy
from vinlab.networks.grid.rl import ValueVinConfig

SIZE = 8


def main(steps: int, difficulty: int) -> float:
    torch.set_num_threads(1)  # maps this small are fastest on one thread
    maps = GridworldConfig(size=SIZE)
    worlds = make_vec_env(
        lambda: HoleWorldEnvironment(maps, difficulty=difficulty, horizon=20), n_envs=8, seed=0
    )
    learner = PPO(
        VinPolicy,
        worlds,
        policy_kwargs={"network": ValueVinConfig(iterations=10)},
        n_steps=64,
        batch_size=128,
        learning_rate=3e-3,
        gamma=0.99,
        seed=0,
    )
    learner.learn(steps)
    assert isinstance(learner.policy, VinPolicy)
    problems = sample_problems(maps, 200, rng=np.random.default_rng(1), difficulty=difficulty)
    success = success_rate(learner.policy.vin, problems)
    print(
        f"{steps} steps of PPO: {success:.1%} success on unseen maps with the goal {difficulty} moves away."
    )
    return success


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=4096)
    options.add_argument("--difficulty", type=int, default=3)
    main(**vars(options.parse_args()))

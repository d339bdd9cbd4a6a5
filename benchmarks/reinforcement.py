"""Environment steps per second of whole TRPO iterations (collecting and learning) on 8 x 8 maps with holes.

Ours plans once per map and iteration. The baseline is sb3-contrib's TRPO with the same network, which plans again for
every step, in 32 environments at once and with its default number of steps per iteration. Both have the same kind of
weights, the same kind of problems and the same threads, and are measured in turns; the best of several repeats counts.

Usage: python benchmarks/reinforcement.py [--threads 2] [--repeats 3]
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace

import torch
from sb3_contrib import TRPO
from stable_baselines3.common.env_util import make_vec_env

from vinlab.domains.gridworld.problem import GridworldConfig
from vinlab.domains.holeworld.gymnasium_env import HoleWorldEnvironment
from vinlab.experiments.rl.data import training_worlds
from vinlab.experiments.rl.settings import RlTraining, configure_vin
from vinlab.experiments.rl.train import build_critic
from vinlab.experiments.runner import seeded
from vinlab.integrations.sb3 import VinPolicy
from vinlab.learners.callbacks import NullLogger
from vinlab.learners.trpo.curriculum import CurriculumConfig
from vinlab.learners.trpo.trpo import TrpoTraining

SIZE, LEVEL = 8, 6
ENVIRONMENTS, STEPS = 32, 64


def our_iteration(config: RlTraining) -> Callable[[], int]:
    """One whole iteration of our TRPO; returns its number of environment steps."""
    learning = replace(config.learning, curriculum=CurriculumConfig(first=LEVEL, last=LEVEL))
    policy, critic = seeded(0, config.network.build), build_critic(config, 0)
    draw = training_worlds(SIZE, learning, ())
    training = TrpoTraining(policy, critic, draw, learning, seed=0, record=NullLogger())

    def run() -> int:
        training.epoch += 1
        return training.run_iteration()["steps"]

    return run


def their_iteration(config: RlTraining) -> Callable[[], int]:
    """One whole iteration of sb3-contrib's TRPO."""
    worlds = make_vec_env(
        lambda: HoleWorldEnvironment(
            GridworldConfig(size=SIZE), difficulty=LEVEL, horizon=config.learning.horizon
        ),
        n_envs=ENVIRONMENTS,
        seed=0,
    )
    learner = TRPO(
        VinPolicy,
        worlds,
        policy_kwargs={"network": config.network},
        n_steps=STEPS,
        target_kl=config.learning.trust_region.divergence,
        cg_max_steps=config.learning.trust_region.conjugate_steps,
        seed=0,
        device="cpu",
    )

    def run() -> int:
        learner.learn(ENVIRONMENTS * STEPS, reset_num_timesteps=False)
        return ENVIRONMENTS * STEPS

    return run


def rate(iteration: Callable[[], int]) -> float:
    """Environment steps per second."""
    started = time.perf_counter()
    steps = iteration()
    return steps / (time.perf_counter() - started)


def measure(repeats: int) -> dict[str, float]:
    """The best rates of both, measured in turns, and the speedup."""
    config = configure_vin(SIZE, "paper", "default")
    ours, theirs = our_iteration(config), their_iteration(config)
    ours()  # compiles
    pairs = [(rate(ours), rate(theirs)) for _ in range(repeats)]
    best, other = (max(rates) for rates in zip(*pairs, strict=True))
    return {
        "ours_steps_per_second": round(best, 1),
        "sb3_contrib_steps_per_second": round(other, 1),
        "speedup": round(best / other, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print(json.dumps({"threads": options.threads, **measure(options.repeats)}))


if __name__ == "__main__":
    main()

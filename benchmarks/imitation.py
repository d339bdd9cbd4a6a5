"""Labelled states per second of training on 28 x 28 maps: one plan per map against one plan per state.

The baseline is a VIN as it is usually written: reward and value stacked, convolved and maximised in eager PyTorch. It
reads batches of 128 states, each with its own copy of the map, so it plans once per state. Both train on trajectory
labels of the same maps, on the same threads, in turns; the best of several repeats counts.

Usage: python benchmarks/imitation.py [--threads 2]
"""

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from vinlab.domains.gridworld.expert import demonstrate_everywhere, demonstrate_trajectories
from vinlab.domains.gridworld.problem import GridworldConfig, attempt_problems
from vinlab.learners.callbacks import NullLogger
from vinlab.learners.imitation import ImitationConfig, ImitationTraining
from vinlab.learners.optimizers import Stage
from vinlab.networks.grid.configs import VinConfig
from vinlab.types import Demonstrations

SIZE, ITERATIONS, MAPS, BATCH = 28, 36, 5000, 128


class BaselineVin(nn.Module):
    """A VIN that plans once for every state."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Conv2d(2, 150, 3, padding=1)
        self.reward = nn.Conv2d(150, 1, 3, padding=1, bias=False)
        self.transition = nn.Parameter(0.01 * torch.randn(10, 2, 3, 3))
        self.policy = nn.Linear(10, 8, bias=False)

    def forward(self, observation: Tensor, states: Tensor) -> Tensor:
        reward = self.reward(self.features(observation).relu())
        value = torch.zeros_like(reward)
        for _ in range(ITERATIONS):
            q = functional.conv2d(torch.cat([reward, value], dim=1), self.transition, padding=1)
            value = q.max(dim=1, keepdim=True).values
        q = functional.conv2d(torch.cat([reward, value], dim=1), self.transition, padding=1)
        return self.policy(q[torch.arange(len(q)), :, states[:, 0], states[:, 1]])


def best_rate(update: Callable[[], float], repeats: int) -> float:
    """The highest number of labelled states per second among several updates."""
    rates = []
    for _ in range(repeats):
        started = time.perf_counter()
        states = update()
        rates.append(states / (time.perf_counter() - started))
    return max(rates)


def baseline_update(demonstrations: Demonstrations) -> Callable[[], float]:
    """Trains the baseline on a batch of 128 states."""
    network = BaselineVin()
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    problem, position = (index[:BATCH] for index in torch.nonzero(demonstrations.weights, as_tuple=True))

    def update() -> float:
        observations = demonstrations.observations[problem]
        logits = network(observations, demonstrations.states[problem, position].long())
        loss = functional.cross_entropy(logits, demonstrations.moves[problem, position].float().argmax(dim=1))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        return float(BATCH)

    return update


def shared_update(demonstrations: Demonstrations) -> Callable[[], float]:
    """Trains our VIN on 32 maps at a time, with all their labelled states."""
    config = ImitationConfig(stages=(Stage(1, 1e-3),), batch_problems=32)
    training = ImitationTraining(
        VinConfig(iterations=ITERATIONS).build(), demonstrations, config, seed=0, record=NullLogger()
    )
    chosen = torch.arange(config.batch_problems)
    return lambda: training.update(chosen)[1]


def generation_seconds() -> float:
    """The time for 5,000 attempted maps with expert, labels and seven trajectories each."""
    rng = np.random.default_rng(0)
    started = time.perf_counter()
    problems = attempt_problems(GridworldConfig(size=SIZE), MAPS, rng=rng)
    demonstrate_trajectories(problems, rng=rng)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--threads", type=int, default=2)
    torch.set_num_threads(parser.parse_args().threads)
    torch.manual_seed(0)
    generation_seconds()  # compile first
    generation = min(generation_seconds() for _ in range(2))
    rng = np.random.default_rng(1)
    problems = attempt_problems(GridworldConfig(size=SIZE), 100, rng=rng)
    labels, everywhere = demonstrate_trajectories(problems, rng=rng), demonstrate_everywhere(problems)
    baseline, ours, ours_everywhere = (
        baseline_update(labels),
        shared_update(labels),
        shared_update(everywhere),
    )
    rates = {"usual": 0.0, "ours": 0.0, "ours_everywhere": 0.0}
    for _ in range(4):
        rates["usual"] = max(rates["usual"], best_rate(baseline, 2))
        rates["ours"] = max(rates["ours"], best_rate(ours, 10))
        rates["ours_everywhere"] = max(rates["ours_everywhere"], best_rate(ours_everywhere, 10))
    speedup = rates["ours"] / rates["usual"]
    print(f"a plan per state, batch of {BATCH}: {rates['usual']:10.0f} states per second")
    print(f"a plan per map, trajectories:   {rates['ours']:10.0f} states per second ({speedup:.0f} times)")
    print(f"a plan per map, every cell:     {rates['ours_everywhere']:10.0f} states per second")
    print(f"{MAPS} attempted maps of {SIZE} x {SIZE} with expert and labels: {generation:.2f} s")
    print(
        json.dumps(
            {
                "benchmark": "imitation",
                "speedup": round(speedup, 1),
                "speedup_every_cell": round(rates["ours_everywhere"] / rates["usual"], 1),
                "states_per_second": {name: round(rate) for name, rate in rates.items()},
                "generation_seconds": round(generation, 2),
                "threads": torch.get_num_threads(),
            }
        )
    )


if __name__ == "__main__":
    main()

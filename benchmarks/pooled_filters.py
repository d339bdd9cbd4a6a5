"""Updates of the authors' hierarchical VIN on 28 x 28 maps: compiled pooled filters against PyTorch's.

The reward of the coarse level max-pools the responses of 150 filters. Both sides have the same weights and maps and one
thread, and take turns; the best of several repeats counts.

Usage: python benchmarks/pooled_filters.py
"""

import json
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import torch
from torch.nn import functional

from vinlab.domains.gridworld.problem import GridworldConfig, observe, sample_problems
from vinlab.modules import pooled_filters
from vinlab.networks.grid.configs import AuthorsHierarchicalVinConfig

SIZE, ITERATIONS, MAPS, STATES, REPEATS, UPDATES = 28, (16, 16), 12, 10, 15, 5


def best_ms(turns: dict[str, Callable[[], None]]) -> dict[str, float]:
    """The shortest mean time of some updates of each side, in milliseconds."""
    best = dict.fromkeys(turns, float("inf"))
    for _ in range(REPEATS):
        for name, turn in turns.items():
            started = time.perf_counter()
            for _ in range(UPDATES):
                turn()
            best[name] = min(best[name], 1e3 * (time.perf_counter() - started) / UPDATES)
    return {name: round(ms, 3) for name, ms in best.items()}


def main() -> None:
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    problems = sample_problems(GridworldConfig(size=SIZE), MAPS, rng=rng)
    observations = observe(problems.obstacles, problems.goals)
    network = AuthorsHierarchicalVinConfig(iterations=ITERATIONS).build()
    rewards: Any = network.reward
    coarse = rewards.levels[0]
    states = torch.from_numpy(rng.integers(1, SIZE - 1, (MAPS, STATES, 2)))
    moves = torch.from_numpy(rng.integers(0, 8, MAPS * STATES))

    def update() -> None:
        logits = network.act(network.plan(observations), states)
        functional.cross_entropy(logits.flatten(0, 1), moves).backward()

    def reward() -> None:
        coarse(observations).sum().backward()

    def by_pytorch(turn: Callable[[], None]) -> None:
        with mock.patch.object(pooled_filters, "_is_fusible", return_value=False):
            turn()

    found: dict[str, float] = {"maps": MAPS, "side": SIZE, "threads": 1}
    for name, turn in (("reward", reward), ("update", update)):
        ms = best_ms({"pytorch": lambda turn=turn: by_pytorch(turn), "compiled": turn})
        speedup = round(ms["pytorch"] / ms["compiled"], 3)
        found |= {f"{name}_{side}_ms": value for side, value in ms.items()} | {f"{name}_speedup": speedup}
        times = f"PyTorch {ms['pytorch']:.2f} ms, compiled {ms['compiled']:.2f} ms"
        print(f"{name}: {times}, {speedup:.2f} times as fast")
    print(json.dumps({**found, "speedup": found["update_speedup"]}))


if __name__ == "__main__":
    main()

"""What a VIN plans with: the moves whose kernels win the maximum of its backups, and its reward by kind of cell.

Takes shipped models, runs, or folders of runs: python examples/learned_moves.py results/runs/gridworld/16/vin
"""

import sys
from pathlib import Path

import numpy as np
import torch

import vinlab
from vinlab.domains.gridworld.problem import GridworldConfig, observe, sample_problems
from vinlab.networks.grid.learned_moves import kernels_of, moves_of_plan
from vinlab.planning import SharedKernels

PROBLEMS = 200


def describe(model: vinlab.Model, kernels: SharedKernels) -> str:
    """The moves that the model plans with, and its mean reward at goals, at obstacles and in other cells."""
    config = GridworldConfig(size=model.size)
    problems = sample_problems(config, PROBLEMS, rng=np.random.default_rng(model.size))
    observation = observe(problems.obstacles, problems.goals)
    with torch.no_grad():
        plan = model.network.plan(observation)
    free, goal = problems.obstacles == 0, observation[:, 1].numpy() > 0
    moves = moves_of_plan(plan, kernels, free)
    reward = plan.reward[:, 0].numpy()
    levels = (reward[goal].mean(), reward[~free].mean(), reward[free & ~goal].mean())
    rewards = "reward {:+.2f} at the goal, {:+.2f} at obstacles, {:+.2f} elsewhere".format(*levels)
    return f"plans with {len(moves)} of 8 moves ({', '.join(moves)}); {rewards}"


def models_in(name: str) -> list[str]:
    """The model itself, or the runs with weights in a folder of runs."""
    weights = sorted(Path(name).rglob("weights.safetensors")) if Path(name).is_dir() else []
    return [str(path.parent) for path in weights] or [name]


def main(*names: str) -> None:
    for name in [one for given in names or ("gridworld/16/vin",) for one in models_in(given)]:
        model = vinlab.load(name)
        network = model.network
        kernels = kernels_of(network) if isinstance(network, vinlab.ValueIterationNetwork) else None
        if kernels is None:
            sys.exit(
                f"{name}: expected a VIN whose backups share their kernels, got {type(network).__name__}."
            )
        print(f"{name} {describe(model, kernels)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])

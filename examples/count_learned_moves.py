"""Count the moves that a VIN plans with: the directions of the kernels that win the maximum of its backups.

Takes a shipped model, or folders of runs: python examples/count_learned_moves.py RUN [RUN ...]
"""

import sys

import numpy as np
import torch

import vinlab
from vinlab.domains.gridworld.problem import GridworldConfig, observe, sample_problems
from vinlab.planning import SharedKernels
from vinlab.types import MOVE_NAMES, MOVE_OFFSETS

PROBLEMS = 200
MINIMUM_SHARE = 0.01
"""A channel that wins in a smaller share of the free cells does not count: no value flows through it."""


def winning_shares(model: vinlab.Model) -> np.ndarray:
    """In which share of the free cells of unseen maps each channel of Q is the largest."""
    problems = sample_problems(
        GridworldConfig(size=model.size), PROBLEMS, rng=np.random.default_rng(model.size)
    )
    states = torch.zeros(PROBLEMS, 1, 2, dtype=torch.int64)
    with torch.no_grad():
        _, plan = model.network(observe(problems.obstacles, problems.goals), states)
    winners = plan.q.argmax(dim=1).numpy()[problems.obstacles == 0]
    return np.bincount(winners, minlength=plan.q.shape[1]) / len(winners)


def direction(kernel: np.ndarray) -> str:
    """The move to the neighbour that a kernel weighs most."""
    offset = np.array(np.unravel_index(kernel.argmax(), kernel.shape)) - np.array(kernel.shape) // 2
    match = (offset == MOVE_OFFSETS).all(axis=1)
    return MOVE_NAMES[match.argmax()] if match.any() else "stay"


def main(*names: str) -> None:
    for name in names or ("gridworld/16/vin",):
        model = vinlab.load(name)
        network = model.network
        kernels = (
            network.transition(torch.empty(0)) if isinstance(network, vinlab.ValueIterationNetwork) else None
        )
        if not isinstance(kernels, SharedKernels):
            sys.exit(
                f"{name}: expected a VIN whose backups share one set of kernels, got {type(network).__name__}."
            )
        values = kernels.value.detach().numpy()[:, 0]
        shares = winning_shares(model)
        moves = {
            direction(kernel) for kernel, share in zip(values, shares, strict=True) if share > MINIMUM_SHARE
        }
        planned = [move for move in MOVE_NAMES if move in moves]
        print(f"{name} plans with {len(planned)} of 8 moves: {', '.join(planned)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])

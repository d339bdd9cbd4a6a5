"""Count how often several moves are optimal, and how that bounds the prediction loss; no network is needed.

Counts on generated maps, or on a training file of the authors: python examples/count_label_ties.py FILE.mat
"""

import sys
from pathlib import Path

import numpy as np

from vinlab.domains.gridworld.author_data import LabelledMaps, read_authors_file
from vinlab.domains.gridworld.expert import DIAGONAL_FIRST, demonstrate_trajectories, optimal_moves
from vinlab.domains.gridworld.problem import GridworldConfig, attempt_problems
from vinlab.planning.exact import cost_to_go

ATTEMPTS = 2000


def generate(size: int) -> LabelledMaps:
    """Maps, states and labels as the authors made theirs."""
    rng = np.random.default_rng(size)
    problems = attempt_problems(GridworldConfig(size=size), ATTEMPTS, rng=rng)
    demonstrations = demonstrate_trajectories(problems, rng=rng)
    index, position = np.nonzero(demonstrations.weights.numpy())
    states = demonstrations.states.numpy()[index, position].astype(np.int64)
    labels = demonstrations.moves.numpy()[index, position].argmax(axis=1)
    return LabelledMaps(problems.obstacles, problems.goals, index, states, labels)


def report(name: str, data: LabelledMaps) -> None:
    optimal = optimal_moves(cost_to_go(data.obstacles, data.goals), data.obstacles)
    sets = optimal[data.index, :, data.states[:, 0], data.states[:, 1]]
    order = np.array(DIAGONAL_FIRST)
    diagonal_first = order[sets[:, order].argmax(axis=1)]
    label_probability = sets[np.arange(len(sets)), data.labels] / sets.sum(axis=1)
    print(
        f"{name}: {len(data.obstacles)} maps, {len(sets)} states, several optimal moves in "
        f"{(sets.sum(axis=1) > 1).mean():.1%}; a perfect planner differs from the label in "
        f"{(diagonal_first != data.labels).mean():.1%} if it prefers diagonals, "
        f"in {1 - label_probability.mean():.1%} if it picks at random."
    )


def main(*files: str) -> None:
    for file in files:
        report(Path(file).name, read_authors_file(file))
    for size in () if files else (8, 16, 28):
        report(f"{size} x {size}", generate(size))


if __name__ == "__main__":
    main(*sys.argv[1:])

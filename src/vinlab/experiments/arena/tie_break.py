"""The labels of Maze-Hard: one path from start to goal, whose ties are broken in a fixed order."""

from typing import Final

import numpy as np
import torch
from jaxtyping import Bool, Int

from vinlab.domains.motion.environment import possible_moves, step
from vinlab.domains.motion.expert import solve
from vinlab.domains.motion.problem import MotionProblems, observe
from vinlab.planning.moves import LayeredMoves
from vinlab.types import MOVE_NAMES, Demonstrations

ORDER: Final = tuple(MOVE_NAMES.index(name) for name in ("S", "W", "E", "N"))
"""Down, left, right, up."""


def label_paths(
    problems: MotionProblems, moves: LayeredMoves
) -> tuple[Int[np.ndarray, "B T 3"], Int[np.ndarray, "B T"], Bool[np.ndarray, "B T"]]:
    """The states of each label's path, the move made in each, and which entries are no padding."""
    solution = solve(problems, moves)
    possible = possible_moves(problems.obstacles, moves)
    ranked = solution.optimal[:, :, list(ORDER)]
    index, states, labels = np.arange(len(problems)), [problems.starts], []
    while True:
        row, col, layer = states[-1].T
        at: np.ndarray = ranked[index, layer, :, row, col]
        going = at.any(axis=1)
        if not going.any():
            break
        chosen = np.array(ORDER)[at.argmax(axis=1)]
        labels.append(np.where(going, chosen, -1))
        following = step(possible, moves, states[-1], chosen)
        states.append(np.where(going.reshape(-1, 1), following, states[-1]))
    made = np.stack(labels, axis=1)
    return np.stack(states[:-1], axis=1), made, made >= 0


def demonstrate_label_paths(problems: MotionProblems, moves: LayeredMoves) -> Demonstrations:
    """The label's own move in every state of its path; padding has weight 0."""
    states, labels, counts = label_paths(problems, moves)
    actions = np.eye(moves.num_actions, dtype=bool)[np.maximum(labels, 0)] | ~counts[..., None]
    return Demonstrations(
        observe(problems.obstacles, problems.goals, moves.num_layers),
        torch.from_numpy(states.astype(np.int16)),
        torch.from_numpy(actions),
        torch.from_numpy(counts.astype(np.float32)),
    )


def path_scores(
    actions: Int[np.ndarray, "B L H W"], problems: MotionProblems, moves: LayeredMoves
) -> dict[str, float]:
    """The share of problems whose path from the start is the label's own, and those by any shortest path."""
    states, labels, counts = label_paths(problems, moves)
    possible, index = possible_moves(problems.obstacles, moves), np.arange(len(problems))
    here, exact, lengths = problems.starts, np.ones(len(problems), bool), counts.sum(axis=1)
    for time in range(counts.shape[1]):
        row, col, layer = here.T
        going = counts[:, time]
        made = actions[index, layer, row, col]
        exact &= ~going | ((made == labels[:, time]) & (here == states[:, time]).all(axis=1))
        here = np.where(going[:, None], step(possible, moves, here, made), here)
    arrived = (here == problems.goals).all(axis=1) & (lengths > 0)
    return {"exact": float(exact.mean()), "any_shortest": float(arrived.mean())}

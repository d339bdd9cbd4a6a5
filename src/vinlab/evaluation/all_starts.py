"""Rollouts of a policy from every cell at once: each cell's move leads to one other cell, so paths form a graph."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int

from vinlab.types import Batch


@dataclass(frozen=True)
class AllStartsRollout(Batch):
    """The rollout from each cell of its map, cells counted row by row."""

    reached: Bool[np.ndarray, "B N"]
    """Whether the rollout from the cell reaches the goal."""
    lengths: Float64[np.ndarray, "B N"]
    """The length of its path; infinite where it does not reach the goal."""


def rollout_from_all_cells(
    following: Int[np.ndarray, "B N"], lengths: Float64[np.ndarray, "B N"], goals: Int[np.ndarray, " B"]
) -> AllStartsRollout:
    """The rollouts from all cells, if each cell leads to one ``following`` cell by a move of ``lengths``.

    Pointer jumping: each round joins every path to its continuation and so doubles the number of its moves.
    """
    problems = np.arange(len(goals))
    ends, travelled = following.copy(), lengths.copy()
    ends[problems, goals], travelled[problems, goals] = goals, 0.0
    for _ in range(int(following.shape[1]).bit_length()):
        travelled += np.take_along_axis(travelled, ends, axis=1)
        ends = np.take_along_axis(ends, ends, axis=1)
    reached = ends == goals[:, None]
    return AllStartsRollout(reached, np.where(reached, travelled, np.inf))

"""Letting a policy act from every cell at once: each cell's move leads to one other cell, so all ways make a graph."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int


@dataclass(frozen=True)
class AllStartsRollout:
    """Where a policy comes from each cell of its map, cells counted row by row."""

    reached: Bool[np.ndarray, "B N"]
    """Whether the way from the cell comes to the goal."""
    lengths: Float64[np.ndarray, "B N"]
    """How long the way is; infinite where it does not come to the goal."""

    def __getitem__(self, chosen: slice) -> "AllStartsRollout":
        return AllStartsRollout(self.reached[chosen], self.lengths[chosen])


def rollout_from_all_cells(
    following: Int[np.ndarray, "B N"], lengths: Float64[np.ndarray, "B N"], goals: Int[np.ndarray, " B"]
) -> AllStartsRollout:
    """The ways from all cells, if each cell leads to one ``following`` cell at a distance of ``lengths``.

    Ways are joined to their continuation again and again, so each round doubles how far all of them have come.
    """
    problems = np.arange(len(goals))
    ends, travelled = following.copy(), lengths.copy()
    ends[problems, goals], travelled[problems, goals] = goals, 0.0
    for _ in range(int(following.shape[1]).bit_length()):
        travelled += np.take_along_axis(travelled, ends, axis=1)
        ends = np.take_along_axis(ends, ends, axis=1)
    reached = ends == goals[:, None]
    return AllStartsRollout(reached, np.where(reached, travelled, np.inf))

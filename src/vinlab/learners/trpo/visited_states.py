"""Steps aggregated by problem, state and move: all that a policy update needs of many episodes.

Episodes of one problem visit the same states many times, so this is far shorter than the list of all steps.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from vinlab.learners.trpo.advantages import Episodes


@dataclass(frozen=True)
class VisitedStates:
    """The unique states of each problem that some episodes visited."""

    states: Int[Tensor, "B N 2"]
    """A problem with fewer states than another repeats its last one as padding."""
    index: Int[np.ndarray, "B S T"]
    """The index of each visited state among the unique states of its problem."""

    def spread(self, values: Float[np.ndarray, "B N"]) -> Float[np.ndarray, "B S T"]:
        """The values of the unique states, at every step of the episodes."""
        flat = self.index.reshape(len(self.index), -1)
        return np.take_along_axis(values, flat, axis=1).reshape(self.index.shape)


@dataclass(frozen=True)
class VisitStatistics:
    """Counts and advantages of the unique states, summed over all steps."""

    states: Int[Tensor, "B N 2"]
    counts: Float[Tensor, "B N"]
    """The number of steps from the state; 0 marks padding."""
    advantages: Float[Tensor, "B N M"]
    """The summed advantages of each move in the state."""

    def __len__(self) -> int:
        return len(self.states)


def unique_states(visited: Int[np.ndarray, "B S T 2"]) -> VisitedStates:
    """The unique states among those visited."""
    problems, episodes, times, _ = visited.shape
    rows, cols = (int(visited[..., axis].max()) + 1 for axis in (0, 1))
    problem = np.arange(problems).reshape(-1, 1, 1)
    keys = (problem * rows + visited[..., 0]) * cols + visited[..., 1]
    different, which = np.unique(keys, return_inverse=True)
    owner = different // (rows * cols)
    place = np.arange(len(different)) - np.searchsorted(owner, owner)
    first, last = (np.searchsorted(owner, np.arange(problems), side) for side in ("left", "right"))
    filled = np.minimum(first[:, None] + np.arange(int(place.max()) + 1), last[:, None] - 1)
    states = np.stack(np.divmod(different[filled] % (rows * cols), cols), axis=-1)
    return VisitedStates(torch.from_numpy(states), place[which].reshape(problems, episodes, times))


def aggregate(
    episodes: Episodes,
    visited: VisitedStates,
    advantages: Float[np.ndarray, "B S T"],
    targets: Float[np.ndarray, "B S T"],
) -> tuple[VisitStatistics, Float[Tensor, "B N"]]:
    """The visits of every unique state, and the mean of the critic's targets there."""
    shape, made, moves = visited.states.shape[:2], episodes.made, episodes.num_moves
    slots = (np.nonzero(made)[0] * shape[1]) + visited.index[..., :-1][made]
    counts = _sums(slots, None, shape)
    by_move = _sums(slots * moves + episodes.moves[made], advantages[made], (*shape, moves))
    wanted = _sums(slots, targets[made], shape) / counts.clamp(min=1)
    return VisitStatistics(visited.states, counts, by_move), wanted


def _sums(slots: np.ndarray, amounts: np.ndarray | None, shape: tuple[int, ...]) -> Tensor:
    found = np.bincount(slots, amounts, minlength=int(np.prod(shape))).reshape(shape)
    return torch.as_tensor(found, dtype=torch.float32)

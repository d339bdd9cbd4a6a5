"""Steps added up by problem, state and move: all that a policy's step needs to know of many episodes.

Episodes of one problem pass the same states again and again, so this is far shorter than the list of all steps.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from vinlab.learners.trpo.advantages import Episodes


@dataclass(frozen=True)
class VisitedStates:
    """The different states of each problem that some episodes came to."""

    states: Int[Tensor, "B N 2"]
    """A problem that has fewer states than another repeats its last one."""
    index: Int[np.ndarray, "B S T"]
    """Which of its problem's states each passed state is."""

    def spread(self, values: Float[np.ndarray, "B N"]) -> Float[np.ndarray, "B S T"]:
        """A number of each different state, wherever an episode passed it."""
        flat = self.index.reshape(len(self.index), -1)
        return np.take_along_axis(values, flat, axis=1).reshape(self.index.shape)


@dataclass(frozen=True)
class VisitStatistics:
    """What was done in which states, added up over all steps that were made there."""

    states: Int[Tensor, "B N 2"]
    counts: Float[Tensor, "B N"]
    """How many steps were made from the state; 0 marks filler."""
    advantages: Float[Tensor, "B N M"]
    """The sum of the advantages of each move over those steps."""

    def __len__(self) -> int:
        return len(self.states)


def unique_states(passed: Int[np.ndarray, "B S T 2"]) -> VisitedStates:
    """The different states among those that were passed."""
    problems, episodes, times, _ = passed.shape
    rows, cols = (int(passed[..., axis].max()) + 1 for axis in (0, 1))
    problem = np.arange(problems).reshape(-1, 1, 1)
    keys = (problem * rows + passed[..., 0]) * cols + passed[..., 1]
    different, which = np.unique(keys, return_inverse=True)
    owner = different // (rows * cols)
    place = np.arange(len(different)) - np.searchsorted(owner, owner)
    first, last = (np.searchsorted(owner, np.arange(problems), side) for side in ("left", "right"))
    filled = np.minimum(first[:, None] + np.arange(int(place.max()) + 1), last[:, None] - 1)
    states = np.stack(np.divmod(different[filled] % (rows * cols), cols), axis=-1)
    return VisitedStates(torch.from_numpy(states), place[which].reshape(problems, episodes, times))


def aggregate(
    episodes: Episodes,
    sites: VisitedStates,
    advantages: Float[np.ndarray, "B S T"],
    targets: Float[np.ndarray, "B S T"],
) -> tuple[VisitStatistics, Float[Tensor, "B N"]]:
    """The visits of every different state, and the mean of the critic's targets there."""
    shape, made, moves = sites.states.shape[:2], episodes.made, episodes.num_moves
    slots = (np.nonzero(made)[0] * shape[1]) + sites.index[..., :-1][made]
    counts = _sums(slots, None, shape)
    by_move = _sums(slots * moves + episodes.moves[made], advantages[made], (*shape, moves))
    wanted = _sums(slots, targets[made], shape) / counts.clamp(min=1)
    return VisitStatistics(sites.states, counts, by_move), wanted


def _sums(slots: np.ndarray, amounts: np.ndarray | None, shape: tuple[int, ...]) -> Tensor:
    found = np.bincount(slots, amounts, minlength=int(np.prod(shape))).reshape(shape)
    return torch.as_tensor(found, dtype=torch.float32)

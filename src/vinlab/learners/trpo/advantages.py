"""Generalised advantage estimation, GAE (Schulman et al. 2016)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int


@dataclass(frozen=True)
class Episodes:
    """Several episodes of each problem; steps after the end of an episode are padding."""

    states: Int[np.ndarray, "B S U 2"]
    """The states from the start on; one more than there are moves."""
    moves: Int[np.ndarray, "B S T"]
    rewards: Float[np.ndarray, "B S T"]
    made: Bool[np.ndarray, "B S T"]
    """False in padding."""
    ended: Bool[np.ndarray, "B S T"]
    """Whether the episode terminates with this move; False where it is only truncated."""

    num_moves: int
    """The size of the action space."""

    @property
    def num_steps(self) -> int:
        """The number of steps without padding."""
        return int(self.made.sum())


def discounted_returns(episodes: Episodes, discount: float) -> Float[np.ndarray, "B S"]:
    """The discounted sum of the rewards of each episode."""
    weights = discount ** np.arange(episodes.rewards.shape[-1])
    return (episodes.rewards * episodes.made * weights).sum(axis=-1)


def generalised_advantages(
    episodes: Episodes, values: Float[np.ndarray, "B S U"], *, discount: float, gae_lambda: float
) -> Float[np.ndarray, "B S T"]:
    """The advantage of every move, with ``values`` as the critic's estimates.

    ``gae_lambda`` trades bias against variance: 0 gives the one-step TD error, 1 the discounted return minus the
    value. A truncated episode is bootstrapped with the value of its last state.
    """
    following = np.where(episodes.ended, 0.0, values[..., 1:])
    deltas = episodes.rewards + discount * following - values[..., :-1]
    advantages, later = np.zeros_like(deltas), np.zeros(deltas.shape[:-1])
    for time in reversed(range(deltas.shape[-1])):
        later = deltas[..., time] + discount * gae_lambda * np.where(episodes.ended[..., time], 0.0, later)
        later = np.where(episodes.made[..., time], later, 0.0)
        advantages[..., time] = later
    return advantages

"""How much better a move turned out than was to be expected: generalised advantages (Schulman et al. 2016)."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int


@dataclass(frozen=True)
class Episodes:
    """What happened in some episodes of each problem; after its end an episode has filler that does not count."""

    states: Int[np.ndarray, "B S U 2"]
    """From the start on, up to the state that the last move led to: one more than there are moves."""
    moves: Int[np.ndarray, "B S T"]
    rewards: Float[np.ndarray, "B S T"]
    made: Bool[np.ndarray, "B S T"]
    """Whether the move was made at all."""
    ended: Bool[np.ndarray, "B S T"]
    """Whether the world ended the episode with this move; one that merely ran out of time goes on elsewhere."""

    num_moves: int
    """How many moves there are to choose from."""

    @property
    def num_steps(self) -> int:
        """How many moves were made."""
        return int(self.made.sum())


def discounted_returns(episodes: Episodes, discount: float) -> Float[np.ndarray, "B S"]:
    """The discounted sum of the rewards of each episode."""
    weights = discount ** np.arange(episodes.rewards.shape[-1])
    return (episodes.rewards * episodes.made * weights).sum(axis=-1)


def generalised_advantages(
    episodes: Episodes, values: Float[np.ndarray, "B S U"], *, discount: float, gae_lambda: float
) -> Float[np.ndarray, "B S T"]:
    """The advantage of every move, with ``values`` as what was expected of every state.

    ``gae_lambda`` (lambda) weighs what followed against what the values promised: 0 believes the values, 1 the
    rewards. An episode that ran out of time is taken to earn the value of its last state from there on.
    """
    following = np.where(episodes.ended, 0.0, values[..., 1:])
    surprises = episodes.rewards + discount * following - values[..., :-1]
    advantages, later = np.zeros_like(surprises), np.zeros(surprises.shape[:-1])
    for time in reversed(range(surprises.shape[-1])):
        later = surprises[..., time] + discount * gae_lambda * np.where(episodes.ended[..., time], 0.0, later)
        later = np.where(episodes.made[..., time], later, 0.0)
        advantages[..., time] = later
    return advantages

"""States of many maps as a list without repetition, for networks that look at every state by itself."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True)
class DistinctStates:
    """The different states among those that were asked for."""

    owner: Int[Tensor, " N"]
    """Which map each belongs to."""
    places: Int[Tensor, "N 2"]
    """Its row and column."""
    which: Int[Tensor, "B S"]
    """Which of these each state that was asked for is."""

    def spread(self, found: Float[Tensor, "N M"]) -> Float[Tensor, "B S M"]:
        """What was found for each different state, wherever it was asked for."""
        return found[self.which]


def distinct(states: Int[Tensor, "B S 2"], size: int) -> DistinctStates:
    """The different states on square maps of this side."""
    owners = torch.arange(len(states), device=states.device)[:, None]
    keys = (owners * size + states[..., 0].long()) * size + states[..., 1].long()
    different, which = keys.unique(return_inverse=True)
    places = torch.stack([different // size % size, different % size], dim=1)
    return DistinctStates(different // size**2, places, which)

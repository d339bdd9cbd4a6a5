"""The unique states of a batch of maps, for networks that compute every state separately."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True)
class UniqueStates:
    """The unique states among those of a query."""

    owner: Int[Tensor, " N"]
    """The map of each state."""
    places: Int[Tensor, "N 2"]
    """Row and column of each state."""
    which: Int[Tensor, "B S"]
    """The index of each state of the query among the unique ones."""

    def spread(self, found: Float[Tensor, "N M"]) -> Float[Tensor, "B S M"]:
        """The results of the unique states, at every state of the query."""
        return found[self.which]


def unique_states(states: Int[Tensor, "B S 2"], size: int) -> UniqueStates:
    """The unique states on square maps of this side."""
    owners = torch.arange(len(states), device=states.device)[:, None]
    keys = (owners * size + states[..., 0].long()) * size + states[..., 1].long()
    different, which = keys.unique(return_inverse=True)
    places = torch.stack([different // size % size, different % size], dim=1)
    return UniqueStates(different // size**2, places, which)

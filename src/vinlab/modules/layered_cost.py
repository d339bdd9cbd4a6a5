"""Reward, transition, attention and policy parts for states with layers."""

from typing import Final

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from vinlab.modules.move_cost import GAIN, MOST_LOG_PRICE
from vinlab.planning.layered_search import LayeredCostMap, LayeredPlan
from vinlab.planning.moves import LayeredMoves

GOALS_FROM: Final = 1
"""The first channel of goal marks, one for each layer; the channels before it are seen by the costs."""


class LayeredMoveCosts(nn.Module):
    """``MoveCosts`` for states with layers: the length of each action times a price that a small CNN gives.

    Prices are relative: the cheapest cell of a map has the price 1, as a common factor of all costs changes no path.
    The price belongs to the cell, or, with ``by_move``, to each action of each layer in the cell. Where it belongs to
    the cell and ``width`` is 1, all floor costs the same, so ties stay ties at any distance. The channels from
    ``GOALS_FROM`` on mark the terminal states of the layers.
    """

    lengths: Tensor

    def __init__(
        self, moves: LayeredMoves, *, hidden: int = 32, width: int = 1, by_move: bool = False
    ) -> None:
        super().__init__()
        self.shape = (moves.num_layers, moves.num_actions) if by_move else (1, 1)
        self.features = nn.Conv2d(GOALS_FROM, hidden, width, padding=width // 2)
        # Without a bias, which would be a common factor, where there is one price for a cell.
        self.log_price = nn.Conv2d(hidden, self.shape[0] * self.shape[1], 1, bias=by_move)
        lengths = torch.as_tensor(moves.lengths, dtype=torch.float32)
        self.register_buffer("lengths", lengths[:, :, None, None], persistent=False)
        with torch.no_grad():
            self.log_price.weight.mul_(0.1)

    def forward(self, observation: Float[Tensor, "B C H W"]) -> LayeredCostMap:
        """The costs, and the states that the goal channels mark."""
        return LayeredCostMap(self.costs(observation), self.terminals(observation))

    def costs(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B L A H W"]:
        """The cost of each action in each state, whatever the goal."""
        features = self.features(observation[:, :GOALS_FROM]).relu_()
        log_price = GAIN * self.log_price(features)
        prices = (log_price - log_price.amin(dim=(1, 2, 3), keepdim=True)).clamp(max=MOST_LOG_PRICE).exp()
        return self.lengths * prices.unflatten(1, self.shape)

    def terminals(self, observation: Float[Tensor, "B C H W"]) -> Bool[Tensor, "B L H W"]:
        """The states that are marked as goals."""
        return observation[:, GOALS_FROM:] > 0


class KnownLayeredMoves(nn.Module):
    """A transition part without weights: the table of moves, whatever the observation."""

    def __init__(self, moves: LayeredMoves) -> None:
        super().__init__()
        self.moves = moves

    def forward(self, observation: Tensor) -> LayeredMoves:
        """The table."""
        return self.moves


class LayeredAttention(nn.Module):
    """Attends to the value of each action in the agent's own cell and layer."""

    def forward(self, plan: LayeredPlan, states: Int[Tensor, "B S X"]) -> Float[Tensor, "B S A"]:
        """The q of each state ``(row, col, layer)``; without a layer the first."""
        return gather_layered(plan.q, states)


def gather_layered(image: Float[Tensor, "B L A H W"], states: Int[Tensor, "B S X"]) -> Float[Tensor, "B S A"]:
    """The entries of the image at some states of each problem."""
    _, _, actions, rows, cols = image.shape
    row, col, *layers = states.long().unbind(-1)
    layer = layers[0] if layers else torch.zeros_like(row)
    flat = image.transpose(1, 2).flatten(2)
    places = ((layer * rows + row) * cols + col)[:, None].expand(-1, actions, -1)
    return flat.gather(2, places).transpose(1, 2)


class PreferencePolicy(nn.Module):
    """The values divided by a learned temperature, plus a learned preference for each move.

    Where moves are equally good the preference decides, as an expert does who breaks ties in a fixed order.
    """

    def __init__(self, *, moves: int, log_inverse_temperature: float = 0.0) -> None:
        super().__init__()
        self.log_inverse_temperature = nn.Parameter(torch.tensor(log_inverse_temperature))
        self.preference = nn.Parameter(torch.zeros(moves))

    def forward(self, attended: Float[Tensor, "B S A"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves in every state."""
        return attended * self.log_inverse_temperature.exp() + self.preference

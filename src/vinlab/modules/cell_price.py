"""A reward part for planners to the fixed point: one price for each cell, where moves cost the mean of two cells."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional

from vinlab.modules.move_cost import FIRST_LOG_PRICE, GAIN, MOST_LOG_PRICE
from vinlab.planning.costs import CostMap, MoveTable


class CellPrices(nn.Module):
    """A cost for each move in each cell: its length times the mean price of its two cells, which a small CNN gives.

    The CNN gives the logarithm of a price, between exp(-20) and exp(20), from all channels of the observation but the
    goal channel, which marks the terminal cells. With ``width=1`` a price depends on its own cell alone.
    """

    sees_costs = True
    """That one of the channels of its observation holds the costs of the map."""

    lengths: Tensor

    def __init__(
        self,
        *,
        channels: int,
        goal_channel: int = 1,
        hidden: int = 32,
        width: int = 1,
        moves: MoveTable | None = None,
    ) -> None:
        super().__init__()
        self.moves = MoveTable() if moves is None else moves
        self.goal_channel = goal_channel
        self.seen = [channel for channel in range(channels) if channel != goal_channel]
        self.features = nn.Conv2d(len(self.seen), hidden, width, padding=width // 2)
        self.log_price = nn.Conv2d(hidden, 1, 1)
        lengths = torch.as_tensor(self.moves.lengths, dtype=torch.float32)
        self.register_buffer("lengths", lengths[:, None, None], persistent=False)
        assert self.log_price.bias is not None
        with torch.no_grad():
            self.log_price.weight.mul_(0.1)
            self.log_price.bias.fill_(FIRST_LOG_PRICE / GAIN)

    def forward(self, observation: Float[Tensor, "B C H W"]) -> CostMap:
        """The costs, and the cells that the goal channel marks."""
        return CostMap(self.costs(observation), self.terminals(observation))

    def prices(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B H W"]:
        """The price of each cell, whatever the goal."""
        features = self.features(observation[:, self.seen]).relu()
        return (GAIN * self.log_price(features)[:, 0]).clamp(-MOST_LOG_PRICE, MOST_LOG_PRICE).exp()

    def costs(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B A H W"]:
        """The cost of each move in each cell, whatever the goal."""
        prices = self.prices(observation)
        rows, cols = prices.shape[1:]
        reach = int(abs(self.moves.offsets).max())
        around = functional.pad(prices, (reach,) * 4, value=1.0)
        entered = [
            around[:, reach + down : reach + down + rows, reach + right : reach + right + cols]
            for down, right in self.moves.offsets.tolist()
        ]
        return self.lengths * (prices[:, None] + torch.stack(entered, dim=1)) / 2

    def terminals(self, observation: Float[Tensor, "B C H W"]) -> Bool[Tensor, "B H W"]:
        """The cells that are marked as goals."""
        return observation[:, self.goal_channel] > 0

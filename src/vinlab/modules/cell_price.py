"""A reward part for planners to the fixed point: one price for each cell, where moves cost the mean of two cells."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from vinlab.modules.move_cost import GAIN, MOST_LOG_PRICE, PricedMoves
from vinlab.planning.costs import MoveTable, mean_cost


class CellPrices(PricedMoves):
    """A cost for each move in each cell: its length times the mean price of its two cells, which a small CNN gives.

    The CNN gives the logarithm of a price, between exp(-20) and exp(20), from all channels of the observation but the
    goal channel, which marks the terminal cells. With ``width=1`` a price depends on its own cell alone.
    """

    sees_costs = True
    """That one of the channels of its observation holds the costs of the map."""

    def __init__(
        self,
        *,
        channels: int,
        goal_channel: int = 1,
        hidden: int = 32,
        width: int = 1,
        moves: MoveTable | None = None,
    ) -> None:
        moves = MoveTable() if moves is None else moves
        super().__init__(
            moves, prices=1, channels=channels, goal_channel=goal_channel, hidden=hidden, width=width
        )
        self.moves = moves

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
        return mean_cost(self.lengths, prices[:, None], torch.stack(entered, dim=1))

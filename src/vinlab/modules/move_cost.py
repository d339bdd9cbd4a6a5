"""Reward and transition parts for planners to the fixed point: costs of moves or cells, known moves, terminal cells."""

from abc import abstractmethod
from typing import Final

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from vinlab.planning.costs import CostMap, MoveTable, entered, mean_cost
from vinlab.planning.fixed_point import TerminalReward

MOST_LOG_PRICE: Final = 20.0
"""The largest logarithm of a price; beyond it a price has no gradient."""

GAIN: Final = 3.0
"""What the last layer is multiplied by: prices of floor and wall must differ by orders of magnitude."""

FIRST_LOG_PRICE: Final = 0.9
"""Of all moves before learning: above zero, so that every price can rise and fall."""


class PricedMoves(nn.Module):
    """A small CNN for prices, which sees all channels of the observation but the one that marks the terminal cells."""

    lengths: Tensor

    def __init__(
        self,
        *,
        channels: int = 2,
        goal_channel: int = 1,
        hidden: int = 32,
        width: int = 1,
        moves: MoveTable | None = None,
        by_move: bool = False,
    ) -> None:
        super().__init__()
        self.moves = MoveTable() if moves is None else moves
        self.goal_channel = goal_channel
        self.seen = [channel for channel in range(channels) if channel != goal_channel]
        self.features = nn.Conv2d(len(self.seen), hidden, width, padding=width // 2)
        self.log_price = nn.Conv2d(hidden, len(self.moves) if by_move else 1, 1)
        lengths = torch.as_tensor(self.moves.lengths, dtype=torch.float32)
        self.register_buffer("lengths", lengths[:, None, None], persistent=False)
        assert self.log_price.bias is not None
        with torch.no_grad():
            self.log_price.weight.mul_(0.1)
            self.log_price.bias.fill_(FIRST_LOG_PRICE / GAIN)

    def forward(self, observation: Float[Tensor, "B C H W"]) -> CostMap:
        """The costs, and the cells that the goal channel marks."""
        return CostMap(self.costs(observation), self.terminals(observation))

    @abstractmethod
    def costs(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B A H W"]:
        """The cost of each move in each cell, whatever the goal."""

    def terminals(self, observation: Float[Tensor, "B C H W"]) -> Bool[Tensor, "B H W"]:
        """The cells that are marked as goals."""
        return observation[:, self.goal_channel] > 0


class MoveCosts(PricedMoves):
    """A cost for each move in each cell: the length of the move times a price that a small CNN gives.

    A price is at least 1 and reaches it, so all moves that are found to be ordinary cost exactly their length: a
    difference of a thousandth between two pieces of floor would change the shortest path over a thousand cells.
    Between 1 and exp(20) the CNN gives the logarithm of the price.

    It sees all channels of the observation but the goal channel, which marks the terminal cells: costs do not depend
    on the goal, so a map is looked at once (``costs``) and planned for many goals. With ``width=3`` a cost depends on
    the eight cells around; with ``width=1`` on the cell alone.
    """

    def __init__(
        self,
        *,
        channels: int = 2,
        goal_channel: int = 1,
        hidden: int = 32,
        width: int = 3,
        moves: MoveTable | None = None,
    ) -> None:
        options = {"hidden": hidden, "width": width, "by_move": True}
        super().__init__(channels=channels, goal_channel=goal_channel, moves=moves, **options)
        # With channels last, and without a second image of the features, the costs of a large map take half the time.
        self.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]

    def costs(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B A H W"]:
        """The cost of each move in each cell, whatever the goal."""
        features = self.features(observation[:, self.seen]).relu_()
        return self.lengths * (GAIN * self.log_price(features)).clamp(0.0, MOST_LOG_PRICE).exp()


class CellPrices(PricedMoves):
    """A cost for each move in each cell: its length times the mean price of its two cells, which a small CNN gives.

    The CNN gives the logarithm of a price, between exp(-20) and exp(20), from all channels of the observation but the
    goal channel, which marks the terminal cells. With ``width=1`` a price depends on its own cell alone.
    """

    sees_costs = True
    """That one of the channels of its observation holds the costs of the map."""

    def prices(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B H W"]:
        """The price of each cell, whatever the goal."""
        features = self.features(observation[:, self.seen]).relu()
        return (GAIN * self.log_price(features)[:, 0]).clamp(-MOST_LOG_PRICE, MOST_LOG_PRICE).exp()

    def costs(self, observation: Float[Tensor, "B C H W"]) -> Float[Tensor, "B A H W"]:
        """The cost of each move in each cell, whatever the goal."""
        prices = self.prices(observation)
        return mean_cost(self.lengths, prices[:, None], entered(prices, self.moves.offsets, value=1.0))


class KnownMoves(nn.Module):
    """A transition part without weights: the table of moves, whatever the observation."""

    def __init__(self, moves: MoveTable | None = None) -> None:
        super().__init__()
        self.moves = MoveTable() if moves is None else moves

    def forward(self, observation: Tensor) -> MoveTable:
        """The table."""
        return self.moves


class WithTerminals(nn.Module):
    """A reward part for planners to the fixed point: a reward below zero, and the goal channel's terminal cells."""

    def __init__(self, reward: nn.Module, *, goal_channel: int = 1) -> None:
        super().__init__()
        self.reward = reward
        self.goal_channel = goal_channel

    def forward(self, observation: Float[Tensor, "B C H W"]) -> TerminalReward:
        """The reward of each cell, and the cells in which a path may end."""
        return TerminalReward(self.reward(observation), observation[:, self.goal_channel] > 0)

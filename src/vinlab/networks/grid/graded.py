"""A VIN for maps with costs: it learns what the shown costs mean, and plans to the fixed point."""

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from vinlab.modules import StateAttention, TemperaturePolicy
from vinlab.modules.cell_price import CellPrices
from vinlab.modules.move_cost import KnownMoves
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning.shortest_path import ShortestPathPlanner


@dataclass(frozen=True)
class GradedVinConfig:
    """A VIN that learns one price for each cell from what is shown of it and plans until the value settles."""

    kind: ClassVar[str] = "graded-vin"
    hidden: int = 32
    width: int = 1
    """Of the filters; with 1 a price depends on its own cell alone."""
    channels: int = 3
    """Obstacles, goal, and the logarithm of the cost."""
    goal_channel: int = 1
    log_inverse_temperature: float = 2.0
    """Of the policy before training."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        policy = TemperaturePolicy()
        nn.init.constant_(policy.log_inverse_temperature, self.log_inverse_temperature)
        prices = CellPrices(
            channels=self.channels, goal_channel=self.goal_channel, hidden=self.hidden, width=self.width
        )
        return ValueIterationNetwork(
            reward=prices,
            transition=KnownMoves(),
            planner=ShortestPathPlanner(),
            attention=StateAttention(),
            policy=policy,
        )

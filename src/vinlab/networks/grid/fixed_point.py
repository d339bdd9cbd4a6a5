"""VINs that plan to the fixed point: learned costs of known moves, at any distance from the goal."""

from dataclasses import dataclass
from typing import ClassVar

from vinlab.modules import StateAttention, TemperaturePolicy
from vinlab.modules.move_cost import CellPrices, KnownMoves, MoveCosts, PricedMoves
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning.shortest_path import ShortestPathPlanner


@dataclass(frozen=True)
class FixedPointVinConfig:
    """A VIN that learns the cost of each of the eight moves in each cell and plans until the value settles."""

    kind: ClassVar[str] = "fixed-point-vin"
    reward: ClassVar[type[PricedMoves]] = MoveCosts
    hidden: int = 32
    width: int = 3
    """Of the filters; with 1 a cost depends on its own cell alone."""
    channels: int = 2
    goal_channel: int = 1
    log_inverse_temperature: float = 3.5
    """Of the policy before training; high, so that training does not raise the price of the floor instead."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        seen = {"channels": self.channels, "goal_channel": self.goal_channel}
        return ValueIterationNetwork(
            reward=self.reward(**seen, hidden=self.hidden, width=self.width),  # pyright: ignore
            transition=KnownMoves(),
            planner=ShortestPathPlanner(),
            attention=StateAttention(),
            policy=TemperaturePolicy(log_inverse_temperature=self.log_inverse_temperature),
        )


@dataclass(frozen=True)
class GradedVinConfig(FixedPointVinConfig):
    """The same for maps with costs: it learns one price for each cell from what is shown of it."""

    kind: ClassVar[str] = "graded-vin"
    reward: ClassVar = CellPrices
    width: int = 1
    channels: int = 3
    """Obstacles, goal, and the logarithm of the cost."""
    log_inverse_temperature: float = 2.0

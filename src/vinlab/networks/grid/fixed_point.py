"""A VIN that plans to the fixed point: learned costs of known moves, at any distance from the goal."""

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from vinlab.modules import StateAttention, TemperaturePolicy
from vinlab.modules.move_cost import KnownMoves, MoveCosts
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning.shortest_path import ShortestPathPlanner


@dataclass(frozen=True)
class FixedPointVinConfig:
    """A VIN that learns the cost of each of the eight moves in each cell and plans until the value settles."""

    kind: ClassVar[str] = "fixed-point-vin"
    hidden: int = 32
    width: int = 3
    """Of the filters; with 1 a cost depends on its own cell alone."""
    channels: int = 2
    goal_channel: int = 1
    log_inverse_temperature: float = 3.5
    """Of the policy before training; high, so that training does not raise the price of the floor instead."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        policy = TemperaturePolicy()
        nn.init.constant_(policy.log_inverse_temperature, self.log_inverse_temperature)
        return ValueIterationNetwork(
            reward=MoveCosts(
                channels=self.channels, goal_channel=self.goal_channel, hidden=self.hidden, width=self.width
            ),
            transition=KnownMoves(),
            planner=ShortestPathPlanner(),
            attention=StateAttention(),
            policy=policy,
        )

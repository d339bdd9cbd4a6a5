"""A VIN that plans to the fixed point: learned costs of known moves, at any distance from the goal."""

from dataclasses import dataclass

from torch import nn

from vinlab.design import SharpPolicy, StateAttention
from vinlab.modules.move_cost import KnownMoves, MoveCosts
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning.shortest_path import ShortestPathPlanner


@dataclass(frozen=True)
class FixedPointVinConfig:
    """A VIN that learns the cost of each of the eight moves in each cell and plans until the value settles."""

    hidden: int = 32
    width: int = 3
    """Of the filters; with 1 a cost depends on its own cell alone."""
    channels: int = 2
    goal_channel: int = 1
    sharpness: float = 3.5
    """Logarithm of the policy's sharpness before learning; high, so that not the floor's price is raised instead."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        policy = SharpPolicy()
        nn.init.constant_(policy.sharpness, self.sharpness)
        return ValueIterationNetwork(
            reward=MoveCosts(
                channels=self.channels, goal_channel=self.goal_channel, hidden=self.hidden, width=self.width
            ),
            transition=KnownMoves(),
            planner=ShortestPathPlanner(),
            attention=StateAttention(),
            policy=policy,
        )

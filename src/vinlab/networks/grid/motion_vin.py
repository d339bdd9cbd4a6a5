"""A VIN for states with layers that plans to the fixed point: learned costs of the moves of a table."""

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from vinlab.modules import TemperaturePolicy
from vinlab.modules.layered_cost import (
    KnownLayeredMoves,
    LayeredAttention,
    LayeredMoveCosts,
    PreferencePolicy,
)
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning.layered_search import LayeredShortestPathPlanner
from vinlab.planning.moves import LayeredMoves, motion_named


@dataclass(frozen=True)
class MotionVinConfig:
    """A VIN that learns the cost of each move in each cell and layer and plans until the value settles."""

    kind: ClassVar[str] = "motion-vin"
    motion: str = "four"
    """A ready table of moves."""
    hidden: int = 25
    width: int = 1
    """Of the filters; with 1 a cost depends on its own cell alone, and all floor costs the same."""
    by_move: bool = False
    """Whether each move of each layer has a price of its own, or the cell has one for all."""
    log_inverse_temperature: float = 1.5
    """Of the policy before training."""
    preference: bool = False
    """Whether the policy also learns which of equally good moves to take."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        return self.build_for(motion_named(self.motion))

    def build_for(self, moves: LayeredMoves) -> ValueIterationNetwork:
        """The same for a table of one's own."""
        return ValueIterationNetwork(
            reward=LayeredMoveCosts(moves, hidden=self.hidden, width=self.width, by_move=self.by_move),
            transition=KnownLayeredMoves(moves),
            planner=LayeredShortestPathPlanner(),
            attention=LayeredAttention(),
            policy=self._policy(moves.num_actions),
        )

    def _policy(self, moves: int) -> nn.Module:
        policy = PreferencePolicy if self.preference else TemperaturePolicy
        return policy(moves=moves, log_inverse_temperature=self.log_inverse_temperature)

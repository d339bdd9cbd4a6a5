"""A VIN for goals at any distance: what lies between is a sum of costs, of which nothing is lost on the way."""

from dataclasses import dataclass

from vinlab.design import CnnReward, CostReward, LosslessTransition, SharpPolicy, StateAttention, sure_moves
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner


@dataclass(frozen=True)
class LosslessVinConfig:
    """A VIN whose cells cost something, whose transitions lose nothing, and whose moves are planner actions."""

    iterations: int
    hidden: int = 150
    sharpness: float = 10.0
    """How sure the moves are at the start; see ``sure_moves``."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        moves = sure_moves(sharpness=self.sharpness)
        return ValueIterationNetwork(
            reward=CostReward(CnnReward(hidden=self.hidden)),
            transition=LosslessTransition(chances=moves, weights=moves),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=SharpPolicy(),
        )

"""A VIN for goals at any distance: what lies between is a sum of costs, of which nothing is lost on the way."""

from dataclasses import dataclass

from vinlab.modules import (
    CnnReward,
    CostReward,
    HierarchicalReward,
    HierarchicalTransition,
    LosslessTransition,
    SharpPolicy,
    StateAttention,
    cost_of_leaving,
    sure_moves,
)
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner, HierarchicalPlanner, as_guess
from vinlab.types import MOVE_NAMES


@dataclass(frozen=True)
class LosslessVinConfig:
    """A VIN whose cells cost something, whose transitions lose nothing, and whose moves are planner actions."""

    iterations: int
    hidden: int = 150
    sharpness: float = 14.0
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


@dataclass(frozen=True)
class LosslessHierarchicalVinConfig:
    """The same on several levels: what lies further than K steps is worth what a coarser plan says.

    A coarse cell has a cost for each move that leaves it beside its own: whether a block of cells can be left that
    way is more than one number can say.
    """

    iterations: tuple[int, ...]
    """K of each level, from coarse to fine."""
    factor: int = 2
    hidden: int = 150
    sharpness: float = 14.0
    leaving: float = 0.3
    """How much of the cost of leaving a coarse cell counts at the start."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        levels = [self._level(depth) for depth in range(len(self.iterations) - 1, -1, -1)]
        rewards, transitions = zip(*levels, strict=True)
        return ValueIterationNetwork(
            reward=HierarchicalReward(rewards),
            transition=HierarchicalTransition(transitions),
            planner=HierarchicalPlanner(iterations=self.iterations, factor=self.factor, hand_over=as_guess),
            attention=StateAttention(),
            policy=SharpPolicy(),
        )

    def _level(self, depth: int) -> tuple[CostReward, LosslessTransition]:
        """Reward and transition of the level that is ``depth`` levels coarser than the map."""
        moves = sure_moves(sharpness=self.sharpness)
        costs = 1 + len(MOVE_NAMES) if depth else 1
        weights = cost_of_leaving(moves, self.leaving) if depth else moves
        reward = CnnReward(hidden=self.hidden, rewards=costs, coarser=self.factor**depth)
        return CostReward(reward), LosslessTransition(chances=moves, weights=weights)

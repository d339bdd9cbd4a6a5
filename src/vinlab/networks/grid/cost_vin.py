"""A VIN for goals at any distance: what lies between is a sum of costs, of which nothing is lost on the way."""

from dataclasses import dataclass
from typing import ClassVar

from vinlab.modules import (
    CnnReward,
    ExpCostReward,
    HierarchicalReward,
    HierarchicalTransition,
    SoftmaxTransition,
    StateAttention,
    TemperaturePolicy,
    exit_cost_logits,
    move_logits,
)
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner, HierarchicalPlanner, coarse_as_initial_value
from vinlab.types import MOVE_NAMES


@dataclass(frozen=True)
class CostVinConfig:
    """A VIN whose cells cost something, whose transitions lose nothing, and whose moves are planner actions."""

    kind: ClassVar[str] = "cost-vin"
    iterations: int
    hidden: int = 150
    move_logit: float = 14.0
    """How sure the moves are at the start; see ``move_logits``."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        moves = move_logits(logit=self.move_logit)
        return ValueIterationNetwork(
            reward=ExpCostReward(CnnReward(hidden=self.hidden)),
            transition=SoftmaxTransition(transition_logits=moves, cost_logits=moves),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=TemperaturePolicy(),
        )


@dataclass(frozen=True)
class HierarchicalCostVinConfig:
    """The same on several levels: what lies further than K steps is worth what a coarser plan says.

    A coarse cell has a cost for each move that leaves it beside its own: whether a block of cells can be left that
    way is more than one number can say.
    """

    kind: ClassVar[str] = "hierarchical-cost-vin"
    iterations: tuple[int, ...]
    """K of each level, from coarse to fine."""
    factor: int = 2
    hidden: int = 150
    move_logit: float = 14.0
    leaving: float = 0.3
    """How much of the cost of leaving a coarse cell counts at the start."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        levels = [self._level(depth) for depth in range(len(self.iterations) - 1, -1, -1)]
        rewards, transitions = zip(*levels, strict=True)
        return ValueIterationNetwork(
            reward=HierarchicalReward(rewards),
            transition=HierarchicalTransition(transitions),
            planner=HierarchicalPlanner(
                iterations=self.iterations, factor=self.factor, combine=coarse_as_initial_value
            ),
            attention=StateAttention(),
            policy=TemperaturePolicy(),
        )

    def _level(self, depth: int) -> tuple[ExpCostReward, SoftmaxTransition]:
        """Reward and transition of the level that is ``depth`` levels coarser than the map."""
        moves = move_logits(logit=self.move_logit)
        costs = 1 + len(MOVE_NAMES) if depth else 1
        weights = exit_cost_logits(moves, self.leaving) if depth else moves
        reward = CnnReward(hidden=self.hidden, rewards=costs, downsample=self.factor**depth)
        return ExpCostReward(reward), SoftmaxTransition(transition_logits=moves, cost_logits=weights)

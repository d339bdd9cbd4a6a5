"""A VIN for goals at any distance: values are sums of costs, without discount."""

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
from vinlab.planning.border import Outside
from vinlab.types import MOVE_NAMES


@dataclass(frozen=True)
class CostVinConfig:
    """A VIN with a cost for each cell, undiscounted softmax transitions, and one planner action per move."""

    kind: ClassVar[str] = "cost-vin"
    iterations: int
    hidden: int = 150
    move_logit: float = 14.0
    """The initial logit of each move's target cell; see ``move_logits``."""
    outside: Outside = "blocked"
    """What lies beyond the edge of the map; manifests without it mean zero."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        moves = move_logits(logit=self.move_logit)
        return ValueIterationNetwork(
            reward=ExpCostReward(CnnReward(hidden=self.hidden)),
            transition=SoftmaxTransition(transition_logits=moves, cost_logits=moves),
            planner=GridPlanner(iterations=self.iterations, outside=self.outside),
            attention=StateAttention(),
            policy=TemperaturePolicy(),
        )


@dataclass(frozen=True)
class HierarchicalCostVinConfig:
    """The same on several levels: cells further than K steps from the goal start with the value of a coarser plan.

    Besides its own cost a coarse cell has a cost for each move that leaves it, as a block of cells may be open on one
    side only.
    """

    kind: ClassVar[str] = "hierarchical-cost-vin"
    iterations: tuple[int, ...]
    """K of each level, from coarse to fine."""
    factor: int = 2
    hidden: int = 150
    move_logit: float = 14.0
    leaving: float = 0.3
    """The initial weight of the cost of leaving a coarse cell."""
    outside: Outside = "blocked"
    """What lies beyond the edge of the map; manifests without it mean zero."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        levels = [self._level(depth) for depth in range(len(self.iterations) - 1, -1, -1)]
        rewards, transitions = zip(*levels, strict=True)
        return ValueIterationNetwork(
            reward=HierarchicalReward(rewards),
            transition=HierarchicalTransition(transitions),
            planner=HierarchicalPlanner(
                iterations=self.iterations,
                factor=self.factor,
                combine=coarse_as_initial_value,
                outside=self.outside,
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

"""Transitions that depend on the observation: Wang et al., Scaling Value Iteration Networks to 5000 Layers for Extreme
Long-Term Planning, ICML 2025 (DT-VIN).

A convolution gives the probabilities of where each action leads from each cell, so walls change the transition and not
only the reward. Its loss also reads the plan at earlier depths, in the states that these depths can have reached.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from vinlab.modules import CnnReward
from vinlab.modules.transition import DynamicTransition
from vinlab.networks.literature.dense import DenseConfig, DensePlan, DensePolicy
from vinlab.planning.grid import GridPlanner


class DynamicTransitionVin(DensePolicy):
    """A VIN with transition probabilities of its own in every cell; the q of its actions are the logits."""

    def __init__(self, *, motion: str, iterations: int, hidden: int, width: int) -> None:
        super().__init__(motion=motion, iterations=iterations)
        self.reward = CnnReward(channels=self.channels, hidden=hidden)
        self.transition = DynamicTransition(
            channels=self.channels, actions=self.outputs, hidden=hidden, width=width
        )
        self.planner = GridPlanner(iterations=iterations)

    def logits(
        self, observation: Float[Tensor, "B C H W"], iterations: int | None
    ) -> Float[Tensor, "B M H W"]:
        """The q of every action after K backups."""
        return self.planner(self.reward(observation), self.transition(observation), iterations=iterations).q

    def logits_by_depth(
        self, observation: Float[Tensor, "B C H W"], states: Int[Tensor, "B S X"], every: int
    ) -> tuple[Float[Tensor, "D B S M"], Int[Tensor, " D"]]:
        """The logits in some states after every few backups, and after how many."""
        reward, transition = self.reward(observation), self.transition(observation)
        value, found, depths = None, [], range(every, (self.iterations or 1) + 1, every)
        for _ in depths:
            plan = self.planner(reward, transition, iterations=every, initial_value=value)
            value = plan.value
            found.append(self.act(DensePlan(plan.q.unflatten(1, self.shape)), states))
        return torch.stack(found), torch.tensor(list(depths))


@dataclass(frozen=True)
class DynamicTransitionVinConfig(DenseConfig):
    """DT-VIN, with its network for mazes."""

    kind: ClassVar[str] = "dynamic-transition-vin"
    policy: ClassVar = DynamicTransitionVin
    iterations: int = 60
    hidden: int = 40
    width: int = 3

"""A VIN from noise whose planner actions all take part in planning while it learns.

The maximum of a backup sends its gradient to the winning action alone. From noise some actions win everywhere, and
the others, which only inform the policy, are never corrected: they may point into the right direction and still cost
too much to be chosen. So in training an action that wins in few cells is given a bonus until it wins in more (as the
conscience of competitive learning; DeSieno 1988). The bonus is no weight: it fades during training, and a trained
network plans without it.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.modules import LinearPolicy, LinearReward, SharedTransition, StateAttention, random_kernels
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner, SharedKernels
from vinlab.types import Iterations, Plan


@dataclass(frozen=True)
class Balance:
    """When an action is given a bonus, and how much of it."""

    first: int
    last: int
    """The plans of training between which a bonus is given: not before some actions have become moves, as a plan with
    nothing but noise would only be disturbed. It fades until the last."""
    share: float = 0.05
    """An action that wins in a smaller share of the free cells gets a bonus."""
    step: float = 0.2
    """The change of a bonus per plan and missing share, in units of the spread of q over the actions."""
    limit: float = 3.0
    """The largest bonus at the beginning, in the same units."""


@dataclass(frozen=True)
class BalancedVinConfig:
    """The VIN of the authors' code with normal noise in every weight, balanced in training."""

    kind: ClassVar[str] = "balanced-vin"
    iterations: int
    balance: Balance
    hidden: int = 150
    actions: int = 10
    std: float = 0.01

    def build(self) -> "BalancedVin":
        """The network with fresh weights, all drawn from one normal distribution, biases included."""
        network = BalancedVin(
            self.balance,
            reward=LinearReward(hidden=self.hidden),
            transition=SharedTransition(random_kernels(actions=self.actions)),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=LinearPolicy(actions=self.actions),
        )
        for parameter in network.parameters():
            nn.init.normal_(parameter, std=self.std)
        return network


class BalancedVin(ValueIterationNetwork):
    """A VIN that gives a bonus to planner actions that rarely win, while it is trained."""

    bonus: Float[Tensor, " A"]
    updates: Int[Tensor, ""]

    def __init__(self, balance: Balance, **parts: Any) -> None:
        super().__init__(**parts)
        self.balance = balance
        self.register_buffer("bonus", torch.zeros(len(self.transition.value)))  # pyright: ignore
        self.register_buffer("updates", torch.zeros((), dtype=torch.int64))

    def plan(self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None) -> Plan:
        """One plan per problem; in training with the bonus, which q and the reward of the plan leave out."""
        if not self._gives_bonus():
            return super().plan(observation, iterations=iterations)
        reward, bonus = self.reward(observation), self.bonus.clone()
        kernels = with_bonus(self.transition(observation), bonus)
        constant = torch.ones_like(reward[:, :1])
        plan = self.planner(torch.cat([reward, constant], dim=1), kernels, iterations=iterations)
        self._change_bonus(plan.q.detach(), observation[:, 0] == 0)
        return replace(plan, reward=reward, q=plan.q - bonus[:, None, None])

    def _gives_bonus(self) -> bool:
        """Whether this plan is one with a bonus; counts the plans of training."""
        if self.training:
            self.updates += 1
        return self.training and self.balance.first < int(self.updates) <= self.balance.last

    def _change_bonus(self, q: Float[Tensor, "B A H W"], free: Tensor) -> None:
        """Raise the bonus of actions that win in too few of the free cells, and lower that of the others."""
        winners = q.argmax(dim=1)[free]
        shares = torch.bincount(winners, minlength=len(self.bonus)) / max(1, len(winners))
        spread = q.std(dim=1).mean()
        rest = (self.balance.last - self.updates) / (self.balance.last - self.balance.first)
        self.bonus += self.balance.step * spread * (self.balance.share - shares)
        self.bonus.clamp_(min=torch.zeros_like(spread), max=self.balance.limit * spread * rest)


def with_bonus(kernels: SharedKernels, bonus: Float[Tensor, " A"]) -> SharedKernels:
    """Kernels for one more channel of the reward, of which each action takes its bonus in its own cell."""
    margin = kernels.reward.shape[-1] // 2
    own = functional.pad(bonus[:, None, None, None], (margin,) * 4)
    return SharedKernels(reward=torch.cat([kernels.reward, own], dim=1), value=kernels.value)

"""A VIN from noise whose maximum is soft when training begins, and hardens.

The maximum of a backup sends its gradient to the winning action alone. From noise some actions win everywhere, and
the others, which only inform the policy, are never corrected: they may point into the right direction and still cost
too much to be chosen. While the maximum is soft, all actions take part in the plan and learn from it.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.modules import LinearPolicy, LinearReward, SharedTransition, StateAttention, random_kernels
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner, SharedKernels
from vinlab.types import Iterations, Plan

SMALLEST = 1e-12
"""Added to temperatures, as all actions may be equal."""


@dataclass(frozen=True)
class Softening:
    """How the maximum hardens: its temperature falls by the same factor with every plan of training."""

    updates: int
    """Plans of training until the maximum is a hard one."""
    first: float = 3.0
    last: float = 0.003
    """Temperatures, in units of the standard deviation over the actions in each cell. An absolute temperature does
    not help, as values differ by orders of magnitude between cells near the goal and far from it."""

    def temperature(self, updates: int) -> float:
        """The temperature after so many plans."""
        return self.first * (self.last / self.first) ** (updates / self.updates)


@dataclass(frozen=True)
class SoftenedVinConfig:
    """The VIN of the authors' code with normal noise in every weight, and a soft maximum when training begins."""

    kind: ClassVar[str] = "softened-vin"
    iterations: int
    softening: Softening
    hidden: int = 150
    actions: int = 10
    std: float = 0.01

    def build(self) -> "SoftenedVin":
        """The network with fresh weights, all drawn from one normal distribution, biases included."""
        network = SoftenedVin(
            self.softening,
            reward=LinearReward(hidden=self.hidden),
            transition=SharedTransition(random_kernels(actions=self.actions)),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=LinearPolicy(actions=self.actions),
        )
        for parameter in network.parameters():
            nn.init.normal_(parameter, std=self.std)
        return network


class SoftenedVin(ValueIterationNetwork):
    """A VIN that plans with a soft maximum in the first part of its training, and with a hard one otherwise."""

    updates: Int[Tensor, ""]

    def __init__(self, softening: Softening, **parts: Any) -> None:
        super().__init__(**parts)
        self.softening = softening
        self.register_buffer("updates", torch.zeros((), dtype=torch.int64))

    def plan(self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None) -> Plan:
        """One plan per problem; in evaluation the maximum is always a hard one."""
        if not self.training or int(self.updates) >= self.softening.updates:
            return super().plan(observation, iterations=iterations)
        temperature = self.softening.temperature(int(self.updates))
        self.updates += 1
        reward, kernels = self.reward(observation), self.transition(observation)
        backups = self.iterations if iterations is None else iterations
        assert isinstance(backups, int)
        return soft_value_iteration(reward, kernels, backups, temperature)


def soft_value_iteration(
    reward: Float[Tensor, "B R H W"], kernels: SharedKernels, iterations: int, temperature: float
) -> Plan:
    """Value iteration whose value is the mean of q, weighted by a softmax over the actions.

    The temperature is relative to the standard deviation of q over the actions, which is taken as given: no gradient
    flows through it.
    """
    term = kernels.reward_term(reward, 0)
    q, value = term, term[:, :1]
    for step in range(iterations):
        spread = q.detach().std(dim=1, keepdim=True)
        weights = (q / (temperature * spread + SMALLEST)).softmax(dim=1)
        value = (weights * q).sum(dim=1, keepdim=True)
        q = term + kernels.value_term(value, step)
    return Plan(reward=reward, q=q, value=value)

"""The VINs of the grid-world tables, as configs that a manifest can hold."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import nn

from vinlab.modules import (
    CnnReward,
    HierarchicalReward,
    HierarchicalTransition,
    LinearPolicy,
    LinearReward,
    SharedTransition,
    StateAttention,
    UntiedTransition,
    move_kernels,
    random_kernels,
)
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner, HierarchicalPlanner, SharedKernels
from vinlab.types import MOVE_NAMES

Initialisation = Literal["moves", "random"]
"""Kernels initialised as grid-world moves (the paper's prior in its control experiment), or as noise."""


@dataclass(frozen=True)
class VinConfig:
    """A VIN with the reward of the paper's text and kernels shared by all backups."""

    kind: ClassVar[str] = "vin"
    iterations: int
    initialisation: Initialisation = "moves"
    hidden: int = 150
    actions: int = 10

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        return ValueIterationNetwork(
            reward=CnnReward(hidden=self.hidden),
            transition=SharedTransition(_kernels(self.initialisation, actions=self.actions)),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=_policy(self.initialisation, self.actions),
        )


@dataclass(frozen=True)
class AuthorsVinConfig:
    """The VIN of the authors' code: a linear reward, and normal noise in every weight."""

    kind: ClassVar[str] = "authors-vin"
    iterations: int
    hidden: int = 150
    actions: int = 10
    std: float = 0.01

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights, all drawn from one normal distribution, biases included."""
        return _with_noise(self._network(SharedTransition(self._kernels())), self.std)

    def _kernels(self) -> SharedKernels:
        return random_kernels(actions=self.actions)

    def _network(self, transition: nn.Module) -> ValueIterationNetwork:
        return ValueIterationNetwork(
            reward=LinearReward(hidden=self.hidden),
            transition=transition,
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=LinearPolicy(actions=self.actions, moves=len(MOVE_NAMES)),
        )


@dataclass(frozen=True)
class AuthorsUntiedVinConfig(AuthorsVinConfig):
    """The same with separate kernels for all K + 1 convolutions."""

    kind: ClassVar[str] = "authors-untied-vin"

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights from the same distribution."""
        sets = [self._kernels() for _ in range(self.iterations + 1)]
        return _with_noise(self._network(UntiedTransition(sets)), self.std)


@dataclass(frozen=True)
class UntiedVinConfig:
    """A VIN with separate kernels for all K + 1 convolutions."""

    kind: ClassVar[str] = "untied-vin"
    iterations: int
    initialisation: Initialisation = "moves"
    hidden: int = 150
    actions: int = 10

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        sets = [_kernels(self.initialisation, actions=self.actions) for _ in range(self.iterations + 1)]
        return ValueIterationNetwork(
            reward=CnnReward(hidden=self.hidden),
            transition=UntiedTransition(sets),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=_policy(self.initialisation, self.actions),
        )


@dataclass(frozen=True)
class HierarchicalVinConfig:
    """The paper's hierarchical VIN: it plans on a coarse map first."""

    kind: ClassVar[str] = "hierarchical-vin"
    iterations: tuple[int, ...]
    """K of each level, from coarse to fine."""
    factor: int = 2
    initialisation: Initialisation = "moves"
    hidden: int = 150
    actions: int = 10
    coarse: float = 0.3
    """The initial weight of the coarse value, where the kernels start as moves."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        depths = range(len(self.iterations) - 1, -1, -1)
        finer = [self._kernels(rewards=2, extra_reward_weight=self.coarse) for _ in self.iterations[1:]]
        kernels = [self._kernels(rewards=1, extra_reward_weight=0.0), *finer]
        return ValueIterationNetwork(
            reward=HierarchicalReward(
                [CnnReward(hidden=self.hidden, downsample=self.factor**depth) for depth in depths]
            ),
            transition=HierarchicalTransition([SharedTransition(initial) for initial in kernels]),
            planner=HierarchicalPlanner(iterations=self.iterations, factor=self.factor),
            attention=StateAttention(),
            policy=_policy(self.initialisation, self.actions),
        )

    def _kernels(self, rewards: int, extra_reward_weight: float) -> SharedKernels:
        if self.initialisation == "moves":
            return move_kernels(
                actions=self.actions, rewards=rewards, extra_reward_weight=extra_reward_weight
            )
        return random_kernels(actions=self.actions, rewards=rewards)


def _kernels(initialisation: Initialisation, *, actions: int) -> SharedKernels:
    make = {"moves": move_kernels, "random": random_kernels}[initialisation]
    return make(actions=actions)


def _with_noise(network: ValueIterationNetwork, std: float) -> ValueIterationNetwork:
    for parameter in network.parameters():
        nn.init.normal_(parameter, std=std)
    return network


def _policy(initialisation: Initialisation, actions: int) -> LinearPolicy:
    """A policy whose logit of move m starts as the q of planner action m, where the kernels start as moves."""
    policy = LinearPolicy(actions=actions, moves=len(MOVE_NAMES))
    if initialisation == "moves":
        with torch.no_grad():
            policy.moves.weight += torch.eye(len(MOVE_NAMES), actions)
    return policy

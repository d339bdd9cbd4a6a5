"""The VINs of the grid-world tables, as configs that a manifest can hold."""

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from vinlab.modules import (
    CnnReward,
    HierarchicalReward,
    HierarchicalTransition,
    LinearPolicy,
    LinearReward,
    PooledLinearReward,
    SharedTransition,
    StateAttention,
    UntiedTransition,
    random_kernels,
)
from vinlab.modules.transition import Initialisation, initial_kernels
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner, HierarchicalPlanner, SharedKernels


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
        return self._network(CnnReward(hidden=self.hidden), SharedTransition(self._kernels()))

    def _kernels(self) -> SharedKernels:
        return initial_kernels(self.initialisation, actions=self.actions)

    def _network(self, reward: nn.Module, transition: nn.Module) -> ValueIterationNetwork:
        return ValueIterationNetwork(
            reward=reward,
            transition=transition,
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=LinearPolicy(actions=self.actions, like_moves=self.initialisation == "moves"),
        )


@dataclass(frozen=True)
class UntiedVinConfig(VinConfig):
    """A VIN with separate kernels for all K + 1 convolutions."""

    kind: ClassVar[str] = "untied-vin"

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        transition = UntiedTransition([self._kernels() for _ in range(self.iterations + 1)])
        return self._network(CnnReward(hidden=self.hidden), transition)


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
        network = ValueIterationNetwork(
            reward=LinearReward(hidden=self.hidden),
            transition=self._transition(),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=LinearPolicy(actions=self.actions),
        )
        for parameter in network.parameters():
            nn.init.normal_(parameter, std=self.std)
        return network

    def _transition(self) -> nn.Module:
        return SharedTransition(random_kernels(actions=self.actions))


@dataclass(frozen=True)
class AuthorsUntiedVinConfig(AuthorsVinConfig):
    """The same with separate kernels for all K + 1 convolutions."""

    kind: ClassVar[str] = "authors-untied-vin"

    def _transition(self) -> nn.Module:
        return UntiedTransition([random_kernels(actions=self.actions) for _ in range(self.iterations + 1)])


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
        options = {"actions": self.actions, "extra_reward_weight": self.coarse}
        *finer, coarsest = (
            initial_kernels(self.initialisation, rewards=rewards, **options)
            for rewards in (*[2] * (len(self.iterations) - 1), 1)
        )
        rewards = [CnnReward(hidden=self.hidden, downsample=self.factor**depth) for depth in depths]
        return ValueIterationNetwork(
            reward=HierarchicalReward(rewards),
            transition=HierarchicalTransition([SharedTransition(kernels) for kernels in (coarsest, *finer)]),
            planner=HierarchicalPlanner(iterations=self.iterations, factor=self.factor),
            attention=StateAttention(),
            policy=LinearPolicy(actions=self.actions, like_moves=self.initialisation == "moves"),
        )


@dataclass(frozen=True)
class AuthorsHierarchicalVinConfig:
    """The same with the linear reward of the authors' code on both levels, and normal noise in every weight."""

    kind: ClassVar[str] = "authors-hierarchical-vin"
    iterations: tuple[int, int]
    """K of the coarse and of the fine level."""
    factor: int = 2
    hidden: int = 150
    actions: int = 10
    std: float = 0.01

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights, all drawn from one normal distribution, biases included."""
        coarse = PooledLinearReward(hidden=self.hidden, downsample=self.factor)
        kernels = [random_kernels(actions=self.actions, rewards=rewards) for rewards in (1, 2)]
        network = ValueIterationNetwork(
            reward=HierarchicalReward([coarse, LinearReward(hidden=self.hidden)]),
            transition=HierarchicalTransition([SharedTransition(initial) for initial in kernels]),
            planner=HierarchicalPlanner(iterations=self.iterations, factor=self.factor),
            attention=StateAttention(),
            policy=LinearPolicy(actions=self.actions),
        )
        for parameter in network.parameters():
            nn.init.normal_(parameter, std=self.std)
        return network

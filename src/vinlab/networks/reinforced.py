"""The networks of the paper's reinforcement learning, and critics that say what is to be expected of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.design import (
    CnnReward,
    SharedTransition,
    StateAttention,
    ValuePolicy,
    move_kernels,
    random_kernels,
)
from vinlab.design.attention import look_up
from vinlab.networks.policy import Policy
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner
from vinlab.types import InputError, Plan

MOVES = 4
"""North, south, east, west."""


@dataclass(frozen=True)
class ValueVinConfig:
    """A VIN with a planner action for each of the four moves and no layer behind them."""

    iterations: int
    initialisation: Literal["moves", "random"] = "moves"
    hidden: int = 32
    deviation: float = 0.01
    """Of the noise in the kernels."""
    reward_scale: float = 0.1
    """By which the reward's last filter is shrunk at the start, so that all moves are about equally likely."""

    def build(self) -> ValueIterationNetwork:
        """The network with fresh weights."""
        if self.initialisation == "moves":
            kernels = move_kernels(actions=MOVES, moves=MOVES, deviation=self.deviation)
        else:
            kernels = random_kernels(actions=MOVES, deviation=self.deviation)
        reward = CnnReward(hidden=self.hidden)
        with torch.no_grad():
            reward.reward.weight *= self.reward_scale
        return ValueIterationNetwork(
            reward=reward,
            transition=SharedTransition(kernels),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=ValuePolicy(),
        )

    def build_critic(self) -> "PlanCritic":
        """A critic with fresh weights."""
        return PlanCritic()


class PlanCritic(nn.Module):
    """What is to be expected from a state, judged by the plan around it; the plan itself is left alone."""

    def __init__(self, *, actions: int = MOVES, width: int = 3, hidden: int = 64) -> None:
        super().__init__()
        self.width = width
        layers = [nn.Linear(actions + 2 * width**2, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 1)]
        self.layers = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])

    def forward(self, plan: Plan, states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S"]:
        """The discounted sum of the rewards to come."""
        image = torch.cat([plan.value, plan.reward[:, :1]], dim=1).detach()
        around = functional.unfold(image, self.width, padding=self.width // 2)
        seen = torch.cat([plan.q.detach(), around.view(len(image), -1, *image.shape[2:])], dim=1)
        return self.layers(look_up(seen, states)).squeeze(-1)


@dataclass(frozen=True)
class PooledCnnConfig:
    """A reactive CNN of the paper's appendix: filters of width 3, some layers pooled by 2, then full layers."""

    size: int
    """Side of the maps; unlike a VIN the network is tied to it."""
    filters: tuple[int, ...]
    pooled: int
    """How many of the first layers are pooled."""
    full: tuple[int, ...]

    @classmethod
    def for_size(cls, size: int) -> "PooledCnnConfig":
        """The network that the appendix describes for this size."""
        if size == 8:
            return cls(size=8, filters=(50, 100), pooled=2, full=(100,))
        if size == 16:
            return cls(size=16, filters=(50, 100, 100), pooled=2, full=(200, 100))
        raise InputError(f"the paper has CNNs for maps of side 8 and 16, but {size} came.")

    def build(self) -> "PooledCnn":
        """The network with fresh weights."""
        return PooledCnn(self, outputs=MOVES)

    def build_critic(self) -> "CnnCritic":
        """A critic of the same build, with fresh weights of its own."""
        return CnnCritic(PooledCnn(self, outputs=1))


class PooledCnn(Policy):
    """A policy that reacts to the map, the goal and its own place, each a channel of one image."""

    def __init__(self, config: PooledCnnConfig, *, outputs: int) -> None:
        super().__init__()
        self.size = config.size
        self.layers = nn.Sequential(*_filters(config), nn.Flatten(), *_full(config, outputs))

    def plan(
        self, observation: Float[Tensor, "B C H W"], *, iterations: int | Sequence[int] | None = None
    ) -> Float[Tensor, "B C H W"]:
        """The observation: nothing is planned."""
        if tuple(observation.shape[2:]) != (self.size, self.size):
            raise InputError(
                f"this CNN was made for maps of side {self.size}, but {tuple(observation.shape[2:])} came."
            )
        return observation

    def act(self, plan: Float[Tensor, "B C H W"], states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves; a state that repeats the one before it is looked at once."""
        is_new = torch.ones(states.shape[:2], dtype=torch.bool)
        is_new[:, 1:] = (states[:, 1:] != states[:, :-1]).any(dim=-1)
        problem = is_new.nonzero()[:, 0]
        logits = self.layers(self._images(plan[problem], states[is_new]))
        which = is_new.flatten().cumsum(dim=0).view(is_new.shape) - 1
        return logits[which]

    def _images(self, maps: Float[Tensor, "N C H W"], states: Int[Tensor, "N 2"]) -> Float[Tensor, "N D H W"]:
        here = maps.new_zeros(len(maps), 1, self.size, self.size)
        here[torch.arange(len(maps)), 0, states[:, 0].long(), states[:, 1].long()] = 1.0
        return torch.cat([maps, here], dim=1)


class CnnCritic(nn.Module):
    """What is to be expected from a state, judged by a CNN of its own."""

    def __init__(self, network: PooledCnn) -> None:
        super().__init__()
        self.network = network

    def forward(self, plan: Float[Tensor, "B C H W"], states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S"]:
        """The discounted sum of the rewards to come."""
        return self.network.act(plan, states).squeeze(-1)


def _filters(config: PooledCnnConfig) -> list[nn.Module]:
    layers, channels = [], 3
    for index, count in enumerate(config.filters):
        layers += [nn.Conv2d(channels, count, 3, padding=1), nn.ReLU()]
        layers += [nn.MaxPool2d(2)] if index < config.pooled else []
        channels = count
    return layers


def _full(config: PooledCnnConfig, outputs: int) -> list[nn.Module]:
    layers, width = [], config.filters[-1] * (config.size // 2**config.pooled) ** 2
    for count in config.full:
        layers += [nn.Linear(width, count), nn.ReLU()]
        width = count
    return [*layers, nn.Linear(width, outputs)]

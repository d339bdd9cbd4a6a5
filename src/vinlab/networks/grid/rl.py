"""The networks of the paper's reinforcement learning, and critics that say what is to be expected of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.modules import (
    CnnReward,
    IdentityPolicy,
    SharedTransition,
    StateAttention,
    move_kernels,
    random_kernels,
)
from vinlab.modules.attention import gather_states
from vinlab.networks.base import Policy
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner
from vinlab.types import InputError, Plan

MOVES = 4
"""North, south, east, west."""

PATCH = 3
"""How wide a critic sees around a state of a plan."""


@dataclass(frozen=True)
class ValueVinConfig:
    """A VIN with a planner action for each of the four moves and no layer behind them."""

    kind: ClassVar[str] = "value-vin"
    iterations: int
    initialisation: Literal["moves", "random"] = "moves"
    hidden: int = 32
    std: float = 0.01
    """Of the noise in the kernels."""
    reward_scale: float = 0.1
    """By which the reward's last filter is shrunk at the start, so that all moves are about equally likely."""

    def build(self) -> "ValueVin":
        """The network with fresh weights."""
        if self.initialisation == "moves":
            kernels = move_kernels(actions=MOVES, moves=MOVES, std=self.std)
        else:
            kernels = random_kernels(actions=MOVES, std=self.std)
        reward = CnnReward(hidden=self.hidden)
        with torch.no_grad():
            reward.reward.weight *= self.reward_scale
        return ValueVin(
            reward=reward,
            transition=SharedTransition(kernels),
            planner=GridPlanner(iterations=self.iterations),
            attention=StateAttention(),
            policy=IdentityPolicy(),
        )

    def build_critic(self) -> "Critic":
        """A critic with fresh weights."""
        return Critic(features=MOVES + 2 * PATCH**2)


class ValueVin(ValueIterationNetwork):
    """A VIN whose plan a critic may look at."""

    num_moves = MOVES

    def critic_features(self, plan: Plan, states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S D"]:
        """The q of each state, and value and reward around it."""
        image = torch.cat([plan.value, plan.reward[:, :1]], dim=1)
        around = functional.unfold(image, PATCH, padding=PATCH // 2)
        seen = torch.cat([plan.q, around.view(len(image), -1, *image.shape[2:])], dim=1)
        return gather_states(seen, states)


class Critic(nn.Module):
    """What is to be expected from a state, judged by what the policy lets it see."""

    def __init__(self, *, features: int, hidden: int = 64) -> None:
        super().__init__()
        self.num_features = features
        self.layers = nn.Sequential(
            nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, seen: Float[Tensor, "B S D"]) -> Float[Tensor, "B S"]:
        """The discounted sum of the rewards to come."""
        return self.layers(seen).squeeze(-1)


@dataclass(frozen=True)
class PooledCnnConfig:
    """A reactive CNN of the paper's appendix: filters of width 3, some layers pooled by 2, then full layers."""

    kind: ClassVar[str] = "pooled-cnn"
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
        return PooledCnn(self)

    def build_critic(self) -> "Critic":
        """A critic with fresh weights."""
        return Critic(features=self.full[-1])


class PooledCnn(Policy):
    """A policy that reacts to the map, the goal and its own place, each a channel of one image."""

    def __init__(self, config: PooledCnnConfig) -> None:
        super().__init__()
        self.size = config.size
        self.body = nn.Sequential(*_filters(config), nn.Flatten(), *_full(config))
        self.moves = nn.Linear(config.full[-1], MOVES)

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
        """The logits of the moves in some states of each problem."""
        return self.moves(self.critic_features(plan, states))

    def critic_features(
        self, plan: Float[Tensor, "B C H W"], states: Int[Tensor, "B S 2"]
    ) -> Float[Tensor, "B S D"]:
        """The last hidden layer; a state that is asked for several times is looked at once."""
        cells = self.size * self.size
        places = torch.arange(len(plan))[:, None] * cells + states[..., 0] * self.size + states[..., 1]
        different, which = places.unique(return_inverse=True)
        images = self._images(plan[different // cells], different % cells)
        return self.body(images)[which]

    def _images(self, maps: Float[Tensor, "N C H W"], cells: Int[Tensor, " N"]) -> Float[Tensor, "N D H W"]:
        here = functional.one_hot(cells, self.size * self.size).to(maps.dtype)
        images = torch.cat([maps, here.view(-1, 1, self.size, self.size)], dim=1)
        return images.contiguous(memory_format=torch.channels_last)  # faster by half on a CPU


def _filters(config: PooledCnnConfig) -> list[nn.Module]:
    layers, channels = [], 3
    for index, count in enumerate(config.filters):
        layers += [nn.Conv2d(channels, count, 3, padding=1), nn.ReLU()]
        layers += [nn.MaxPool2d(2)] if index < config.pooled else []
        channels = count
    return layers


def _full(config: PooledCnnConfig) -> list[nn.Module]:
    layers, width = [], config.filters[-1] * (config.size // 2**config.pooled) ** 2
    for count in config.full:
        layers += [nn.Linear(width, count), nn.ReLU()]
        width = count
    return layers

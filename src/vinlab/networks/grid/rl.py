"""The networks of the paper's reinforcement learning, and their critics."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.modules import (
    CnnReward,
    IdentityPolicy,
    MlpPolicy,
    SharedTransition,
    StateAttention,
)
from vinlab.modules.attention import gather_states
from vinlab.modules.transition import Initialisation, initial_kernels
from vinlab.networks.base import Policy, require_side
from vinlab.networks.grid.cnn import draw_glorot, unique_states
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner
from vinlab.types import GOAL_MARK, InputError, Iterations, Plan

MOVES = 4
"""North, south, east, west."""

PATCH = 3
"""The side of the patch of a plan around a state that the critic sees."""

FIRST_LOGITS = 0.1
"""The initial scale of the last layer before the logits; small, so that all moves are about equally likely at first."""


@dataclass(frozen=True)
class ValueVinConfig:
    """A VIN with a planner action for each move, whose q are the logits."""

    kind: ClassVar[str] = "value-vin"
    iterations: int
    initialisation: Initialisation = "moves"
    hidden: int = 32
    std: float = 0.01
    """The standard deviation of the noise in the kernels."""
    reward_scale: float = FIRST_LOGITS
    """The initial scale of the reward's last filter."""
    moves: int = MOVES
    """4 straight ones, or 8 with the diagonal ones."""

    def build(self) -> "ValueVin":
        """The network with fresh weights."""
        if self.moves not in (4, 8):
            raise InputError(f"moves: expected 4 (straight) or 8 (with diagonals), got {self.moves}.")
        kernels = initial_kernels(self.initialisation, actions=self.moves, moves=self.moves, std=self.std)
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
        return Critic(features=self.moves + 2 * PATCH**2)


class ValueVin(ValueIterationNetwork):
    """A VIN with features for a critic."""

    @property
    def num_moves(self) -> int:
        """The number of moves, one for each action of the planner."""
        kernels = self.transition.value
        assert isinstance(kernels, Tensor)
        return len(kernels)

    def critic_features(self, plan: Plan, states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S D"]:
        """The q of each state, and value and reward in the patch around it."""
        image = torch.cat([plan.value, plan.reward[:, :1]], dim=1)
        around = functional.unfold(image, PATCH, padding=PATCH // 2)
        features = torch.cat([plan.q, around.view(len(image), -1, *image.shape[2:])], dim=1)
        return gather_states(features, states)


class Critic(MlpPolicy):
    """The state-value critic: an MLP on the policy's critic features."""

    def __init__(self, *, features: int) -> None:
        super().__init__(inputs=features, outputs=1)
        self.num_features = features

    def forward(self, attended: Float[Tensor, "B S D"]) -> Float[Tensor, "B S"]:
        """The expected discounted return of each state."""
        return super().forward(attended).squeeze(-1)


@dataclass(frozen=True)
class PooledCnnConfig:
    """A reactive CNN of the paper's appendix: filters of width 3, some pooled by 2, then fully connected layers."""

    kind: ClassVar[str] = "pooled-cnn"
    size: int
    """Side of the maps; unlike a VIN the network is tied to it."""
    filters: tuple[int, ...]
    pooled: int
    """The number of first layers that are pooled."""
    full: tuple[int, ...]
    initialisation: Literal["pytorch", "glorot"] = "pytorch"
    """PyTorch's own, with which hardly any of the input shows behind five layers, or that of the authors' CNNs."""
    position_mark: float = 1.0
    """The entry of the agent's cell in the third channel. Beside a goal of 10 a 1 hardly shows."""

    @classmethod
    def for_size(cls, size: int) -> "PooledCnnConfig":
        """The network that the appendix describes for this size."""
        if size == 8:
            return cls(size=8, filters=(50, 100), pooled=2, full=(100,))
        if size == 16:
            filters, full = (50, 100, 100), (200, 100)
            return cls(16, filters, pooled=2, full=full, initialisation="glorot", position_mark=GOAL_MARK)
        raise InputError(f"expected a map of side 8 or 16, for which the paper has a CNN, got {size}.")

    def build(self) -> "PooledCnn":
        """The network with fresh weights."""
        return PooledCnn(self)

    def build_critic(self) -> "Critic":
        """A critic with fresh weights."""
        return Critic(features=self.full[-1])


class PooledCnn(Policy):
    """A policy whose input is map, goal and position as three channels of one image."""

    def __init__(self, config: PooledCnnConfig) -> None:
        super().__init__()
        self.size = config.size
        self.position_mark = config.position_mark
        self.body = nn.Sequential(*_filters(config), nn.Flatten(), *_full(config))
        self.moves = nn.Linear(config.full[-1], MOVES)
        if config.initialisation == "glorot":
            self.apply(draw_glorot)
            with torch.no_grad():
                self.moves.weight *= FIRST_LOGITS

    def plan(
        self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None
    ) -> Float[Tensor, "B C H W"]:
        """The observation; a reactive policy plans nothing."""
        require_side(observation, self.size, "CNN")
        return observation

    def act(self, plan: Float[Tensor, "B C H W"], states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves in some states of each problem."""
        return self.moves(self.critic_features(plan, states))

    def critic_features(
        self, plan: Float[Tensor, "B C H W"], states: Int[Tensor, "B S 2"]
    ) -> Float[Tensor, "B S D"]:
        """The last hidden layer; a repeated state is computed once."""
        unique = unique_states(states, self.size)
        return unique.spread(self.body(self._images(plan[unique.owner], unique.places)))

    def _images(self, maps: Float[Tensor, "N C H W"], places: Int[Tensor, "N 2"]) -> Float[Tensor, "N D H W"]:
        cells = places[:, 0] * self.size + places[:, 1]
        position = functional.one_hot(cells, self.size * self.size).to(maps.dtype)
        marked = self.position_mark * position.view(-1, 1, self.size, self.size)
        images = torch.cat([maps, marked], dim=1)
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

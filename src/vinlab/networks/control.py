"""Policies with continuous actions: one plan per domain, from which the forces in many states are read."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.modules import CnnReward, MlpPolicy, PatchAttention, SharedTransition, move_kernels
from vinlab.modules.attention import cell_and_offset
from vinlab.networks.base import Policy
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import GridPlanner
from vinlab.types import Iterations, Plan

STATE_FEATURES = 6
"""Position, velocity, and offset of the position within its cell."""


class ControlPolicy(Policy):
    """A policy for a particle: a state is (row, col), from -1 to 1, and the velocity of each; it acts by forces."""


class ControlVin(ControlPolicy, ValueIterationNetwork):
    """Plans on the coarse image, attends to a patch of the value and maps it to a force."""

    def act(self, plan: Plan, states: Float[Tensor, "B S 4"]) -> Float[Tensor, "B S 2"]:
        """The forces in some states of each domain, read from its plan."""
        features = state_features(states, *plan.value.shape[2:])
        return self.policy(torch.cat([self.attention(plan, states), features], dim=-1))


@dataclass(frozen=True)
class ImageFeatures:
    """The features of a domain's image."""

    features: Float[Tensor, "B F"]
    shape: tuple[int, int]


class ControlCnn(ControlPolicy):
    """The paper's baseline: two convolutions on the image, and the same three layers that map to a force."""

    def __init__(self, *, convolutions: nn.Module, policy: nn.Module) -> None:
        super().__init__()
        self.convolutions = convolutions
        self.policy = policy

    def plan(self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None) -> ImageFeatures:
        """The features of the image."""
        rows, cols = observation.shape[2:]
        return ImageFeatures(self.convolutions(observation), (rows, cols))

    def act(self, plan: ImageFeatures, states: Float[Tensor, "B S 4"]) -> Float[Tensor, "B S 2"]:
        """The forces in some states of each domain."""
        seen = plan.features[:, None].expand(-1, states.shape[1], -1)
        return self.policy(torch.cat([seen, state_features(states, *plan.shape)], dim=-1))


def state_features(states: Float[Tensor, "B S 4"], rows: int, cols: int) -> Float[Tensor, "B S 6"]:
    """Position, velocity, and offset within the cell: the same inputs for every network."""
    _, offset = cell_and_offset(states[..., :2], rows, cols)
    return torch.cat([states, offset], dim=-1)


@dataclass(frozen=True)
class ControlVinConfig:
    """The paper's VIN for control: f_R of two layers, kernels that start as discounted moves, a 5 x 5 patch."""

    kind: ClassVar[str] = "control-vin"
    iterations: int = 40
    features: int = 150
    actions: int = 10
    patch: int = 5
    hidden: int = 64

    def build(self) -> ControlVin:
        """The network with fresh weights.

        The last filter of the reward starts non-negative: a goal that starts with a negative reward is avoided by
        every backup, its value does not spread, and such a network does not recover.
        """
        reward = CnnReward(hidden=self.features)
        with torch.no_grad():
            reward.reward.weight.abs_()
        return ControlVin(
            reward=reward,
            transition=SharedTransition(move_kernels(actions=self.actions)),
            planner=GridPlanner(iterations=self.iterations),
            attention=PatchAttention(width=self.patch),
            policy=MlpPolicy(inputs=self.patch**2 + STATE_FEATURES, hidden=self.hidden),
        )


@dataclass(frozen=True)
class ControlCnnConfig:
    """The baseline: two convolutions with pooling, then the same three layers."""

    kind: ClassVar[str] = "control-cnn"
    size: int = 16
    features: int = 32
    hidden: int = 64

    def build(self) -> ControlCnn:
        """The network with fresh weights."""
        convolutions = nn.Sequential(
            nn.Conv2d(2, self.features, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(self.features, self.features, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
        )
        seen = self.features * (self.size // 4) ** 2
        return ControlCnn(
            convolutions=convolutions, policy=MlpPolicy(inputs=seen + STATE_FEATURES, hidden=self.hidden)
        )


ControlNetworkConfig = ControlVinConfig | ControlCnnConfig

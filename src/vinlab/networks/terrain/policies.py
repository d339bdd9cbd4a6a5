"""Policies that see the ground from above: with a planner inside, without one, and around a classifier."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.modules.attention import gather_states
from vinlab.networks.base import Policy
from vinlab.networks.terrain.reward import (
    DeepImageLayers,
    ImageLayers,
    TerrainFeatures,
    TerrainReward,
    mark_goals,
    marked_cells,
)
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.types import MOVE_COSTS, MOVE_NAMES, MOVE_OFFSETS, Iterations, Plan

CELL = 8
"""Pixels along the edge of a cell, as the image layers pool them."""


class TerrainPolicy(Policy):
    """A policy that looks at a picture once and may then be given as many goals on it as one likes."""

    @abstractmethod
    def encode(self, images: Float[Tensor, "B 1 h w"]) -> Any:
        """What all goals on a picture share."""

    @abstractmethod
    def condition_on_goals(
        self, features: Any, goals: Int[Tensor, "B G 2"], *, iterations: Iterations = None
    ) -> Any:
        """The plan for each goal; the goals of one picture follow each other."""

    def plan(self, observation: Float[Tensor, "B 2 h w"], *, iterations: Iterations = None) -> Any:
        """The plan for pictures that each come with one goal, marked in the second channel."""
        goals = marked_cells(observation[:, 1], observation.shape[2] // CELL)
        return self.condition_on_goals(self.encode(observation[:, :1]), goals[:, None], iterations=iterations)

    def dense_logits(
        self, images: Float[Tensor, "B 1 h w"], goals: Int[Tensor, "B G 2"]
    ) -> Float[Tensor, "N M H W"]:
        """The logits of the moves in every cell, for each goal on each picture."""
        rows, cols = images.shape[2] // CELL, images.shape[3] // CELL
        plan = self.condition_on_goals(self.encode(images), goals)
        cells = torch.cartesian_prod(torch.arange(rows), torch.arange(cols)).to(goals.device)
        logits = self.act(plan, cells.expand(goals.shape[0] * goals.shape[1], -1, -1))
        return logits.transpose(1, 2).unflatten(2, (rows, cols))


class TerrainVin(TerrainPolicy, ValueIterationNetwork):
    """A VIN whose reward is a ``TerrainReward``: picture and reward once per patch, one plan per goal."""

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> TerrainFeatures:
        """What the pictures say without any goal."""
        assert isinstance(self.reward, TerrainReward)
        return self.reward.encode(images)

    def condition_on_goals(
        self, features: TerrainFeatures, goals: Int[Tensor, "B G 2"], *, iterations: Iterations = None
    ) -> Plan:
        """The plan for each goal."""
        assert isinstance(self.reward, TerrainReward)
        reward = self.reward.condition_on_goals(features, goals)
        return self.planner(reward, self.transition(reward), iterations=iterations)


class TerrainCnn(TerrainPolicy):
    """A reactive policy: image layers, then filters whose reach grows until the goal is seen from every cell."""

    def __init__(self, *, image: ImageLayers | DeepImageLayers, width: int, dilations: Sequence[int]) -> None:
        super().__init__()
        self.image = image
        self.layers = nn.ModuleList(
            nn.Conv2d(image.channels + 1 if index == 0 else width, width, 3, padding=step, dilation=step)
            for index, step in enumerate(dilations)
        )
        self.moves = nn.Conv2d(width, len(MOVE_NAMES), 1)

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B D H W"]:
        """The features of every cell."""
        return self.image(images)

    def condition_on_goals(
        self,
        features: Float[Tensor, "B D H W"],
        goals: Int[Tensor, "B G 2"],
        *,
        iterations: Iterations = None,
    ) -> Float[Tensor, "N M H W"]:
        """The logits of the moves in every cell: nothing is planned."""
        marks = mark_goals(goals.flatten(0, 1), (features.shape[2], features.shape[3]))
        hidden = torch.cat([features.repeat_interleave(goals.shape[1], dim=0), marks], dim=1)
        hidden = hidden.contiguous(memory_format=torch.channels_last)
        for layer in self.layers:
            following = layer(hidden).relu()
            hidden = following + hidden if following.shape == hidden.shape else following
        return self.moves(hidden)

    def act(self, plan: Float[Tensor, "N M H W"], states: Int[Tensor, "N S 2"]) -> Float[Tensor, "N S M"]:
        """The logits of the moves in some states of each problem."""
        return gather_states(plan, states)


class ObstacleClassifier(nn.Module):
    """The VIN's own image layers, asked whether a cell is blocked."""

    def __init__(self, *, image: ImageLayers | DeepImageLayers, hidden: int) -> None:
        super().__init__()
        self.image = image
        self.features = nn.Conv2d(image.channels, hidden, 3, padding=1)
        self.blocked = nn.Conv2d(hidden, 1, 3, padding=1)

    def forward(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B H W"]:
        """The logit of the chance that each cell is blocked."""
        return self.blocked(self.features(self.image(images)).relu())[:, 0]


class FlipAveragedClassifier(ObstacleClassifier):
    """The same, but outside of training it looks a second time, with the picture upside down, and takes the mean."""

    def forward(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B H W"]:
        """The logit of the chance that each cell is blocked."""
        features = super().forward(images)
        return features if self.training else (features + super().forward(images.flip(2)).flip(1)) / 2


class ThresholdCost(nn.Module):
    """Cells that are likelier blocked than the threshold are entered only where there is no other way."""

    setting: Tensor
    penalty = 1000.0

    def __init__(self, threshold: float = 0.5) -> None:
        super().__init__()
        self.register_buffer("setting", torch.tensor(threshold))

    def forward(self, blocked: Float[Tensor, "B H W"]) -> Float[Tensor, "B H W"]:
        """What entering a cell costs beyond the move."""
        return self.penalty * (blocked.sigmoid() >= self.setting)


class LogProbabilityCost(nn.Module):
    """To enter a cell costs a weight times minus the logarithm of the chance that it is free."""

    setting: Tensor

    def __init__(self, weight: float = 1.0) -> None:
        super().__init__()
        self.register_buffer("setting", torch.tensor(weight))

    def forward(self, blocked: Float[Tensor, "B H W"]) -> Float[Tensor, "B H W"]:
        """What entering a cell costs beyond the move."""
        return self.setting * functional.softplus(blocked)


class ClassifierPlanner(TerrainPolicy):
    """The paper's "best achievable": the cheapest way on a map that a classifier has made of the picture."""

    def __init__(
        self, *, classifier: ObstacleClassifier, caution: ThresholdCost | LogProbabilityCost
    ) -> None:
        super().__init__()
        self.classifier = classifier
        self.caution = caution

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B H W"]:
        """What entering a cell costs beyond the move."""
        return self.caution(self.classifier(images))

    def condition_on_goals(
        self,
        features: Float[Tensor, "B H W"],
        goals: Int[Tensor, "B G 2"],
        *,
        iterations: Iterations = None,
    ) -> Float[Tensor, "N M H W"]:
        """Minus the cost of the cheapest way that begins with each move."""
        return -weighted_cost_to_go(features.repeat_interleave(goals.shape[1], dim=0), goals.flatten(0, 1))

    def act(self, plan: Float[Tensor, "N M H W"], states: Int[Tensor, "N S 2"]) -> Float[Tensor, "N S M"]:
        """Minus the cost of each move and the cheapest way after it."""
        return gather_states(plan, states)


class StraightLine(ClassifierPlanner):
    """Goes straight to the goal and ignores the picture: what any policy on terrain has to beat."""

    def __init__(self) -> None:
        TerrainPolicy.__init__(self)

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B H W"]:
        """Nothing: every cell costs the same."""
        return images.new_zeros(len(images), images.shape[2] // CELL, images.shape[3] // CELL)


UNREACHABLE = 1e6
"""More than any way on a map can cost."""


def weighted_cost_to_go(
    entering: Float[Tensor, "N H W"], goals: Int[Tensor, "N 2"]
) -> Float[Tensor, "N 8 H W"]:
    """The cost of each move and of the cheapest way after it, where entering a cell has a price of its own."""
    problems, (rows, cols) = torch.arange(len(goals)), entering.shape[1:]
    lengths = torch.as_tensor(MOVE_COSTS, dtype=entering.dtype)[:, None, None]
    offsets = [(1 + int(down), 1 + int(right)) for down, right in MOVE_OFFSETS]
    ways = torch.full_like(entering, UNREACHABLE)
    ways[problems, goals[:, 0], goals[:, 1]] = 0.0
    while True:
        ahead = functional.pad(ways + entering, (1,) * 4, value=UNREACHABLE)
        through = torch.stack([ahead[:, y : y + rows, x : x + cols] for y, x in offsets], dim=1) + lengths
        shorter = torch.minimum(ways, through.amin(dim=1))
        if torch.equal(shorter, ways):
            return through
        ways = shorter

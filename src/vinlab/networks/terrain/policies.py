"""Policies that see an image of terrain: a VIN, and a CNN without a planner."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.modules.attention import gather_states
from vinlab.networks.base import Policy
from vinlab.networks.terrain.encoder import ImageEncoder
from vinlab.networks.terrain.reward import mark_goals, marked_cells
from vinlab.networks.vin import ValueIterationNetwork
from vinlab.types import CELL, MOVE_NAMES, Iterations, Plan


class TerrainPolicy(Policy):
    """A policy that encodes an image once, for any number of goals on it."""

    pixels: int = CELL
    """Along the edge of a cell."""

    @abstractmethod
    def encode(self, images: Float[Tensor, "B C h w"]) -> Any:
        """What all goals on an image share."""

    @abstractmethod
    def condition_on_goals(
        self, features: Any, goals: Int[Tensor, "B G 2"], *, iterations: Iterations = None
    ) -> Any:
        """The plan for each goal; the goals of one image follow each other."""

    def plan(self, observation: Float[Tensor, "B C h w"], *, iterations: Iterations = None) -> Any:
        """The plan for images with one goal each, marked in the last channel."""
        goals = marked_cells(observation[:, -1], self.pixels)[:, None]
        return self.condition_on_goals(self.encode(observation[:, :-1]), goals, iterations=iterations)

    def dense_logits(
        self, images: Float[Tensor, "B C h w"], goals: Int[Tensor, "B G 2"]
    ) -> Float[Tensor, "N M H W"]:
        """The logits of the moves in every cell, for each goal on each image."""
        rows, cols = images.shape[2] // self.pixels, images.shape[3] // self.pixels
        plan = self.condition_on_goals(self.encode(images), goals)
        cells = torch.cartesian_prod(torch.arange(rows), torch.arange(cols)).to(goals.device)
        logits = self.act(plan, cells.expand(goals.shape[0] * goals.shape[1], -1, -1))
        return logits.transpose(1, 2).unflatten(2, (rows, cols))


class DenseTerrainPolicy(TerrainPolicy):
    """A policy whose plan is the logits of the moves in every cell."""

    @abstractmethod
    def logits(self, features: Any, goals: Int[Tensor, "N 2"]) -> Float[Tensor, "N M H W"]:
        """The logits of the moves in every cell, from the features of one image for each goal."""

    def condition_on_goals(
        self, features: Any, goals: Int[Tensor, "B G 2"], *, iterations: Iterations = None
    ) -> Float[Tensor, "N M H W"]:
        """The logits for each goal; ``iterations`` has no effect."""
        return self.logits(features.repeat_interleave(goals.shape[1], dim=0), goals.flatten(0, 1))

    def act(self, plan: Float[Tensor, "N M H W"], states: Int[Tensor, "N S 2"]) -> Float[Tensor, "N S M"]:
        """The logits of the moves in some states of each problem."""
        return gather_states(plan, states)


class GroundPolicy(TerrainPolicy):
    """A policy that sees images with any number of channels, and a further channel that marks blocked cells."""

    channels: int
    """Of an image."""

    def plan(self, observation: Float[Tensor, "B C h w"], *, iterations: Iterations = None) -> Any:
        """The plan for images with one goal each; in training equal images that follow each other are encoded once."""
        if not self.training:
            return super().plan(observation, iterations=iterations)
        images = observation[:, :-1]
        first = torch.ones(len(images), dtype=torch.bool, device=images.device)
        first[1:] = (images[1:] != images[:-1]).flatten(1).any(dim=1)
        features = self.encode(images[first])[first.cumsum(dim=0) - 1]
        goals = marked_cells(observation[:, -1], self.pixels)[:, None]
        return self.condition_on_goals(features, goals, iterations=iterations)


class EncodingVin(TerrainPolicy, ValueIterationNetwork):
    """A VIN whose reward part encodes the image once, and gives the planner what it makes of it for each goal."""

    reward: Any

    def encode(self, images: Float[Tensor, "B C h w"]) -> Any:
        """What the images give without a goal."""
        return self.reward.encode(images)

    def condition_on_goals(
        self, features: Any, goals: Int[Tensor, "B G 2"], *, iterations: Iterations = None
    ) -> Plan:
        """The plan for each goal."""
        problem = self.reward.condition_on_goals(features, goals)
        costs = problem if isinstance(problem, Tensor) else problem.costs  # a reward, or the costs of moves
        return self.planner(problem, self.transition(costs), iterations=iterations)


class TerrainVin(EncodingVin):
    """A VIN with a ``TerrainReward``."""


class TerrainCnn(DenseTerrainPolicy):
    """A reactive policy: image layers, then dilated convolutions until every cell sees the goal."""

    def __init__(self, *, image: ImageEncoder, width: int, dilations: Sequence[int]) -> None:
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

    def logits(
        self, features: Float[Tensor, "N D H W"], goals: Int[Tensor, "N 2"]
    ) -> Float[Tensor, "N M H W"]:
        """The logits of the moves in every cell."""
        marks = mark_goals(goals, (features.shape[2], features.shape[3]))
        hidden = torch.cat([features, marks], dim=1).contiguous(memory_format=torch.channels_last)
        for layer in self.layers:
            following = layer(hidden).relu()
            hidden = following + hidden if following.shape == hidden.shape else following
        return self.moves(hidden)

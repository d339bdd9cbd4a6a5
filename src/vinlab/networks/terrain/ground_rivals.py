"""Policies without a planner on images of ground: a reactive CNN, and a classifier of moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.networks.terrain.ground_encoder import GroundConfig, GroundEncoder, View
from vinlab.networks.terrain.policies import DenseTerrainPolicy, GroundPolicy
from vinlab.networks.terrain.reward import mark_goals
from vinlab.types import MOVE_NAMES


class _ReactivePolicy(DenseTerrainPolicy, GroundPolicy):
    """Features of cells, joined with what each cell is told of the goal, then the logits of the moves."""

    def __init__(self, encoder: GroundEncoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.pixels, self.channels = encoder.pixels, encoder.inputs

    def encode(self, images: Float[Tensor, "B C h w"]) -> Float[Tensor, "B D H W"]:
        """The features of every cell; the last channel, of blocked cells, is not seen."""
        return self.encoder(images[:, :-1])


class GroundCnn(_ReactivePolicy):
    """A reactive CNN: the goal is a mark in its cell, and dilated convolutions spread it over the map."""

    def __init__(self, encoder: GroundEncoder, *, dilations: Sequence[int]) -> None:
        super().__init__(encoder)
        hidden = encoder.channels
        self.layers = nn.ModuleList(
            nn.Conv2d(hidden + (index == 0), hidden, 3, padding=step, dilation=step)
            for index, step in enumerate(dilations)
        )
        self.moves = nn.Conv2d(hidden, len(MOVE_NAMES), 1)

    def logits(
        self, features: Float[Tensor, "N D H W"], goals: Int[Tensor, "N 2"]
    ) -> Float[Tensor, "N M H W"]:
        """The logits of the moves in every cell."""
        hidden = torch.cat([features, mark_goals(goals, (features.shape[2], features.shape[3]))], dim=1)
        for layer in self.layers:
            hidden = layer(hidden).relu()
        return self.moves(hidden)


class MoveClassifier(_ReactivePolicy):
    """A classifier of moves: what lies around a cell, and in which direction and how far away the goal is."""

    def __init__(self, encoder: GroundEncoder) -> None:
        super().__init__(encoder)
        hidden = encoder.channels
        self.layers = nn.Sequential(
            nn.Conv2d(hidden + 3, 2 * hidden, 1), nn.ReLU(), nn.Conv2d(2 * hidden, len(MOVE_NAMES), 1)
        )

    def logits(
        self, features: Float[Tensor, "N D H W"], goals: Int[Tensor, "N 2"]
    ) -> Float[Tensor, "N M H W"]:
        """The logits of the moves in every cell."""
        rows, cols = features.shape[2:]
        cells = torch.cartesian_prod(torch.arange(rows), torch.arange(cols)).to(goals.device)
        ahead = (goals[:, None] - cells).to(features.dtype)
        distance = ahead.norm(dim=-1, keepdim=True)
        told = torch.cat([ahead / distance.clamp(min=1), distance / max(rows, cols)], dim=-1)
        told = told.transpose(1, 2).unflatten(2, (rows, cols))
        return self.layers(torch.cat([features, told], dim=1))


@dataclass(frozen=True)
class GroundCnnConfig(GroundConfig):
    """A reactive CNN on the VIN's encoder."""

    kind: ClassVar[str] = "ground-cnn"
    dilations: tuple[int, ...] = (1, 2, 4, 8, 16, 1)
    """Of the layers that follow; together they span 65 cells."""

    def build(self) -> GroundCnn:
        """The network with fresh weights."""
        return GroundCnn(self.encoder(), dilations=self.dilations)


@dataclass(frozen=True)
class MoveClassifierConfig(GroundConfig):
    """A classifier of moves on the VIN's encoder with a wide view."""

    kind: ClassVar[str] = "move-classifier"
    view: View = "wide"

    def build(self) -> MoveClassifier:
        """The network with fresh weights."""
        return MoveClassifier(self.encoder())

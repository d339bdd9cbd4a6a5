"""Parts that look at a picture of the ground: what it alone says is worked out once, whatever the goals."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.types import GOAL_MARK


class ImageLayers(nn.Module):
    """The paper's layers for images: two of small filters, pooled by 4 and by 2, so that 8 x 8 pixels are a cell."""

    def __init__(self, *, filters: tuple[int, int] = (6, 12)) -> None:
        super().__init__()
        first, self.channels = filters
        self.first = nn.Conv2d(1, first, 5, padding=2)
        self.second = nn.Conv2d(first, self.channels, 3, padding=1)
        # Channels last: on a CPU these layers then take half the time.
        self.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]

    def forward(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B D H W"]:
        """The features of every cell."""
        # The maximum of what a relu gives is the relu of the maximum, and there are fewer of those.
        coarse = functional.max_pool2d(self.first(images), 4).relu()
        return functional.max_pool2d(self.second(coarse), 2).relu()


class DeepImageLayers(nn.Module):
    """Our layers for images: three that halve, then some that look ever further around a cell.

    Whether ground is steep shows in its surroundings too: a rim, a shadow's far edge, the lie of a valley.
    """

    def __init__(
        self,
        *,
        halving: Sequence[int] = (8, 16, 32),
        width: int = 48,
        dilations: Sequence[int] = (1, 2, 4),
        dropout: float = 0.3,
    ) -> None:
        super().__init__()
        self.channels = width
        sizes = [1, *halving]
        self.halving = nn.Sequential(
            *(_halving(inputs, outputs) for inputs, outputs in zip(sizes, halving, strict=False))
        )
        inputs = [sizes[-1], *[width] * (len(dilations) - 1)]
        self.around = nn.ModuleList(
            _around(count, width, dilation, dropout)
            for count, dilation in zip(inputs, dilations, strict=True)
        )
        self.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]

    def forward(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B D H W"]:
        """The features of every cell."""
        features = self.halving(images)
        for layer in self.around:
            further = layer(features)
            features = features + further if features.shape == further.shape else further
        return features


def _halving(inputs: int, outputs: int) -> nn.Sequential:
    width = 5 if inputs == 1 else 3
    filters = nn.Conv2d(inputs, outputs, width, stride=2, padding=width // 2, bias=False)
    return nn.Sequential(filters, nn.BatchNorm2d(outputs), nn.ReLU())


def _around(inputs: int, outputs: int, dilation: int, dropout: float) -> nn.Sequential:
    filters = nn.Conv2d(inputs, outputs, 3, padding=dilation, dilation=dilation, bias=False)
    return nn.Sequential(filters, nn.BatchNorm2d(outputs), nn.ReLU(), nn.Dropout2d(dropout))


@dataclass(frozen=True)
class TerrainFeatures:
    """What a picture alone says; all goals on the same ground share it."""

    hidden: Float[Tensor, "B D H W"]
    """The layer before the reward, before its nonlinearity and without a goal."""
    reward: Float[Tensor, "B 1 H W"]
    """The reward where no goal is near."""


class TerrainReward(nn.Module):
    """The paper's f_R for terrain: image layers, joined with the goal, then a layer of filters and one that weighs it.

    The goal is a mark in one cell, so it changes 3 x 3 cells of the hidden layer and 5 x 5 of the reward, and
    ``condition_on_goals`` computes no more than those.
    """

    def __init__(self, *, image: ImageLayers | DeepImageLayers | None = None, hidden: int = 150) -> None:
        super().__init__()
        self.image = image or ImageLayers()
        self.features = nn.Conv2d(self.image.channels + 1, hidden, 3, padding=1)
        self.reward = nn.Conv2d(hidden, 1, 3, padding=1, bias=False)

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> TerrainFeatures:
        """What the pictures say without any goal."""
        features = self.image(images)
        weight = self.features.weight[:, :-1]
        hidden = functional.conv2d(features, weight, self.features.bias, padding=1)
        return TerrainFeatures(hidden, self.reward(hidden.relu()))

    def condition_on_goals(
        self, features: TerrainFeatures, goals: Int[Tensor, "B G 2"]
    ) -> Float[Tensor, "N 1 H W"]:
        """The reward with each of some goals on each picture; the goals of one picture follow each other."""
        changes = self._changes(features.hidden, goals)
        reach = changes.shape[-1] // 2
        canvas = functional.pad(features.reward[:, 0], (reach,) * 4)
        canvas = canvas.repeat_interleave(goals.shape[1], dim=0)
        number = torch.arange(len(canvas), device=goals.device)[:, None, None]
        rows, cols = _windows(goals.flatten(0, 1), 2 * reach + 1)
        canvas = canvas.index_put((number, rows, cols), changes, accumulate=True)
        return canvas[:, None, reach:-reach, reach:-reach]

    def forward(self, observation: Float[Tensor, "B 2 h w"]) -> Float[Tensor, "B 1 H W"]:
        """The reward of every cell, from a picture and a channel in which the goal's cell is marked."""
        features = self.encode(observation[:, :1])
        return self.condition_on_goals(
            features, marked_cells(observation[:, 1], features.reward.shape[2])[:, None]
        )

    def _changes(self, hidden: Float[Tensor, "B D H W"], goals: Int[Tensor, "B G 2"]) -> Tensor:
        """What each goal adds to the reward of the cells around it, ``[N 5 5]``."""
        rows, cols = _windows(goals, 3)
        number = torch.arange(len(goals), device=goals.device)[:, None, None, None]
        around = functional.pad(hidden, (1,) * 4).permute(0, 2, 3, 1)[number, rows, cols]
        # A mark at the goal is weighed by the neighbour's filter entry that points back at it.
        mark = GOAL_MARK * self.features.weight[:, -1].flip(1, 2).permute(1, 2, 0)
        inside = (rows > 0) & (rows <= hidden.shape[2]) & (cols > 0) & (cols <= hidden.shape[3])
        change = ((around + mark).relu() - around.relu()) * inside[..., None]
        return self.reward(functional.pad(change.flatten(0, 1).permute(0, 3, 1, 2), (1,) * 4))[:, 0]


class FlipAveragedTerrainReward(TerrainReward):
    """The same, but outside of training it looks a second time, with the picture upside down, and takes the mean.

    Light from the west is light from the west in both, and what only one of them shows is more likely an error.
    """

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> TerrainFeatures:
        """What the pictures say without any goal."""
        features = super().encode(images)
        if self.training:
            return features
        again = super().encode(images.flip(2))
        return TerrainFeatures(
            (features.hidden + again.hidden.flip(2)) / 2, (features.reward + again.reward.flip(2)) / 2
        )


def _windows(cells: Int[Tensor, "*N 2"], width: int) -> tuple[Tensor, Tensor]:
    """Rows ``[*N w w]`` and columns of the square around each cell, on a map with a rim of half the width."""
    steps = torch.arange(width, device=cells.device)
    rows = cells[..., 0, None, None] + steps[:, None]
    cols = cells[..., 1, None, None] + steps
    rows, cols = torch.broadcast_tensors(rows, cols)
    return rows, cols


def marked_cells(channel: Float[Tensor, "B h w"], cells: int) -> Int[Tensor, "B 2"]:
    """Row and column of the cell that a mark lies in, on a map with so many rows of cells."""
    coarse = functional.max_pool2d(channel[:, None], channel.shape[1] // cells)[:, 0]
    flat = coarse.flatten(1).argmax(dim=1)
    return torch.stack([flat // coarse.shape[2], flat % coarse.shape[2]], dim=-1)


def mark_goals(goals: Int[Tensor, "N 2"], shape: tuple[int, int]) -> Float[Tensor, "N 1 H W"]:
    """A map for each goal with a mark in its cell."""
    maps = torch.zeros(len(goals), 1, *shape, device=goals.device)
    maps[torch.arange(len(goals)), 0, goals[:, 0], goals[:, 1]] = GOAL_MARK
    return maps

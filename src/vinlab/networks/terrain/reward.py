"""The reward of terrain, from an image and goals: what the image alone gives is computed once for all goals."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.networks.terrain.encoder import ImageEncoder, ImageLayers
from vinlab.types import CELL, GOAL_MARK


@dataclass(frozen=True)
class TerrainFeatures:
    """What the image alone gives; all goals on the same terrain share it."""

    hidden: Float[Tensor, "B D H W"]
    """The layer before the reward, before its nonlinearity and without a goal."""
    reward: Float[Tensor, "B 1 H W"]
    """The reward without a goal."""


class TerrainReward(nn.Module):
    """The paper's f_R for terrain: image layers, joined with the goal, then two convolutions.

    The goal is a mark in one cell, so it changes 3 x 3 cells of the hidden layer and 5 x 5 of the reward, and
    ``condition_on_goals`` computes no more than those.
    """

    def __init__(self, *, image: ImageEncoder | None = None, hidden: int = 150) -> None:
        super().__init__()
        self.image = image or ImageLayers()
        self.features = nn.Conv2d(self.image.channels + 1, hidden, 3, padding=1)
        self.reward = nn.Conv2d(hidden, 1, 3, padding=1, bias=False)

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> TerrainFeatures:
        """What the images give without a goal."""
        features = self.image(images)
        weight = self.features.weight[:, :-1]
        hidden = functional.conv2d(features, weight, self.features.bias, padding=1)
        return TerrainFeatures(hidden, self.reward(hidden.relu()))

    def condition_on_goals(
        self, features: TerrainFeatures, goals: Int[Tensor, "B G 2"]
    ) -> Float[Tensor, "N 1 H W"]:
        """The reward for each of some goals on each image; the goals of one image follow each other."""
        changes = self._changes(features.hidden, goals)
        reach = changes.shape[-1] // 2
        canvas = functional.pad(features.reward[:, 0], (reach,) * 4)
        canvas = canvas.repeat_interleave(goals.shape[1], dim=0)
        number = torch.arange(len(canvas), device=goals.device)[:, None, None]
        rows, cols = _windows(goals.flatten(0, 1), 2 * reach + 1)
        canvas = canvas.index_put((number, rows, cols), changes, accumulate=True)
        return canvas[:, None, reach:-reach, reach:-reach]

    def forward(self, observation: Float[Tensor, "B 2 h w"]) -> Float[Tensor, "B 1 H W"]:
        """The reward of every cell, from an image and a channel in which the goal's cell is marked."""
        goals = marked_cells(observation[:, 1])[:, None]
        return self.condition_on_goals(self.encode(observation[:, :1]), goals)

    def _changes(self, hidden: Float[Tensor, "B D H W"], goals: Int[Tensor, "B G 2"]) -> Tensor:
        """What each goal adds to the reward of the cells around it, ``[N 5 5]``."""
        rows, cols = _windows(goals, 3)
        number = torch.arange(len(goals), device=goals.device)[:, None, None, None]
        around = functional.pad(hidden, (1,) * 4).permute(0, 2, 3, 1)[number, rows, cols]
        # The entry of a neighbour's filter that points back at the goal weighs its mark.
        mark = GOAL_MARK * self.features.weight[:, -1].flip(1, 2).permute(1, 2, 0)
        inside = (rows > 0) & (rows <= hidden.shape[2]) & (cols > 0) & (cols <= hidden.shape[3])
        change = ((around + mark).relu() - around.relu()) * inside[..., None]
        return self.reward(functional.pad(change.flatten(0, 1).permute(0, 3, 1, 2), (1,) * 4))[:, 0]


class FlipAveragedTerrainReward(TerrainReward):
    """The same, but outside of training the mean over the image and its vertical flip.

    The flip keeps light from the west in the west, and it averages out errors that only one of the two has.
    """

    def encode(self, images: Float[Tensor, "B 1 h w"]) -> TerrainFeatures:
        """What the images give without a goal."""
        features = super().encode(images)
        if self.training:
            return features
        flipped = super().encode(images.flip(2))
        return TerrainFeatures(
            (features.hidden + flipped.hidden.flip(2)) / 2, (features.reward + flipped.reward.flip(2)) / 2
        )


def _windows(cells: Int[Tensor, "*N 2"], width: int) -> tuple[Tensor, Tensor]:
    """Rows ``[*N w w]`` and columns of the square around each cell, on a map padded by half the width."""
    steps = torch.arange(width, device=cells.device)
    rows = cells[..., 0, None, None] + steps[:, None]
    cols = cells[..., 1, None, None] + steps
    rows, cols = torch.broadcast_tensors(rows, cols)
    return rows, cols


def marked_cells(channel: Float[Tensor, "B h w"], pixels: int = CELL) -> Int[Tensor, "B 2"]:
    """Row and column of the cell of ``pixels`` x ``pixels`` that is marked in a channel."""
    coarse = functional.max_pool2d(channel[:, None], pixels)[:, 0]
    flat = coarse.flatten(1).argmax(dim=1)
    return torch.stack([flat // coarse.shape[2], flat % coarse.shape[2]], dim=-1)


def mark_goals(goals: Int[Tensor, "N 2"], shape: tuple[int, int]) -> Float[Tensor, "N 1 H W"]:
    """A map for each goal with a mark in its cell."""
    maps = torch.zeros(len(goals), 1, *shape, device=goals.device)
    maps[torch.arange(len(goals)), 0, goals[:, 0], goals[:, 1]] = GOAL_MARK
    return maps

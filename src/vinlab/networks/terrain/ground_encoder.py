"""Encoders of ground: the features of every cell, from an image with any number of channels and pixels a cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from vinlab.types import InputError

View = Literal["cell", "near", "wide"]
"""What a cell's features depend on: the cell alone, the 5 x 5 cells around it, or the 17 x 17 cells around it."""

LAYERS: dict[View, tuple[tuple[int, int], ...]] = {
    "cell": ((1, 1), (1, 1)),
    "near": ((3, 1), (3, 1)),
    "wide": ((3, 1), (3, 1), (3, 2), (3, 4)),
}
"""Width and dilation of the filters of each layer."""


class GroundEncoder(nn.Module):
    """Normalised channels, layers over pixels where a cell has several, and layers over cells.

    The edge of an image is continued outwards before the layers, so that a cell at the edge costs what it would cost
    inside.
    """

    mean: Tensor
    std: Tensor

    def __init__(
        self,
        *,
        mean: Sequence[float],
        std: Sequence[float],
        view: View = "near",
        hidden: int = 32,
        pixels: int = 1,
    ) -> None:
        super().__init__()
        if len(mean) != len(std) or not mean:
            raise InputError(
                f"expected the mean and standard deviation of each channel, got {len(mean)} and {len(std)}."
            )
        self.inputs, self.channels, self.pixels = len(mean), hidden, pixels
        self.register_buffer("mean", torch.tensor(list(mean))[:, None, None], persistent=False)
        self.register_buffer("std", torch.tensor(list(std))[:, None, None], persistent=False)
        # Where a cell has several pixels, two layers over these and the mean of each cell's.
        over_pixels = (
            [*_layers(len(mean), hidden, ((3, 1), (3, 1))), nn.AvgPool2d(pixels)] if pixels > 1 else []
        )
        self.over_pixels = nn.Sequential(*over_pixels)
        inputs = len(mean) if pixels == 1 else hidden
        self.over_cells = nn.Sequential(*_layers(inputs, hidden, LAYERS[view]))
        # Channels last: on a CPU the layers then take two thirds of the time.
        self.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]

    def forward(self, images: Float[Tensor, "B C h w"]) -> Float[Tensor, "B D H W"]:
        """The features of every cell."""
        features = (images - self.mean) / self.std
        for layers in (self.over_pixels, self.over_cells):
            if len(layers):
                features = layers(continued(features, reach_of(layers)))
        return features


def continued(images: Float[Tensor, "B C h w"], reach: int) -> Float[Tensor, "B C _ _"]:
    """The images with their edges continued outwards."""
    wider = functional.pad(images, (reach,) * 4, mode="replicate") if reach else images
    return wider.contiguous(memory_format=torch.channels_last)


def reach_of(layers: nn.Sequential) -> int:
    """How far the filters of some layers reach, together."""
    filters = (layer for layer in layers if isinstance(layer, nn.Conv2d))
    return sum(layer.dilation[0] * (layer.kernel_size[0] // 2) for layer in filters)


def _layers(inputs: int, hidden: int, filters: Sequence[tuple[int, int]]) -> list[nn.Module]:
    """Convolutions without padding, and rectifiers; of each the width and the dilation."""
    layers: list[nn.Module] = []
    for width, dilation in filters:
        layers += [nn.Conv2d(inputs, hidden, width, dilation=dilation), nn.ReLU()]
        inputs = hidden
    return layers


@dataclass(frozen=True)
class GroundConfig:
    """What all networks on images of ground share."""

    mean: tuple[float, ...] = (0.0,)
    """Of each channel in the training images."""
    std: tuple[float, ...] = (1.0,)
    view: View = "near"
    hidden: int = 32
    pixels: int = 1
    """Along the edge of a cell."""

    def encoder(self) -> GroundEncoder:
        """The encoder with fresh weights."""
        return GroundEncoder(
            mean=self.mean, std=self.std, view=self.view, hidden=self.hidden, pixels=self.pixels
        )

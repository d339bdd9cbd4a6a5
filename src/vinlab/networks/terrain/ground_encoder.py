"""Encoders of ground: the features of every cell, from an image with any number of channels and pixels a cell."""

from collections.abc import Sequence
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

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

    Filters see the edge of an image continued outwards, so that a cell at the edge costs what it would cost inside.
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
        self.over_pixels = nn.Sequential(*_pixel_layers(len(mean), hidden, pixels))
        inputs = len(mean) if pixels == 1 else hidden
        self.over_cells = nn.Sequential(*_cell_layers(inputs, hidden, view))

    def forward(self, images: Float[Tensor, "B C h w"]) -> Float[Tensor, "B D H W"]:
        """The features of every cell."""
        return self.over_cells(self.over_pixels((images - self.mean) / self.std))


def _pixel_layers(inputs: int, hidden: int, pixels: int) -> list[nn.Module]:
    """Two layers over pixels and the mean of each cell's; none where a pixel is a cell."""
    if pixels == 1:
        return []
    return [*_filters(inputs, hidden, 3, 1), *_filters(hidden, hidden, 3, 1), nn.AvgPool2d(pixels)]


def _cell_layers(inputs: int, hidden: int, view: View) -> list[nn.Module]:
    sizes = [inputs, *[hidden] * (len(LAYERS[view]) - 1)]
    return [
        layer
        for count, (width, dilation) in zip(sizes, LAYERS[view], strict=True)
        for layer in _filters(count, hidden, width, dilation)
    ]


def _filters(inputs: int, outputs: int, width: int, dilation: int) -> list[nn.Module]:
    padding = dilation * (width // 2)
    filters = nn.Conv2d(inputs, outputs, width, padding=padding, dilation=dilation, padding_mode="replicate")
    return [filters, nn.ReLU()]

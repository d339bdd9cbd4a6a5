"""Image layers: the features of every cell of 8 x 8 pixels, from a grey image."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from vinlab.types import CELL


class ImageLayers(nn.Module):
    """The paper's image layers: two convolutions, pooled by 4 and by 2, so that 8 x 8 pixels become a cell."""

    def __init__(self, *, filters: tuple[int, int] = (6, 12)) -> None:
        super().__init__()
        first, self.channels = filters
        self.first = nn.Conv2d(1, first, 5, padding=2)
        self.second = nn.Conv2d(first, self.channels, 3, padding=1)
        # Channels last: on a CPU these layers then take half the time.
        self.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]

    def forward(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B D H W"]:
        """The features of every cell."""
        # Max pooling commutes with the ReLU, which has fewer entries after it.
        coarse = functional.max_pool2d(self.first(images), 4).relu()
        return functional.max_pool2d(self.second(coarse), 2).relu()


class CellImageLayers(nn.Module):
    """Image layers that see the pixels of one cell at a time, and nothing around it."""

    def __init__(self, layers: ImageLayers) -> None:
        super().__init__()
        self.layers = layers
        self.channels = layers.channels

    def forward(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B D H W"]:
        """The features of every cell."""
        rows, cols = images.shape[2] // CELL, images.shape[3] // CELL
        cells = images.unflatten(3, (cols, CELL)).unflatten(2, (rows, CELL)).transpose(3, 4)
        found = self.layers(cells.reshape(-1, 1, CELL, CELL))
        return found.view(len(images), rows, cols, self.channels).permute(0, 3, 1, 2)


class DeepImageLayers(nn.Module):
    """Our deeper image layers: three strided convolutions, then dilated ones with a wider receptive field.

    The surroundings of a cell also show how steep it is: a crater's rim, the far edge of a shadow, a valley.
    """

    channels = 48

    def __init__(self, *, dropout: float = 0.3) -> None:
        super().__init__()
        self.halving = nn.Sequential(_strided(1, 8), _strided(8, 16), _strided(16, 32))
        self.around = nn.ModuleList(
            _dilated(inputs, self.channels, dilation, dropout)
            for inputs, dilation in ((32, 1), (self.channels, 2), (self.channels, 4))
        )
        self.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]

    def forward(self, images: Float[Tensor, "B 1 h w"]) -> Float[Tensor, "B D H W"]:
        """The features of every cell."""
        features = self.halving(images)
        for layer in self.around:
            further = layer(features)
            features = features + further if features.shape == further.shape else further
        return features


def _strided(inputs: int, outputs: int) -> nn.Sequential:
    width = 5 if inputs == 1 else 3
    filters = nn.Conv2d(inputs, outputs, width, stride=2, padding=width // 2, bias=False)
    return nn.Sequential(filters, nn.BatchNorm2d(outputs), nn.ReLU())


def _dilated(inputs: int, outputs: int, dilation: int, dropout: float) -> nn.Sequential:
    filters = nn.Conv2d(inputs, outputs, 3, padding=dilation, dilation=dilation, bias=False)
    return nn.Sequential(filters, nn.BatchNorm2d(outputs), nn.ReLU(), nn.Dropout2d(dropout))


ImageEncoder = ImageLayers | DeepImageLayers | CellImageLayers

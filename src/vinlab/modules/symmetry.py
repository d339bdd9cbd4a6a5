"""The turns of a square and their mirror images, of maps."""

from collections.abc import Callable

import torch
from torch import Tensor

SYMMETRIES = 8
"""Four turns, each of the map and of its mirror image."""


def turned(maps: Tensor, symmetry: int) -> Tensor:
    """The maps ``[... H W]`` mirrored and turned by quarters."""
    mirror, turns = divmod(symmetry, 4)
    return torch.rot90(maps.flip(-1) if mirror else maps, turns, (-2, -1))


def turned_back(maps: Tensor, symmetry: int) -> Tensor:
    """The maps before ``turned``."""
    mirror, turns = divmod(symmetry, 4)
    upright = torch.rot90(maps, -turns, (-2, -1))
    return upright.flip(-1) if mirror else upright


def mean_over_symmetries(function: Callable[[Tensor], Tensor], images: Tensor) -> Tensor:
    """The mean of what a function of images gives for each cell, over all ways to turn and mirror the images."""
    total = function(images)
    for symmetry in range(1, SYMMETRIES):
        total = total + turned_back(function(turned(images, symmetry)), symmetry)
    return total / SYMMETRIES

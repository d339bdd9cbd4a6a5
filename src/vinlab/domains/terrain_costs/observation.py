"""What a network sees of ground: the channels of an image, blocked cells, and the goal."""

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int64
from torch import Tensor

from vinlab.types import GOAL_MARK


def observe(
    images: Float32[np.ndarray, "B C h w"],
    blocked: Bool[np.ndarray, "B H W"],
    goals: Int64[np.ndarray, "B 2"],
    pixels: int,
) -> Float32[Tensor, "B D h w"]:
    """The channels of each image, one of blocked cells, and one in which the goal's cell is marked."""
    cells = np.zeros((len(images), 2, *blocked.shape[1:]), np.float32)
    cells[:, 0] = blocked
    cells[np.arange(len(images)), 1, goals[:, 0], goals[:, 1]] = GOAL_MARK
    wide = cells.repeat(pixels, axis=2).repeat(pixels, axis=3)
    return torch.from_numpy(np.concatenate([images, wide], axis=1))

"""What a network sees of a patch: its picture, evened out, and where the goal is."""

import numpy as np
import torch
from jaxtyping import Float32, Int64, UInt8
from torch import Tensor

from vinlab.types import GOAL_MARK, InputError

CONTRAST = 20.0
"""Grey levels that count as one. It is the same for all patches: dividing each by its own deviation would throw
away how strong the shading is, which is what tells steep ground from flat."""


def normalise(images: UInt8[np.ndarray, "N h w"]) -> Float32[Tensor, "N 1 h w"]:
    """Pictures without their mean brightness, in units of contrast."""
    values = torch.from_numpy(np.ascontiguousarray(images)).float()[:, None]
    return (values - values.mean(dim=(2, 3), keepdim=True)) / CONTRAST


def observe_terrain(
    images: UInt8[np.ndarray, "N h w"], goals: Int64[np.ndarray, "N 2"], *, cell: int = 8
) -> Float32[Tensor, "N 2 h w"]:
    """The evened picture, and a channel in which the goal's cell is marked."""
    rows, cols = images.shape[1] // cell, images.shape[2] // cell
    if ((goals < 0) | (goals >= (rows, cols))).any():
        raise InputError(f"goals must lie on a map of {rows} x {cols} cells.")
    marks = torch.zeros(len(images), rows, cols)
    marks[torch.arange(len(goals)), goals[:, 0], goals[:, 1]] = GOAL_MARK
    marks = marks.repeat_interleave(cell, dim=1).repeat_interleave(cell, dim=2)
    return torch.cat([normalise(images), marks[:, None]], dim=1)

"""What moves cost on ground that a model sees in an image, for planners with a memory."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float64, Int64

from vinlab.maps import GridMap
from vinlab.maps.transform import CELLS
from vinlab.models import Model
from vinlab.navigation.ground import Change, Ground
from vinlab.planning.graded import require_cells
from vinlab.types import InputError


def sees_pixels(model: Model) -> bool:
    """Whether a model learns one cost for each cell from the channels of an image."""
    network = model.network
    return hasattr(network, "encode") and hasattr(network, "channels") and hasattr(network, "pixels")


class PictureGround(Ground):
    """Moves that cost what a model sees in an image: their length times the mean of the learned costs of two cells."""

    def __init__(self, model: Model, image: Any, *, corner_cutting: bool | None = None) -> None:
        self._network, self._pixels = model.network, int(model.network.pixels)
        self._values = _require_image(model, getattr(image, "values", image), self._pixels)
        known = getattr(image, "known", None)
        self._blocked = np.zeros(self._values.shape[1:], bool) if known is None else ~np.asarray(known, bool)
        costs, blocked = self._look()
        self.map = GridMap(
            blocked.astype(np.uint8),
            "An image.",
            frame=getattr(image, "frame", CELLS).of_cells(self._pixels),
            corner_cutting=corner_cutting is not False,
            costs=costs,
        )

    def change(self, cells: Int64[np.ndarray, "N 2"], values: np.ndarray) -> Change:
        """Give the pixels of cells other values; the cells whose cost this changes, as far as the model sees."""
        rows, cols = self.map.obstacles.shape
        places = require_cells(cells, (rows, cols), "cells")
        count, channels = len(places), len(self._values)
        if values.shape not in ((count, channels), (count, channels, self._pixels, self._pixels)):
            raise InputError(
                f"values: expected {channels} channels for each of {count} cells, got the shape {values.shape}."
            )
        if not np.isfinite(values).all():
            raise InputError(f"values: expected finite pixels, got {values[~np.isfinite(values)].flat[0]}.")
        patches = values.reshape(count, channels, *values.shape[2:] or (1, 1))
        for (row, col), patch in zip(places * self._pixels, patches, strict=True):
            self._values[:, row : row + self._pixels, col : col + self._pixels] = patch
        before = self.map.costs
        assert before is not None
        costs, blocked = self._look()
        self.map = replace(self.map, costs=costs, obstacles=blocked.astype(np.uint8))
        changed = np.argwhere(costs != before)
        return Change(changed, np.where(blocked, np.inf, costs)[tuple(changed.T)])

    @torch.no_grad()
    def _look(self) -> tuple[Float64[np.ndarray, "H W"], Bool[np.ndarray, "H W"]]:
        """The learned cost of each cell, and which are blocked."""
        seen = np.concatenate([self._values, self._blocked[None]]).astype(np.float32)
        device = next(self._network.parameters()).device
        ground = self._network.encode(torch.from_numpy(seen)[None].to(device))
        return ground.costs[0].cpu().double().numpy(), ground.blocked[0].cpu().numpy()


def _require_image(model: Model, image: Any, pixels: int) -> Float64[np.ndarray, "C h w"]:
    values = np.array(image, dtype=np.float64)
    values = values[None] if values.ndim == 2 else values
    if values.ndim != 3 or len(values) != model.network.channels:
        raise InputError(
            f"map: expected an image of {model.network.channels} channels [C h w] for {model.id}, got the shape "
            f"{values.shape}."
        )
    if values.shape[1] % pixels or values.shape[2] % pixels or not values.size:
        raise InputError(
            f"map: expected sides that are multiples of {pixels} pixels, got {values.shape[1:]}."
        )
    if not np.isfinite(values).all():
        raise InputError(f"map: expected finite pixels, got {values[~np.isfinite(values)].flat[0]}.")
    return values

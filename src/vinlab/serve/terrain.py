"""Ground on the page: a picture from above that a network plans on, made up or dropped by somebody."""

import base64
import binascii
from typing import Any

import numpy as np
from jaxtyping import UInt8

from vinlab.domains.mars.patches import PatchConfig, blocked_cells, free_regions
from vinlab.domains.mars.tasks import random_ends
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, make_terrain
from vinlab.maps.image import read_image
from vinlab.models import Model
from vinlab.navigation.images import takes_images
from vinlab.networks.terrain.policies import CELL
from vinlab.types import InputError

LARGEST_GROUND = 100
"""Cells along a side; the picture of more would not fit into a request."""
TRIES = 50


def pixels_of(model: Model) -> int | None:
    """Pixels along the edge of a cell, for models that look at a picture; None for those that are given walls."""
    return CELL if takes_images(model) else None


def picture_of(text: Any, height: int, width: int) -> UInt8[np.ndarray, "h w"]:
    """The grey picture in a request, 8 x 8 pixels for each cell."""
    wanted = f"image must be the {height * CELL} x {width * CELL} grey pixels of the map, in base64."
    if not isinstance(text, str):
        raise InputError(wanted)
    try:
        pixels = np.frombuffer(base64.b64decode(text, validate=True), np.uint8)
    except (binascii.Error, ValueError):
        raise InputError(wanted) from None
    if pixels.size != height * width * CELL**2:
        raise InputError(wanted)
    return pixels.reshape(height * CELL, width * CELL).copy()  # of one's own, as torch wants it


def make_ground(height: int, width: int, seed: int) -> dict[str, Any]:
    """Synthetic ground with a start and a goal between which a way exists."""
    if max(height, width) > LARGEST_GROUND:
        raise InputError(f"Ground has {LARGEST_GROUND} cells a side at most.")
    rng = np.random.default_rng(seed)
    config = SyntheticConfig(side=max(256, CELL * max(height, width)))
    least = max(2, height * width // 4)
    for _ in range(TRIES):
        terrain = make_terrain("ground", config, rng=rng)
        image, slope = (part[: height * CELL, : width * CELL] for part in (terrain.image, terrain.slope))
        blocked = blocked_cells(slope[None], cell=CELL, threshold=PatchConfig.threshold)
        if blocked.mean() >= PatchConfig.min_blocked and free_regions(blocked)[1].max() >= least:
            starts, goals = random_ends(blocked, least, rng)
            return ground(image, blocked[0], starts[0], goals[0]) | {"judged": True}
    raise InputError("No ground of this size could be made; try a larger one.")


def ground_in_picture(data: bytes) -> dict[str, Any]:
    """Ground that somebody dropped as a picture; how steep it is nobody knows."""
    picture = read_image(data, "The file")
    grey = (picture.values.astype(np.float32) * (255 / picture.white)).astype(np.uint8)
    height, width = (min(LARGEST_GROUND, side // CELL) for side in grey.shape)
    if min(height, width) < 2:
        raise InputError(f"The picture must have at least {2 * CELL} x {2 * CELL} pixels, {CELL} for a cell.")
    free = np.zeros((height, width), bool)
    ends = np.array([0, 0]), np.array([height - 1, width - 1])
    return ground(grey[: height * CELL, : width * CELL], free, *ends) | {"judged": False}


def ground(image: np.ndarray, blocked: np.ndarray, start: np.ndarray, goal: np.ndarray) -> dict[str, Any]:
    """A world as the page holds it, with its picture."""
    height, width = blocked.shape
    return {
        "height": height,
        "width": width,
        "cells": "".join("01"[cell] for cell in blocked.ravel().tolist()),
        "start": start.tolist(),
        "goal": goal.tolist(),
        "image": base64.b64encode(image.tobytes()).decode("ascii"),
    }

"""Ground on the page: pictures that a network plans on whose costs it has learned, generated or dropped as a file."""

import base64
import binascii
import math
from typing import Any

import numpy as np
from jaxtyping import UInt8

from vinlab.domains.terrain_costs.problem import TerrainCostsConfig, sample_problems
from vinlab.maps.pictures import Picture, picture_of_bytes, with_channels
from vinlab.models import Model
from vinlab.navigation.images import blocked_cells, cells_of
from vinlab.serve.schemas import LARGEST_BODY, world_response
from vinlab.types import InputError

SHOWN_CHANNELS = (1, 3)
"""Grey or colour; the page cannot show others."""


def require_shown(model: Model) -> int:
    """The channels of a model's images, if the page can show them."""
    channels = model.network.channels
    if channels not in SHOWN_CHANNELS:
        raise InputError(f"The page shows images of 1 or 3 channels, got {model.id}, which sees {channels}.")
    return channels


def decode_picture(model: Model, text: Any, obstacles: UInt8[np.ndarray, "H W"]) -> Picture:
    """The picture in a request; cells that the page holds as blocked are unknown."""
    channels, pixels = require_shown(model), model.network.pixels
    height, width = (side * pixels for side in obstacles.shape)
    expected = f"image: expected {height} x {width} pixels of {channels} channels, in base64, got "
    try:
        values = np.frombuffer(base64.b64decode(text, validate=True), np.uint8)
    except (binascii.Error, ValueError, TypeError):
        raise InputError(f"{expected}something else.") from None
    if values.size != height * width * channels:
        raise InputError(f"{expected}{values.size} bytes.")
    known = (obstacles == 0).repeat(pixels, axis=0).repeat(pixels, axis=1)
    shown = values.reshape(height, width, channels).transpose(2, 0, 1).astype(np.float32) / np.float32(255)
    return Picture(shown, known)


def generated_ground(model: Model, height: int, width: int, seed: int) -> dict[str, Any]:
    """A generated picture, each of its pixels as large as a cell of the model."""
    config = TerrainCostsConfig(size=(max(4, height), max(4, width)))
    problem = sample_problems(config, 1, rng=np.random.default_rng(seed))
    pixels = model.network.pixels
    values = problem.images[0].repeat(pixels, axis=1).repeat(pixels, axis=2).astype(np.float32) / 255
    picture = with_channels(Picture(values, np.ones(values.shape[1:], bool)), require_shown(model), "picture")
    return _world(model, picture, problem.starts[0], problem.goals[0])


def ground_of_file(model: Model, data: bytes) -> dict[str, Any]:
    """The picture in a dropped file, cut to what a request can hold."""
    picture = with_channels(picture_of_bytes(data, "The file"), require_shown(model), "The file")
    most = math.isqrt(LARGEST_BODY // 2 // len(picture.values)) // model.network.pixels
    rows, cols = (min(most, side) for side in cells_of(model, picture))
    if min(rows, cols) < 2:
        pixels = model.network.pixels
        raise InputError(
            f"expected an image of at least {2 * pixels} x {2 * pixels} pixels, got a smaller one."
        )
    height, width = rows * model.network.pixels, cols * model.network.pixels
    cut = Picture(picture.values[:, :height, :width], picture.known[:height, :width])
    free = np.argwhere(~blocked_cells(model, cut))
    if not len(free):
        raise InputError("expected an image with a cell that is not transparent, got none.")
    return _world(model, cut, free[0], free[-1])


def _world(model: Model, picture: Picture, start: np.ndarray, goal: np.ndarray) -> dict[str, Any]:
    """A world as the page holds it, with its picture."""
    world = world_response(blocked_cells(model, picture), start, goal)
    low, high = picture.values.min(), picture.values.max()
    if low < 0 or high > 1:
        raise InputError("The page shows images of 8 or 16 bits, got one of other numbers: use vinlab plan.")
    content = np.rint(255 * picture.values).astype(np.uint8).transpose(1, 2, 0).tobytes()
    image = base64.b64encode(content).decode("ascii")
    return world | {"image": image, "channels": len(picture.values), "slopes_known": False}

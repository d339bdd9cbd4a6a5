"""Terrain on the page: an image from above that a network plans on, synthetic or dropped as a file."""

import base64
import binascii
from typing import Any

import numpy as np
from jaxtyping import UInt8

from vinlab.domains.mars.patches import PAPER_PATCHES, blocked_cells, free_regions, random_ends
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, make_terrain
from vinlab.maps.image import read_image
from vinlab.models import Model
from vinlab.navigation.images import takes_images
from vinlab.serve.schemas import world_response
from vinlab.serve.worlds import far_starts
from vinlab.types import CELL, GridProblems, InputError

LARGEST_TERRAIN = 100
"""Cells along a side; the image of more would not fit into a request."""
TRIES = 50


def pixels_of(model: Model) -> int | None:
    """Pixels along the edge of a cell, for models that see an image; None for those that see a map."""
    return model.network.pixels if takes_images(model) else None


def decode_image(text: Any, height: int, width: int) -> UInt8[np.ndarray, "h w"]:
    """The grey image in a request, 8 x 8 pixels for each cell."""
    expected = f"image: expected {height * CELL} x {width * CELL} grey pixels of the map, in base64, got "
    if not isinstance(text, str):
        raise InputError(f"{expected}{'none' if text is None else type(text).__name__}.")
    try:
        pixels = np.frombuffer(base64.b64decode(text, validate=True), np.uint8)
    except (binascii.Error, ValueError):
        raise InputError(f"{expected}a text that is not base64.") from None
    if pixels.size != height * width * CELL**2:
        raise InputError(f"{expected}{pixels.size} pixels.")
    return pixels.reshape(height * CELL, width * CELL).copy()  # torch needs an array that can be written to


def synthetic_world(height: int, width: int, seed: int) -> dict[str, Any]:
    """Synthetic terrain with a start and a goal that can be reached from it, far away."""
    if max(height, width) > LARGEST_TERRAIN:
        raise InputError(
            f"expected terrain of at most {LARGEST_TERRAIN} cells a side, got {height} x {width}."
        )
    rng = np.random.default_rng(seed)
    config = SyntheticConfig(side=max(256, CELL * max(height, width)))
    least = max(2, height * width // 4)
    for _ in range(TRIES):
        terrain = make_terrain("terrain", config, rng=rng)
        image, slope = (part[: height * CELL, : width * CELL] for part in (terrain.image, terrain.slope))
        blocked = blocked_cells(slope[None], threshold=PAPER_PATCHES.threshold)
        if blocked.mean() >= PAPER_PATCHES.min_blocked and free_regions(blocked)[1].max() >= least:
            starts, goals = random_ends(blocked, least, rng)
            starts, _ = far_starts(GridProblems(blocked.astype(np.uint8), starts, goals), rng)
            return _world(image, blocked[0], starts[0], goals[0], slopes_known=True)
    raise InputError(f"No terrain of {height} x {width} cells could be generated; try a larger one.")


def world_of_image(data: bytes) -> dict[str, Any]:
    """Terrain from a dropped image; its slopes are unknown."""
    found = read_image(data, "The file")
    grey = (found.values.astype(np.float32) * (255 / found.white)).astype(np.uint8)
    height, width = (min(LARGEST_TERRAIN, side // CELL) for side in grey.shape)
    if min(height, width) < 2:
        raise InputError(
            f"expected an image of at least {2 * CELL} x {2 * CELL} pixels, {CELL} for a cell, got "
            f"{grey.shape[0]} x {grey.shape[1]}."
        )
    free = np.zeros((height, width), bool)
    ends = np.array([0, 0]), np.array([height - 1, width - 1])
    return _world(grey[: height * CELL, : width * CELL], free, *ends, slopes_known=False)


def _world(
    image: np.ndarray, blocked: np.ndarray, start: np.ndarray, goal: np.ndarray, *, slopes_known: bool
) -> dict[str, Any]:
    """A world as the page holds it, with its image."""
    world = world_response(blocked, start, goal)
    return world | {"image": base64.b64encode(image.tobytes()).decode("ascii"), "slopes_known": slopes_known}

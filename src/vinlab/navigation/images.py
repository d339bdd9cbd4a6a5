"""Planning on an image of terrain, without any map of obstacles."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float32, Int, UInt8

from vinlab.domains.gridworld.validation import require_position
from vinlab.domains.mars.problem import observe
from vinlab.models import Model
from vinlab.navigation.greedy import follow_moves, greedy_moves
from vinlab.navigation.routes import path_cost
from vinlab.networks.terrain.policies import TerrainPolicy
from vinlab.types import CELL, InputError, Iterations, Plan


@dataclass(frozen=True)
class ImageRoute:
    """The route of a policy on an image; whether the terrain is traversable is unknown."""

    start: tuple[int, int]
    goal: tuple[int, int]
    path: Int[np.ndarray, "T 2"]
    """Cells from the start on."""
    reached: bool
    """Whether the policy's moves reach the goal."""
    cost: float
    """Length of the path in cells."""
    reward: Float32[np.ndarray, "H W"] | None
    """The learned reward of each cell; None where the network does not plan."""
    iterations: Any


def takes_images(model: Model) -> bool:
    """Whether a model sees images of terrain instead of maps."""
    return isinstance(model.network, TerrainPolicy)


@torch.no_grad()
def plan_on_image(
    model: Model, image: UInt8[np.ndarray, "h w"], goal: tuple[int, int], iterations: Iterations = None
) -> tuple[Any, Int[np.ndarray, "H W"], Any]:
    """The plan for a goal on an image of terrain, the move in every cell, and the number of backups.

    Without ``iterations`` it grows with the image.
    """
    shape = image.shape[0] // CELL, image.shape[1] // CELL
    used = model.iterations_for(shape) if iterations is None else iterations
    plan = model.network.plan(observe(image[None], np.array([goal])), iterations=used)
    (moves,) = greedy_moves(model.network, plan, 1, shape)
    return plan, moves, used


def navigate_image(
    model: Model, image: UInt8[np.ndarray, "h w"], start: Any, goal: Any, *, iterations: Iterations = None
) -> ImageRoute:
    """The route of a trained model on an image of terrain, whose sides are whole numbers of cells.

    Start and goal are cells ``(row, col)`` of 8 x 8 pixels. Without ``iterations`` the number of backups grows
    with the image.
    """
    if not takes_images(model):
        raise InputError(
            f"expected a model that sees images, such as mars/vin, got {model.id}, which sees maps."
        )
    shape = image.shape[0] // CELL, image.shape[1] // CELL
    if not all(shape) or image.shape != (shape[0] * CELL, shape[1] * CELL):
        raise InputError(
            f"expected an image with sides that are multiples of {CELL} pixels, got {image.shape}."
        )
    ends = _inside(start, shape, "start"), _inside(goal, shape, "goal")
    plan, moves, used = plan_on_image(model, image, ends[1], iterations)
    path, reached = follow_moves(moves, np.zeros(shape, np.uint8), *ends)
    reward = plan.reward[0, 0].numpy() if isinstance(plan, Plan) else None
    return ImageRoute(*ends, path, reached, path_cost(path), reward, used)


def _inside(position: Any, shape: tuple[int, int], name: str) -> tuple[int, int]:
    row, col = require_position(position, name)
    if not (0 <= row < shape[0] and 0 <= col < shape[1]):
        raise InputError(
            f"{name}: expected a cell of the {shape[0]} x {shape[1]} of the image, got ({row}, {col})."
        )
    return row, col

"""Crossing ground that only an image shows: the way that a network would take, without any map of obstacles."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float32, Int, UInt8

from vinlab.domains.gridworld.validation import require_position
from vinlab.domains.mars.observation import observe_terrain
from vinlab.models import Model
from vinlab.navigation.greedy import follow_moves, greedy_moves
from vinlab.navigation.routes import path_cost
from vinlab.networks.terrain.policies import CELL, TerrainPolicy
from vinlab.types import InputError, Iterations, Plan


@dataclass(frozen=True)
class ImageRoute:
    """The way that a policy would take over ground; whether the ground bears it only a slope can tell."""

    start: tuple[int, int]
    goal: tuple[int, int]
    path: Int[np.ndarray, "T 2"]
    """Cells from the start on."""
    reached: bool
    """Whether the policy's moves lead to the goal."""
    cost: float
    """Length of the path in cells."""
    reward: Float32[np.ndarray, "H W"] | None
    """What the network wants of each cell; None where it does not plan."""
    iterations: Any


def takes_images(model: Model) -> bool:
    """Whether a model looks at images of ground instead of maps."""
    return isinstance(model.network, TerrainPolicy)


@torch.no_grad()
def plan_on_image(
    model: Model, image: UInt8[np.ndarray, "h w"], goal: tuple[int, int], iterations: Iterations = None
) -> tuple[Any, Int[np.ndarray, "H W"], Any]:
    """The plan for a goal on an image of ground, the move in every cell, and the number of backups.

    Without ``iterations`` it grows with the image.
    """
    shape = image.shape[0] // CELL, image.shape[1] // CELL
    used = model.iterations_for(shape) if iterations is None else iterations
    plan = model.network.plan(observe_terrain(image[None], np.array([goal])), iterations=used)
    (moves,) = greedy_moves(model.network, plan, 1, shape)
    return plan, moves, used


def navigate_image(
    model: Model, image: UInt8[np.ndarray, "h w"], start: Any, goal: Any, *, iterations: Iterations = None
) -> ImageRoute:
    """The way of a trained model over the ground of an image, whose sides are whole numbers of cells.

    Start and goal are cells ``(row, col)`` of 8 x 8 pixels. Without ``iterations`` the number of backups grows
    with the image.
    """
    if not takes_images(model):
        raise InputError(f"{model.id} plans on maps; a model that sees ground, such as mars/vin, is wanted.")
    shape = image.shape[0] // CELL, image.shape[1] // CELL
    if not all(shape) or image.shape != (shape[0] * CELL, shape[1] * CELL):
        raise InputError(f"The sides of an image must be multiples of {CELL} pixels, but {image.shape} came.")
    ends = _inside(start, shape, "start"), _inside(goal, shape, "goal")
    plan, moves, used = plan_on_image(model, image, ends[1], iterations)
    path, reached = follow_moves(moves, np.zeros(shape, np.uint8), *ends)
    reward = plan.reward[0, 0].numpy() if isinstance(plan, Plan) else None
    return ImageRoute(*ends, path, reached, path_cost(path), reward, used)


def _inside(position: Any, shape: tuple[int, int], name: str) -> tuple[int, int]:
    row, col = require_position(position, name)
    if not (0 <= row < shape[0] and 0 <= col < shape[1]):
        raise InputError(f"{name} ({row}, {col}) lies outside the image of {shape[0]} x {shape[1]} cells.")
    return row, col

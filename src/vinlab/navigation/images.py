"""Planning on an image of terrain or ground, without any map of obstacles."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int, UInt8
from torch import Tensor

from vinlab.domains.gridworld.validation import require_position
from vinlab.domains.mars.problem import observe
from vinlab.domains.terrain_costs.problem import observe as observe_ground
from vinlab.evaluation.rollout import device_of
from vinlab.maps.pictures import Picture
from vinlab.models import Model
from vinlab.navigation.greedy import follow_moves, greedy_moves
from vinlab.navigation.routes import path_cost
from vinlab.networks.terrain.ground_vin import GroundVin
from vinlab.networks.terrain.policies import GroundPolicy, TerrainPolicy
from vinlab.types import InputError, Iterations, Plan


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
    """The learned reward of each cell, or minus its learned cost; None where the network does not plan."""
    iterations: Any


Image = UInt8[np.ndarray, "h w"] | Picture
"""Grey, or with the channels that a network for ground was trained with."""


def takes_images(model: Model) -> bool:
    """Whether a model sees images of terrain instead of maps."""
    return isinstance(model.network, TerrainPolicy)


def sees_ground(model: Model) -> bool:
    """Whether a model sees images with any number of channels, of ground whose costs it has learned."""
    return isinstance(model.network, GroundPolicy)


def cells_of(model: Model, image: Image) -> tuple[int, int]:
    """Rows and columns of cells."""
    sides = image.known.shape if isinstance(image, Picture) else image.shape
    return sides[0] // model.network.pixels, sides[1] // model.network.pixels


def blocked_cells(model: Model, image: Image) -> Bool[np.ndarray, "H W"]:
    """The cells of which no pixel is known."""
    (rows, cols), pixels = cells_of(model, image), model.network.pixels
    if not isinstance(image, Picture):
        return np.zeros((rows, cols), bool)
    known = image.known[: rows * pixels, : cols * pixels]
    return np.logical_not(known.reshape(rows, pixels, cols, pixels).any(axis=(1, 3)))


def _observation(model: Model, image: Image, goal: tuple[int, int]) -> Float32[Tensor, "1 C h w"]:
    goals, device = np.array([goal]), device_of(model.network)
    if not isinstance(image, Picture):
        return observe(image[None], goals).to(device)
    (rows, cols), pixels = cells_of(model, image), model.network.pixels
    values = image.values[None, :, : rows * pixels, : cols * pixels]
    return observe_ground(values, blocked_cells(model, image)[None], goals, pixels).to(device)


@torch.no_grad()
def plan_on_image(
    model: Model, image: Image, goal: tuple[int, int], iterations: Iterations = None
) -> tuple[Any, Int[np.ndarray, "H W"], Any]:
    """The plan for a goal on an image of terrain, the move in every cell, and the number of backups.

    Without ``iterations`` it grows with the image.
    """
    shape = cells_of(model, image)
    used = model.iterations_for(shape) if iterations is None else iterations
    plan = model.network.plan(_observation(model, image, goal), iterations=used)
    (moves,) = greedy_moves(model.network, plan, 1, shape)
    return plan, moves, used


def navigate_image(
    model: Model, image: Image, start: Any, goal: Any, *, iterations: Iterations = None
) -> ImageRoute:
    """The route of a trained model on an image of terrain, whose sides are whole numbers of cells.

    Start and goal are cells ``(row, col)``: of 8 x 8 pixels for a model such as mars/vin, of as many as in training
    for a model of ground, whose image is a ``Picture``. Without ``iterations`` the number of backups grows with the
    image.
    """
    _require_image(model, image)
    blocked = blocked_cells(model, image)
    ends = _inside(start, "start", blocked), _inside(goal, "goal", blocked)
    plan, moves, used = plan_on_image(model, image, ends[1], iterations)
    path, reached = follow_moves(moves, blocked.astype(np.uint8), *ends)
    return ImageRoute(*ends, path, reached, path_cost(path), _reward(model, image, plan), used)


def _require_image(model: Model, image: Image) -> None:
    """The model sees images, and these; or a sentence says what it sees."""
    if not takes_images(model):
        raise InputError(
            f"expected a model that sees images, such as mars/vin, got {model.id}, which sees maps."
        )
    if isinstance(image, Picture) != sees_ground(model):
        raise InputError(f"expected {'a Picture' if sees_ground(model) else 'grey pixels'} for {model.id}.")
    rows, cols = cells_of(model, image)
    pixels = model.network.pixels
    if isinstance(image, Picture):
        if len(image.values) != model.network.channels:
            raise InputError(
                f"expected an image of {model.network.channels} channels for {model.id}, got {len(image.values)}."
            )
    elif image.shape != (rows * pixels, cols * pixels):
        raise InputError(
            f"expected an image with sides that are multiples of {pixels} pixels, got {image.shape}."
        )
    if not (rows and cols):
        raise InputError(f"expected an image of at least one cell of {pixels} x {pixels} pixels, got less.")


@torch.no_grad()
def _reward(model: Model, image: Image, plan: Any) -> Float32[np.ndarray, "H W"] | None:
    if isinstance(model.network, GroundVin):
        return -model.network.encode(_observation(model, image, (0, 0))[:, :-1]).costs[0].cpu().numpy()
    return plan.reward[0, 0].cpu().numpy() if isinstance(plan, Plan) else None


def _inside(position: Any, name: str, blocked: Bool[np.ndarray, "H W"]) -> tuple[int, int]:
    shape = blocked.shape
    row, col = require_position(position, name)
    if not (0 <= row < shape[0] and 0 <= col < shape[1]):
        raise InputError(
            f"{name}: expected a cell of the {shape[0]} x {shape[1]} of the image, got ({row}, {col})."
        )
    if blocked[row, col]:
        raise InputError(
            f"{name}: expected a cell that the image shows, got ({row}, {col}), which is transparent."
        )
    return row, col

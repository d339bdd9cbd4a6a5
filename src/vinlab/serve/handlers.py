"""The responses to the page: plans as compact JSON, random worlds, and maps from dropped files."""

import base64
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from vinlab.domains.gridworld.expert import solve
from vinlab.maps import map_from_bytes
from vinlab.models import Model
from vinlab.navigation.adaptive import AdaptivePlan, plan_adaptively, start_mask, with_rollouts
from vinlab.navigation.display import display_range
from vinlab.navigation.images import Image, plan_on_image, sees_ground
from vinlab.navigation.routes import route_of
from vinlab.planning.costs import UNREACHABLE
from vinlab.serve.ground import decode_picture, generated_ground
from vinlab.serve.schemas import LARGEST_SIDE, MAX_ITERATIONS, PlanRequest, WorldRequest, world_response
from vinlab.serve.terrain import decode_image, pixels_of, synthetic_world
from vinlab.serve.worlds import random_world
from vinlab.types import GridProblems, InputError


def answer_plan(models: Mapping[str, Model], request: PlanRequest) -> dict[str, Any]:
    """The plan of a model, its route and the shortest one."""
    if request.model not in models:
        raise InputError(f"model: expected one of {', '.join(models)}, got '{request.model}'.")
    problem = GridProblems(request.obstacles[None], np.array([request.start]), np.array([request.goal]))
    began = time.perf_counter()
    planned = _plan(models[request.model], problem, request)
    seconds = time.perf_counter() - began
    if planned.plan is None:
        raise InputError(f"model: expected one that plans on the grid, got '{request.model}'.")
    route = route_of(problem, planned, corner_cutting=request.corner_cutting)
    known = request.obstacles == 0
    if models[request.model].network.iterations is None:  # all that can reach the goal do
        known &= planned.rollouts.reached.reshape(known.shape)
    value = planned.plan.value[0, 0].cpu().numpy()
    known &= value > UNREACHABLE
    value = np.where(
        known, value, value[known].min()
    )  # in obstacles and in cells without a path the least known
    return {
        "iterations": route.iterations,
        "reached": route.reached,
        "path": route.path.tolist(),
        "cost": route.cost,
        "exact": route.optimal_path.tolist(),
        "optimal": route.optimal_cost if route.exists else None,
        "milliseconds": 1000 * seconds,
        "reward": _shades(planned.plan.reward[0].mean(dim=0).cpu().numpy(), request.obstacles),
        "value": _shades(value, request.obstacles),
        "moves": _packed(planned.moves.astype(np.uint8)),
    }


def _plan(model: Model, problem: GridProblems, request: PlanRequest) -> AdaptivePlan:
    """The plan on the image for models that take one, else on the map."""
    cutting = request.corner_cutting
    if pixels_of(model):
        image: Image
        if sees_ground(model):
            image = decode_picture(model, request.image, request.obstacles)
        else:
            image = decode_image(request.image, *request.obstacles.shape)
        plan, moves, used = plan_on_image(model, image, request.goal, request.iterations)
        return with_rollouts(plan, moves[None], problem, used, corner_cutting=cutting)
    return plan_adaptively(
        model,
        problem,
        must_reach=start_mask(problem),
        iterations=request.iterations,
        corner_cutting=cutting,
        legal_only=True,
        max_iterations=MAX_ITERATIONS,
    )


def _shades(field: np.ndarray, obstacles: np.ndarray) -> dict[str, Any]:
    """A field of numbers as 256 shades over its display range, and whether numbers lie beyond its ends."""
    low, high = display_range(field, obstacles)
    scale = 255 / (high - low) if high > low else 0.0
    shades = (np.clip(field, low, high) - low) * scale
    ends = {"low": low, "high": high, "below": bool(field.min() < low), "above": bool(field.max() > high)}
    return ends | {"shades": _packed(shades.astype(np.uint8))}


def _packed(cells: np.ndarray) -> str:
    return base64.b64encode(cells.tobytes()).decode("ascii")


def answer_world(models: Mapping[str, Model], request: WorldRequest) -> dict[str, Any]:
    """A random world with a start and a goal, as the model sees it."""
    model = models.get(request.model)
    if request.kind == "terrain" and model is not None and sees_ground(model):
        return generated_ground(model, request.height, request.width, request.seed)
    if request.kind == "terrain":
        return synthetic_world(request.height, request.width, request.seed)
    return random_world(request)


def answer_map(data: bytes) -> dict[str, Any]:
    """The map in the content of a dropped file, with its own start and goal, or two that lie far apart."""
    map = map_from_bytes(data, "The file")
    height, width = map.obstacles.shape
    if max(height, width) > LARGEST_SIDE:
        raise InputError(f"expected a map of at most {LARGEST_SIDE} cells a side, got {height} x {width}.")
    free = np.argwhere(map.obstacles == 0)
    if not len(free):
        raise InputError("expected a map with a free cell, got none.")
    goal = np.array(map.goal) if _is_free(map.obstacles, map.goal) else free[-1]
    problem = GridProblems(map.obstacles[None], goal[None], goal[None])
    costs = solve(problem, corner_cutting=map.corner_cutting).costs[0]
    farthest = np.unravel_index(int(np.where(np.isfinite(costs), costs, -1).argmax()), costs.shape)
    start = map.start if _is_free(map.obstacles, map.start) else farthest
    rule = {"corner_cutting": map.corner_cutting, "assumptions": map.assumptions}
    return world_response(map.obstacles, np.array(start), goal) | rule


def _is_free(obstacles: np.ndarray, cell: tuple[int, int] | None) -> bool:
    if cell is None or not all(0 <= at < side for at, side in zip(cell, obstacles.shape, strict=True)):
        return False
    return not obstacles[cell]

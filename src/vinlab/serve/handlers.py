"""What the page is answered: plans as compact JSON, worlds, and maps from dropped files."""

import base64
import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from vinlab.domains.gridworld.expert import expert_moves
from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.maps import map_from_bytes
from vinlab.models import Model
from vinlab.navigation.adaptive import plan_adaptively, start_mask
from vinlab.navigation.display import display_range
from vinlab.navigation.greedy import follow_moves
from vinlab.navigation.images import plan_on_image
from vinlab.navigation.routes import path_cost
from vinlab.planning.exact import cost_to_go
from vinlab.serve.schemas import LARGEST_SIDE, MOST_BACKUPS, PlanRequest, WorldRequest
from vinlab.serve.terrain import decode_image, pixels_of, synthetic_world
from vinlab.types import GridProblems, InputError, Plan


def answer_plan(models: Mapping[str, Model], request: PlanRequest) -> dict[str, Any]:
    """The plan of a model, its route and the exact one."""
    if request.model not in models:
        raise InputError(f"model must be one of {', '.join(models)}.")
    model, obstacles = models[request.model], request.obstacles
    problem = GridProblems(obstacles[None], np.array([request.start]), np.array([request.goal]))
    began = time.perf_counter()
    plan, moves, used = _think(model, problem, request)
    cutting = request.corner_cutting
    path, reached = follow_moves(moves, obstacles, request.start, request.goal, corner_cutting=cutting)
    seconds = time.perf_counter() - began
    exact, optimal = _exact_path(problem, request)
    return {
        "iterations": used,
        "reached": reached,
        "path": path.tolist(),
        "cost": path_cost(path),
        "exact": exact.tolist(),
        "optimal": optimal if math.isfinite(optimal) else None,
        "milliseconds": 1000 * seconds,
        "reward": _shades(plan.reward[0, 0].numpy(), obstacles),
        "value": _shades(_without_walls(plan.value[0, 0].numpy(), obstacles), obstacles),
        "moves": _packed(moves.astype(np.uint8)),
    }


def _think(model: Model, problem: GridProblems, request: PlanRequest) -> tuple[Plan, np.ndarray, Any]:
    """The plan, the move in every cell, and the number of backups."""
    if pixels_of(model):
        image = decode_image(request.image, *request.obstacles.shape)
        return plan_on_image(model, image, request.goal, request.iterations)
    rules = {"iterations": request.iterations, "corner_cutting": request.corner_cutting}
    planned = plan_adaptively(
        model, problem, must_reach=start_mask(problem), max_iterations=MOST_BACKUPS, **rules
    )
    if planned.plan is None:
        raise InputError(f"model must be one that plans on the grid, but '{request.model}' does not.")
    return planned.plan, planned.moves[0], planned.iterations


def _exact_path(problem: GridProblems, request: PlanRequest) -> tuple[np.ndarray, float]:
    """The shortest path, and its length; the start alone and infinity where there is none."""
    cutting = request.corner_cutting
    costs = cost_to_go(problem.obstacles, problem.goals, corner_cutting=cutting)
    optimal = float(costs[0, *request.start])
    if not math.isfinite(optimal):
        return np.array([request.start]), optimal
    (moves,) = expert_moves(costs, problem.obstacles, corner_cutting=cutting)
    path, _ = follow_moves(moves.astype(np.int64), problem.obstacles[0], request.start, request.goal)
    return path, optimal


def _without_walls(field: np.ndarray, obstacles: np.ndarray) -> np.ndarray:
    """The field with its least number in the walls, which the page does not show."""
    return np.where(obstacles, field[obstacles == 0].min(), field)


def _shades(field: np.ndarray, obstacles: np.ndarray) -> dict[str, Any]:
    """A field of numbers as 256 shades between the least and the greatest that are told apart."""
    low, high = display_range(field, obstacles)
    scale = 255 / (high - low) if high > low else 0.0
    shades = (np.clip(field, low, high) - low) * scale
    return {"low": low, "high": high, "shades": _packed(shades.astype(np.uint8))}


def _packed(cells: np.ndarray) -> str:
    return base64.b64encode(cells.tobytes()).decode("ascii")


def answer_world(request: WorldRequest) -> dict[str, Any]:
    """A random world with a start and a goal; mazes have odd sizes, so they may be a cell smaller."""
    if request.kind == "terrain":
        return synthetic_world(request.height, request.width, request.seed)
    height, width, family = request.height, request.width, None
    if request.kind == "maze":
        height, width, family = height - 1 + height % 2, width - 1 + width % 2, MazeConfig()
    config = GridworldConfig(size=(height, width), family=family)
    problems = sample_problems(config, 1, rng=np.random.default_rng(request.seed))
    return _world(problems.obstacles[0], problems.starts[0], problems.goals[0])


def answer_map(data: bytes) -> dict[str, Any]:
    """The map in the content of a dropped file, with its own ends or two that lie far apart."""
    map = map_from_bytes(data, "The file")
    height, width = map.obstacles.shape
    if max(height, width) > LARGEST_SIDE:
        raise InputError(
            f"The map has {height} x {width} cells; the page takes {LARGEST_SIDE} a side at most."
        )
    free = np.argwhere(map.obstacles == 0)
    if not len(free):
        raise InputError("The map has no free cell.")
    goal = np.array(map.goal) if _is_free(map.obstacles, map.goal) else free[-1]
    costs = cost_to_go(map.obstacles[None], goal[None], corner_cutting=map.corner_cutting)[0]
    farthest = np.unravel_index(int(np.where(np.isfinite(costs), costs, -1).argmax()), costs.shape)
    start = map.start if _is_free(map.obstacles, map.start) else farthest
    rule = {"corner_cutting": map.corner_cutting, "assumed": map.assumptions}
    return _world(map.obstacles, np.array(start), goal) | rule


def _is_free(obstacles: np.ndarray, place: tuple[int, int] | None) -> bool:
    if place is None or not all(0 <= at < side for at, side in zip(place, obstacles.shape, strict=True)):
        return False
    return not obstacles[place]


def _world(obstacles: np.ndarray, start: np.ndarray, goal: np.ndarray) -> dict[str, Any]:
    height, width = obstacles.shape
    cells = (obstacles.astype(np.uint8) + ord("0")).tobytes().decode("ascii")
    return {"height": height, "width": width, "cells": cells, "start": start.tolist(), "goal": goal.tolist()}

"""Cheapest routes on maps with costs, and what the routes of a model cost there."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Bool, Int64

from vinlab.domains.gridworld.graded import observe_costs
from vinlab.domains.gridworld.validation import require_free
from vinlab.maps import GridMap
from vinlab.models import Model
from vinlab.navigation.greedy import follow_settled_moves
from vinlab.navigation.routes import Route
from vinlab.planning.graded import GradedGrid, graded_path_cost, graded_step_costs
from vinlab.planning.replanning import CostField
from vinlab.types import InputError

Cell = tuple[int, int]


def grid_of(map: GridMap, *, corner_cutting: bool | None = None) -> GradedGrid:
    """What moves on a map cost; on a map without costs every free cell costs 1."""
    cutting = map.corner_cutting if corner_cutting is None else corner_cutting
    costs = np.ones(map.obstacles.shape) if map.costs is None else map.costs
    moves = None if map.relief is None else map.relief.costs_of
    return GradedGrid(np.where(map.obstacles != 0, np.inf, costs), moves, cutting)


def cheapest_route(map: GridMap, start: Cell, goals: Sequence[Cell], *, corner_cutting: bool) -> Route:
    """The cheapest route from the start to the nearest of some goals, by cost."""
    start = require_free(map.obstacles, start, "start")
    ends = [require_free(map.obstacles, goal, "goal") for goal in goals]
    grid = grid_of(map, corner_cutting=corner_cutting)
    began = time.perf_counter()
    field = CostField(grid, ends)
    path, cost = field.path(start), field.cost_from(start)
    seconds = time.perf_counter() - began
    reached = math.isfinite(cost)
    return Route(
        start=start,
        goal=(int(path[-1, 0]), int(path[-1, 1])) if reached else ends[0],
        path=path,
        reached=reached,
        cost=cost if reached else 0.0,
        optimal_path=path,
        optimal_cost=cost,
        plan=None,
        iterations=None,
        seconds=seconds,
    )


def with_costs(route: Route, map: GridMap, *, corner_cutting: bool) -> Route:
    """A route of a model with its cost on the map, beside the cheapest one to the same goal.

    Where a move of the route is impossible on the map, as over too steep a slope, it ends there.
    """
    grid = grid_of(map, corner_cutting=corner_cutting)
    best = cheapest_route(map, route.start, [route.goal], corner_cutting=corner_cutting)
    path = possible_part(grid, route.path)
    return replace(
        route,
        path=path,
        reached=route.reached and len(path) == len(route.path),
        cost=graded_path_cost(grid, path),
        optimal_path=best.optimal_path,
        optimal_cost=best.optimal_cost,
    )


def possible_part(grid: GradedGrid, path: Int64[np.ndarray, "T 2"]) -> Int64[np.ndarray, "S 2"]:
    """The beginning of a path, up to its first impossible move."""
    wrong = np.flatnonzero(~np.isfinite(graded_step_costs(grid, path)))
    return path if not len(wrong) else path[: wrong[0] + 1]


def observe_map(map: GridMap, goals: Bool[np.ndarray, "H W"], *, lowest: float | None = None) -> torch.Tensor:
    """What a model with costs sees of a map; ``lowest`` is the lowest cost of the map that this one is a part of."""
    if map.relief is not None:
        raise InputError(
            "expected a map with costs of cells for this model, got heights, whose costs depend on the direction; plan "
            "with --exact, or read slopes in degrees with --costs slope."
        )
    costs = np.ones(map.obstacles.shape) if map.costs is None else map.costs
    return observe_costs(map.obstacles[None], costs[None], goals[None], lowest=lowest)


@torch.no_grad()
def navigate_graded(
    model: Model, map: GridMap, start: tuple[int, int], goal: tuple[int, int], *, corner_cutting: bool
) -> Route:
    """The route of a model that is shown costs, beside the cheapest one."""
    start, goal = require_free(map.obstacles, start, "start"), require_free(map.obstacles, goal, "goal")
    marked = np.zeros(map.obstacles.shape, bool)
    marked[goal] = True
    began = time.perf_counter()
    plan = model.network.plan(observe_map(map, marked))
    moves = plan.moves[0].cpu().numpy()
    path, reached = follow_settled_moves(moves, map.obstacles, start, goal, corner_cutting=corner_cutting)
    seconds = time.perf_counter() - began
    route = cheapest_route(map, start, [goal], corner_cutting=corner_cutting)
    found = replace(route, path=path, reached=reached, plan=plan, seconds=seconds)
    return with_costs(found, map, corner_cutting=corner_cutting)

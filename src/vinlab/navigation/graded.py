"""Cheapest routes on maps with costs, and what the routes of a model cost there."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Int64

from vinlab.domains.gridworld.validation import require_free
from vinlab.maps import GridMap
from vinlab.navigation.routes import Route
from vinlab.planning.graded import GradedGrid, graded_path_cost, graded_step_costs
from vinlab.planning.replanning import CostField

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

"""Planning on a map from a file."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import UInt8

from vinlab.maps import GridMap
from vinlab.maps.transform import CELLS
from vinlab.models import Model
from vinlab.navigation.greedy import settles_alone, takes_costs
from vinlab.navigation.routes import Route, navigate, shortest_route
from vinlab.planning.fixed_point import FixedPointPlanner
from vinlab.types import InputError, Iterations

MAX_CELLS = 512 * 512
"""The most cells of a map, and of a batch of maps, that a network with K backups plans on; its hidden layer has 150
numbers a cell, and K grows with the map. Planners to the fixed point state the memory that they need themselves."""


def plan_on_map(
    map: GridMap,
    start: tuple[int, int] | None = None,
    goal: tuple[int, int] | Sequence[tuple[int, int]] | None = None,
    *,
    model: Model | None,
    iterations: Iterations = None,
    corner_cutting: bool | None = None,
) -> Route:
    """The route of a model on a map from a file, or without a model the shortest one, by cost where the map has costs.

    Of several goals the nearest is chosen: the one whose route costs least. Without a start or a goal those of the
    file are taken, and without ``corner_cutting`` the rule of its format.
    """
    start, goals = _named(start, map.start, "start"), goals_of(map, goal)
    cutting = map.corner_cutting if corner_cutting is None else corner_cutting
    if map.is_graded and model is None:
        from vinlab.navigation.graded import cheapest_route

        return cheapest_route(map, start, goals, corner_cutting=cutting)
    routes = [_plan_to(map, start, one, model, iterations, cutting) for one in goals]
    reached = [route for route in routes if route.reached]
    seconds = sum(route.seconds for route in routes)
    return replace(min(reached, key=lambda route: route.cost) if reached else routes[0], seconds=seconds)


def _plan_to(
    map: GridMap,
    start: tuple[int, int],
    goal: tuple[int, int],
    model: Model | None,
    iterations: Iterations,
    cutting: bool,
) -> Route:
    """The route to one goal."""
    obstacles = obstacles_between(map, start, goal)
    if model is None:
        return shortest_route(obstacles, start, goal, corner_cutting=cutting)
    require_plannable(map, model)
    if takes_costs(model.network):
        from vinlab.navigation.graded import navigate_graded

        return navigate_graded(model, map, start, goal, corner_cutting=cutting)
    route = navigate(model, obstacles, start, goal, iterations=iterations, corner_cutting=cutting)
    if not map.is_graded:
        return route
    from vinlab.navigation.graded import with_costs

    return with_costs(route, map, corner_cutting=cutting)


def goals_of(map: GridMap, goal: tuple[int, int] | Sequence[tuple[int, int]] | None) -> list[tuple[int, int]]:
    """The goals that were given, one or several, or that of the file."""
    if goal is None or isinstance(goal[0], int | np.integer):
        return [_named(goal, map.goal, "goal")]  # pyright: ignore[reportArgumentType]
    return [(int(row), int(col)) for row, col in goal]  # pyright: ignore[reportGeneralTypeIssues]


def obstacles_between(
    map: GridMap, start: tuple[int, int], goal: tuple[int, int]
) -> UInt8[np.ndarray, "H W"]:
    """The obstacles on the terrain of start and goal, which must both lie in the water or on land."""
    land, water, ends = map.obstacles, map.water_obstacles, np.array([start, goal])
    if water is None or not ((ends >= 0) & (ends < land.shape)).all():
        return land
    afloat, ashore = (layer[tuple(ends.T)] == 0 for layer in (water, land))
    if afloat.any() and ashore.any():
        words = ["in the water" if wet else "on land" for wet in afloat]
        raise InputError(
            f"expected start and goal both in the water or both on land, got the start {words[0]} and the goal "
            f"{words[1]}."
        )
    return water if afloat.any() else land


def _named(given: tuple[int, int] | None, known: tuple[int, int] | None, name: str) -> tuple[int, int]:
    end = known if given is None else given
    if end is None:
        raise InputError(f"The map names no {name}: expected --{name} ROW,COL.")
    return end


def plans_to_fixed_point(model: Model) -> bool:
    """Whether the model's planner runs until the value settles, without a number of backups."""
    planner = getattr(model.network, "planner", None)
    return settles_alone(model.network) or isinstance(planner, FixedPointPlanner)


def require_plannable(map: GridMap, model: Model | None) -> None:
    """Refuse a map that is too large for a network with unrolled backups."""
    if model is not None and not plans_to_fixed_point(model) and map.obstacles.size > MAX_CELLS:
        raise InputError(
            f"expected a map of at most {MAX_CELLS:,} cells for {model.id}, got {map.obstacles.size:,}; plan with "
            "grid/any or grid/strict, which run until the value settles, with --exact, or on a coarser map."
        )


def parse_position(text: str, name: str, map: GridMap, *, world: bool) -> tuple[int, int]:
    """The cell that ``ROW,COL`` names, or in the world's coordinates ``X,Y``."""
    if not world:
        return parse_cell(text, name)
    if map.frame.unit == CELLS.unit:
        raise InputError(
            f"{name}: expected ROW,COL without --world-coordinates, as the map has no world coordinates, got '{text}'."
        )
    found = _two(text, r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
    if not found:
        raise InputError(f"{name}: expected X,Y, two numbers, got '{text}'.")
    return map.frame.to_cell(float(found[1]), float(found[2]))


def parse_cell(text: str, name: str) -> tuple[int, int]:
    """The cell that ``ROW,COL`` names."""
    found = _two(text, r"-?\d{1,9}")
    if not found:
        raise InputError(f"{name}: expected ROW,COL, two whole numbers, got '{text}'.")
    return int(found[1]), int(found[2])


def _two(text: str, number: str) -> re.Match[str] | None:
    return re.fullmatch(rf"\s*\(?\s*({number})\s*,\s*({number})\s*\)?\s*", text)


def route_summary(map: GridMap, route: Route) -> dict[str, Any]:
    """What is written about a route besides its path: cost, length in cells and in world units."""
    steps = np.diff(map.frame.to_world(route.path), axis=0)
    return {
        "reached": route.reached,
        "cost": route.cost,
        "length": route.length,
        "optimal_cost": route.optimal_cost if route.exists else None,
        "world_length": float(np.hypot(*steps.T).sum()),
    }

"""Planning on a map from a file."""

import re
from typing import Any

import numpy as np

from vinlab.maps import GridMap
from vinlab.models import Model
from vinlab.navigation.routes import Route, navigate, shortest_route
from vinlab.types import InputError, Iterations

MAX_CELLS = 512 * 512
"""The most cells of a map, and of a batch of maps, that a network plans on; its hidden layer has 150 numbers a cell."""


def plan_on_map(
    map: GridMap,
    start: tuple[int, int] | None = None,
    goal: tuple[int, int] | None = None,
    *,
    model: Model | None,
    iterations: Iterations = None,
    corner_cutting: bool | None = None,
) -> Route:
    """The route of a model on a map from a file, or without a model the shortest one.

    Without a start or a goal those of the file are taken, and without ``corner_cutting`` the rule of its format.
    """
    ends = _named(start, map.start, "start"), _named(goal, map.goal, "goal")
    cutting = map.corner_cutting if corner_cutting is None else corner_cutting
    if model is None:
        return shortest_route(map.obstacles, *ends, corner_cutting=cutting)
    require_plannable(map)
    return navigate(model, map.obstacles, *ends, iterations=iterations, corner_cutting=cutting)


def _named(given: tuple[int, int] | None, known: tuple[int, int] | None, name: str) -> tuple[int, int]:
    end = known if given is None else given
    if end is None:
        raise InputError(f"The map names no {name}: expected --{name} ROW,COL.")
    return end


def require_plannable(map: GridMap) -> None:
    """Refuse a map that is too large for a network."""
    if map.obstacles.size > MAX_CELLS:
        raise InputError(
            f"expected a map of at most {MAX_CELLS:,} cells for a network, got {map.obstacles.size:,}; "
            "plan with --exact, or on a coarser map."
        )


def parse_position(text: str, name: str, map: GridMap, *, world: bool) -> tuple[int, int]:
    """The cell that ``ROW,COL`` names, or in the world's coordinates ``X,Y``."""
    if not world:
        return parse_cell(text, name)
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
    """What is written about a route besides its path: lengths in cells, and that of the path in world units."""
    steps = np.diff(map.frame.to_world(route.path), axis=0)
    return {
        "reached": route.reached,
        "cost": route.cost,
        "optimal_cost": route.optimal_cost if route.exists else None,
        "world_length": float(np.hypot(*steps.T).sum()),
    }

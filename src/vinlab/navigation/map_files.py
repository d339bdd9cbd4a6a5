"""Journeys on maps from files: one from a start to a goal, or all the scenarios of a benchmark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64

from vinlab.maps import GridMap, Scenarios
from vinlab.models import Model
from vinlab.navigation.adaptive import plan_batch_adaptively, start_mask
from vinlab.navigation.greedy import follow_moves
from vinlab.navigation.routes import Route, navigate, path_cost, shortest_route
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems, InputError, Iterations

MOST_CELLS = 512 * 512
"""A network plans on so many cells at most, and on so many in one batch; its hidden layer has 150 numbers a cell."""


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

    Without a start or a goal those that the file names are taken, and without ``corner_cutting`` its custom.
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
        raise InputError(f"The map names no {name}; give one with --{name}.")
    return end


def require_plannable(map: GridMap) -> None:
    """The map, if it is not too large for a network."""
    if map.obstacles.size > MOST_CELLS:
        raise InputError(
            f"A network plans on {MOST_CELLS:,} cells at most, but the map has {map.obstacles.size:,}; "
            "plan with --exact, or on a coarser map."
        )


def parse_position(text: str, name: str, map: GridMap, *, world: bool) -> tuple[int, int]:
    """The cell that ``ROW,COL`` names, or in the world's coordinates ``X,Y``."""
    if not world:
        return parse_cell(text, name)
    found = _two(text, r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
    if not found:
        raise InputError(f"{name} must be X,Y, two numbers, but '{text}' came.")
    return map.frame.to_cell(float(found[1]), float(found[2]))


def parse_cell(text: str, name: str) -> tuple[int, int]:
    """The cell that ``ROW,COL`` names."""
    found = _two(text, r"-?\d{1,9}")
    if not found:
        raise InputError(f"{name} must be ROW,COL, two whole numbers, but '{text}' came.")
    return int(found[1]), int(found[2])


def _two(text: str, number: str) -> re.Match[str] | None:
    return re.fullmatch(rf"\s*\(?\s*({number})\s*,\s*({number})\s*\)?\s*", text)


def route_summary(map: GridMap, route: Route) -> dict[str, Any]:
    """What is told about a route beside its path; lengths in cells, and of the path in the world as well."""
    steps = np.diff(map.frame.to_world(route.path), axis=0)
    return {
        "reached": route.reached,
        "cost": route.cost,
        "optimal_cost": route.optimal_cost if route.exists else None,
        "world_length": float(np.hypot(*steps.T).sum()),
    }


@dataclass(frozen=True)
class ScenarioResults:
    """How the scenarios of a file went, in the file's order."""

    reached: Bool[np.ndarray, " N"]
    costs: Float64[np.ndarray, " N"]
    """Length of each path, also of those that do not come to the goal."""
    optimal: Float64[np.ndarray, " N"]
    """Length of each shortest path as we find it."""
    stated: Float64[np.ndarray, " N"]
    """Length of each shortest path as the file states it."""

    def __getitem__(self, chosen: np.ndarray) -> "ScenarioResults":
        return ScenarioResults(
            self.reached[chosen], self.costs[chosen], self.optimal[chosen], self.stated[chosen]
        )


def run_scenarios(
    scenarios: Scenarios,
    *,
    model: Model | None,
    iterations: Iterations = None,
    corner_cutting: bool | None = None,
) -> ScenarioResults:
    """All scenarios of a file, many at a time: planned by a model, or without one exactly."""
    cutting = scenarios.map.corner_cutting if corner_cutting is None else corner_cutting
    parts = list(_parts(scenarios))
    optimal = np.concatenate([_exact_costs(part, cutting) for part in parts])
    if model is None:
        return ScenarioResults(np.isfinite(optimal), optimal, optimal, scenarios.lengths)
    require_plannable(scenarios.map)
    ways = [way for part in parts for way in _follow_all(part, model, iterations, cutting)]
    reached, costs = zip(*ways, strict=True)
    return ScenarioResults(np.array(reached), np.array(costs), optimal, scenarios.lengths)


def _parts(scenarios: Scenarios) -> Iterator[GridProblems]:
    """The scenarios in batches that fit into memory."""
    obstacles = scenarios.map.obstacles
    most = max(1, MOST_CELLS // obstacles.size)
    for first in range(0, len(scenarios), most):
        chosen = slice(first, first + most)
        starts, goals = scenarios.starts[chosen], scenarios.goals[chosen]
        yield GridProblems(np.tile(obstacles, (len(starts), 1, 1)), starts, goals)


def _exact_costs(problems: GridProblems, cutting: bool) -> np.ndarray:
    costs = cost_to_go(problems.obstacles, problems.goals, corner_cutting=cutting)
    return costs[np.arange(len(problems)), problems.starts[:, 0], problems.starts[:, 1]]


def _follow_all(
    problems: GridProblems, model: Model, iterations: Iterations, cutting: bool
) -> Iterator[tuple[bool, float]]:
    """Whether each way of the model comes to its goal, and how long it is."""
    rules = {"iterations": iterations, "corner_cutting": cutting}
    plans = plan_batch_adaptively(model, problems, must_reach=start_mask(problems), **rules)
    for index, planned in enumerate(plans):
        start, goal = (tuple(ends[index].tolist()) for ends in (problems.starts, problems.goals))
        path, reached = follow_moves(
            planned.moves[0], problems.obstacles[index], start, goal, corner_cutting=cutting
        )
        yield reached, path_cost(path)

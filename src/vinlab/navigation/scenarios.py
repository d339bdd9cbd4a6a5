"""All scenarios of a benchmark file."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64

from vinlab.maps import Scenarios
from vinlab.models import Model
from vinlab.navigation.adaptive import plan_batch_adaptively, start_mask
from vinlab.navigation.greedy import follow_cells
from vinlab.navigation.map_files import MAX_CELLS, require_plannable
from vinlab.navigation.routes import ends_of, path_cost
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems, Iterations


@dataclass(frozen=True)
class ScenarioResults:
    """Results of the scenarios of a file, in the order of the file."""

    reached: Bool[np.ndarray, " N"]
    costs: Float64[np.ndarray, " N"]
    """Length of each path, whether or not it reaches the goal."""
    optimal: Float64[np.ndarray, " N"]
    """Length of each shortest path by the exact planner."""
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
    """All scenarios of a file in batches, planned by a model, or without one exactly."""
    cutting = scenarios.map.corner_cutting if corner_cutting is None else corner_cutting
    parts = list(_parts(scenarios))
    optimal = np.concatenate([_exact_costs(part, cutting) for part in parts])
    if model is None:
        return ScenarioResults(np.isfinite(optimal), optimal, optimal, scenarios.lengths)
    require_plannable(scenarios.map)
    paths = [path for part in parts for path in _plan_all(part, model, iterations, cutting)]
    reached, costs = zip(*paths, strict=True)
    return ScenarioResults(np.array(reached), np.array(costs), optimal, scenarios.lengths)


def _parts(scenarios: Scenarios) -> Iterator[GridProblems]:
    """The scenarios in batches that fit into memory."""
    obstacles = scenarios.map.obstacles
    most = max(1, MAX_CELLS // obstacles.size)
    for first in range(0, len(scenarios), most):
        chosen = slice(first, first + most)
        starts, goals = scenarios.starts[chosen], scenarios.goals[chosen]
        yield GridProblems(np.tile(obstacles, (len(starts), 1, 1)), starts, goals)


def _exact_costs(problems: GridProblems, cutting: bool) -> np.ndarray:
    costs = cost_to_go(problems.obstacles, problems.goals, corner_cutting=cutting)
    return costs[np.arange(len(problems)), problems.starts[:, 0], problems.starts[:, 1]]


def _plan_all(
    problems: GridProblems, model: Model, iterations: Iterations, cutting: bool
) -> Iterator[tuple[bool, float]]:
    """Whether the model reaches the goal of each problem, and the length of its path."""
    plans = plan_batch_adaptively(
        model, problems, must_reach=start_mask(problems), iterations=iterations, corner_cutting=cutting
    )
    for index, planned in enumerate(plans):
        start, goal = ends_of(problems[index : index + 1])
        path, reached = follow_cells(planned.following[0], start, goal, width=problems.obstacles.shape[2])
        yield reached, path_cost(path)

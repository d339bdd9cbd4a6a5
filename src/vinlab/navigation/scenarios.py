"""All scenarios of a benchmark file: the map is looked at once, and planned once for each goal."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float64, Int64, UInt8

from vinlab.domains.gridworld.problem import observe
from vinlab.evaluation.rollout import device_of
from vinlab.maps import Scenarios
from vinlab.models import Model
from vinlab.navigation.adaptive import plan_batch_adaptively
from vinlab.navigation.greedy import follow_cells, follow_settled_plan, settles_alone
from vinlab.navigation.map_files import MAX_CELLS, plans_to_fixed_point, require_plannable
from vinlab.navigation.routes import path_cost
from vinlab.planning.costs import CostMap, terminals_at
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems, Iterations

BATCH_CELLS = 2**21
"""Cells that are searched in one call: two goals on a map of 1024 x 1024; on larger maps one goal."""

Cells = Int64[np.ndarray, "_ 2"]

Paths = tuple[Bool[np.ndarray, " S"], Float64[np.ndarray, " S"]]
"""Whether each scenario reaches its goal, and the length of its path."""

Planner = Callable[[Cells, Cells, Int64[np.ndarray, " S"]], Paths]
"""Finds the paths for goals ``[G 2]`` from starts ``[S 2]``, each to the goal whose number is given ``[S]``."""


@dataclass(frozen=True)
class ScenarioResults:
    """Results of the scenarios of a file that have a route, in the order of the file."""

    scenarios: Scenarios
    reached: Bool[np.ndarray, " N"]
    costs: Float64[np.ndarray, " N"]
    """Length of each path, whether or not it reaches the goal."""
    without_route: int
    """How many scenarios of the file have no route; they are not planned."""
    plans: int
    """One for each goal."""
    seconds: float
    """Time of all plans: the look at the map, the plans and the paths."""

    @property
    def at_stated_length(self) -> Bool[np.ndarray, " N"]:
        """Whether the path reaches the goal and is as long as the file states, at the precision of the file."""
        off = np.abs(self.costs - self.scenarios.lengths)
        return self.reached & (off <= self.scenarios.tolerances)

    def summary(self) -> dict[str, Any]:
        """The counts, and the time of a plan."""
        return {
            "scenarios": len(self.reached),
            "reached": int(self.reached.sum()),
            "at_stated_length": int(self.at_stated_length.sum()),
            "without_route": self.without_route,
            "seconds_per_plan": self.seconds / self.plans if self.plans else None,
        }


def run_scenarios(
    scenarios: Scenarios,
    *,
    model: Model | None,
    iterations: Iterations = None,
    corner_cutting: bool | None = None,
    report: Callable[[int], None] = lambda done: None,
) -> ScenarioResults:
    """All scenarios of a file that have a route, planned by a model, or without one exactly.

    Scenarios with the same goal share its plan. ``report`` is told how many scenarios are done.
    """
    require_plannable(scenarios.map, model)
    cutting = scenarios.map.corner_cutting if corner_cutting is None else corner_cutting
    planned = scenarios[scenarios.has_route]
    reached, costs, done = np.zeros(len(planned), bool), np.zeros(len(planned)), 0
    warm_up = _planner(model, np.zeros((3, 3), np.uint8), iterations, cutting)
    warm_up(np.zeros((1, 2), np.int64), np.full((1, 2), 2), np.zeros(1, np.int64))
    began = time.perf_counter()
    for obstacles, chosen in _terrains(planned):
        planner = _planner(model, obstacles, iterations, cutting)
        for goals, part, of in _parts(planned.goals[chosen], _most_goals(model, obstacles.size)):
            places = chosen[part]
            reached[places], costs[places] = planner(goals, planned.starts[places], of)
            done += len(places)
            report(done)
    seconds = time.perf_counter() - began
    plans = len(np.unique(planned.goals, axis=0))
    return ScenarioResults(planned, reached, costs, len(scenarios) - len(planned), plans, seconds)


def optimal_costs(scenarios: Scenarios, *, corner_cutting: bool) -> Float64[np.ndarray, " N"]:
    """The length of each shortest path by the exact planner; infinite without a path."""
    results = run_scenarios(scenarios, model=None, corner_cutting=corner_cutting)
    costs = np.full(len(scenarios), np.inf)
    costs[scenarios.has_route] = results.costs
    return costs


def _terrains(scenarios: Scenarios) -> Iterator[tuple[UInt8[np.ndarray, "H W"], Int64[np.ndarray, " S"]]]:
    """The obstacles for goals on land, and for those in the water, with the scenarios of each."""
    water = scenarios.map.water_obstacles
    afloat = np.zeros(len(scenarios), bool) if water is None else water[tuple(scenarios.goals.T)] == 0
    for obstacles, chosen in ((scenarios.map.obstacles, ~afloat), (water, afloat)):
        if obstacles is not None and chosen.any():
            yield obstacles, np.flatnonzero(chosen)


def _parts(
    goals: Int64[np.ndarray, "S 2"], most: int
) -> Iterator[tuple[Int64[np.ndarray, "G 2"], Int64[np.ndarray, " P"], Int64[np.ndarray, " P"]]]:
    """As many goals as are planned for in one call, the scenarios that have them, and which goal each has."""
    distinct, of = np.unique(goals, axis=0, return_inverse=True)
    of = of.reshape(-1)
    for first in range(0, len(distinct), most):
        part = np.flatnonzero((of >= first) & (of < first + most))
        yield distinct[first : first + most], part, of[part] - first


def _most_goals(model: Model | None, cells: int) -> int:
    """For how many goals on a map of so many cells one call plans."""
    unrolled = model is not None and not plans_to_fixed_point(model)
    return max(1, (MAX_CELLS if unrolled else BATCH_CELLS) // cells)


def _planner(
    model: Model | None, obstacles: UInt8[np.ndarray, "H W"], iterations: Iterations, cutting: bool
) -> Planner:
    """What finds the paths on one map."""
    if model is None:
        return partial(_exact_paths, obstacles, cutting)
    if settles_alone(model.network) and hasattr(model.network.reward, "costs"):
        return _searching_planner(model.network, obstacles, iterations, cutting)
    return partial(_model_paths, model, obstacles, iterations, cutting)


def _exact_paths(obstacles: np.ndarray, cutting: bool, goals: Cells, starts: Cells, of: np.ndarray) -> Paths:
    costs = cost_to_go(np.tile(obstacles, (len(goals), 1, 1)), goals, corner_cutting=cutting)
    lengths = costs[of, starts[:, 0], starts[:, 1]]
    return np.isfinite(lengths), lengths


@torch.no_grad()
def _searching_planner(network: Any, obstacles: np.ndarray, iterations: Iterations, cutting: bool) -> Planner:
    """Looks at the map, and searches with what its moves cost for any goals."""
    observation = observe(obstacles[None], np.zeros((1, 2), np.int64)).to(device_of(network))
    costs, table = network.reward.costs(observation).contiguous(), network.transition(observation)

    @torch.no_grad()
    def paths(goals: Cells, starts: Cells, of: np.ndarray) -> Paths:
        terminals = terminals_at(goals[:, None], *obstacles.shape).to(costs.device)
        known = CostMap(costs.expand(len(goals), -1, -1, -1), terminals)
        plan = network.planner(known, table, iterations=iterations)
        return _measured(
            follow_settled_plan(plan, goal, obstacles, *ends, corner_cutting=cutting)
            for goal, *ends in _ends(goals, starts, of)
        )

    return paths


def _model_paths(
    model: Model,
    obstacles: np.ndarray,
    iterations: Iterations,
    cutting: bool,
    goals: Cells,
    starts: Cells,
    of: np.ndarray,
) -> Paths:
    """Each goal is planned for until all starts that have it reach it."""
    maps, must_reach = np.tile(obstacles, (len(goals), 1, 1)), np.zeros((len(goals), *obstacles.shape), bool)
    must_reach[of, starts[:, 0], starts[:, 1]] = True
    plans = plan_batch_adaptively(
        model,
        GridProblems(maps, goals, goals),
        must_reach=must_reach,
        iterations=iterations,
        corner_cutting=cutting,
        legal_only=True,
    )
    return _measured(
        follow_cells(plans[goal].following[0], *ends, width=obstacles.shape[1])
        for goal, *ends in _ends(goals, starts, of)
    )


def _ends(goals: Cells, starts: Cells, of: np.ndarray) -> Iterator[tuple[int, tuple, tuple]]:
    """For each scenario the number of its goal, the start and the goal."""
    for goal, start in zip(of.tolist(), starts.tolist(), strict=True):
        yield goal, tuple(start), tuple(goals[goal].tolist())


def _measured(found: Iterable[tuple[np.ndarray, bool]]) -> Paths:
    """Which paths reach the goal, and the length of each."""
    pairs = [(reached, path_cost(path)) for path, reached in found]
    return np.array([reached for reached, _ in pairs]), np.array([cost for _, cost in pairs])

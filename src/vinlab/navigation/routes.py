"""Routes of a trained model on any map, beside the shortest ones."""

import math
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Int

from vinlab.domains.gridworld.expert import expert_path
from vinlab.domains.gridworld.validation import require_free, require_map
from vinlab.models import Model
from vinlab.navigation.adaptive import AdaptivePlan, make_plan, plan_adaptively, start_mask
from vinlab.navigation.greedy import follow_cells, follow_settled_plan, settles_alone
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems, Iterations, Plan


@dataclass(frozen=True)
class Route:
    """The path of a policy on a map, with its cost, beside the shortest path."""

    start: tuple[int, int]
    goal: tuple[int, int]
    path: Int[np.ndarray, "T 2"]
    """From the start to the last cell of the rollout."""
    reached: bool
    cost: float
    """Cost of the path: its length, or on a map with costs what its moves cost."""
    optimal_path: Int[np.ndarray, "T2 2"]
    """The shortest path, or the cheapest on a map with costs; the start alone where no route exists."""
    optimal_cost: float
    """Cost of the shortest path, or of the cheapest; infinite where no route exists."""
    plan: Plan | None
    """Reward, q and value; None where nothing was planned."""
    iterations: int | tuple[int, ...] | None
    """How many backups the plan took; None where nothing was planned, or until the value settled."""
    seconds: float = 0.0
    """Time of the plan and its path, without that of the shortest path beside it."""

    @property
    def length(self) -> float:
        """Length of the path: 1 for a straight move, the square root of 2 for a diagonal one."""
        return path_cost(self.path)

    @property
    def exists(self) -> bool:
        """Whether any route leads from the start to the goal."""
        return math.isfinite(self.optimal_cost)


def navigate(
    model: Model,
    obstacles: Any,
    start: Any,
    goal: Any,
    *,
    iterations: Iterations = None,
    corner_cutting: bool = True,
) -> Route:
    """The route of a trained model on any map, closed loop: the policy is read anew in every cell.

    The map is known, so the policy chooses among the moves that are legal on it.
    ``obstacles`` is an array of rows with 1 for blocked cells, start and goal are ``(row, col)``. Without
    ``iterations`` K grows with the map and the length of the path. An unreachable goal is no error: see ``exists``.
    """
    problem = require_problem(obstacles, start, goal)
    if settles_alone(model.network):
        return _settled_route(model, problem, iterations, corner_cutting)
    began = time.perf_counter()
    planned = plan_adaptively(
        model,
        problem,
        must_reach=start_mask(problem),
        iterations=iterations,
        corner_cutting=corner_cutting,
        legal_only=True,
    )
    seconds = time.perf_counter() - began
    return replace(route_of(problem, planned, corner_cutting=corner_cutting), seconds=seconds)


def _settled_route(model: Model, problem: GridProblems, iterations: Iterations, cutting: bool) -> Route:
    """The route of a plan that has settled: only the cells of its path are looked at."""
    began, ends = time.perf_counter(), ends_of(problem)
    plan = make_plan(model.network, problem, iterations)
    path, reached = follow_settled_plan(plan, 0, problem.obstacles[0], *ends, corner_cutting=cutting)
    seconds = time.perf_counter() - began
    shortest = route_of(problem, None, corner_cutting=cutting)
    return replace(shortest, path=path, reached=reached, cost=path_cost(path), plan=plan, seconds=seconds)


def shortest_route(obstacles: Any, start: Any, goal: Any, *, corner_cutting: bool = True) -> Route:
    """The shortest route on any map, without a network."""
    problem = require_problem(obstacles, start, goal)
    began = time.perf_counter()
    route = route_of(problem, None, corner_cutting=corner_cutting)
    return replace(route, seconds=time.perf_counter() - began)


def require_problem(obstacles: Any, start: Any, goal: Any) -> GridProblems:
    """One problem, if start and goal are free cells of the map."""
    obstacles = require_map(obstacles)
    ends = (require_free(obstacles, start, "start"), require_free(obstacles, goal, "goal"))
    return GridProblems(obstacles[None], *(np.array([end]) for end in ends))


def route_of(problem: GridProblems, planned: AdaptivePlan | None, *, corner_cutting: bool = True) -> Route:
    """The route of a plan beside the shortest one; without a plan the shortest one."""
    start, goal = ends_of(problem)
    costs = cost_to_go(problem.obstacles, problem.goals, corner_cutting=corner_cutting)
    optimal_path = expert_path(costs[0], problem.obstacles[0], start, corner_cutting=corner_cutting)
    optimal_cost = float(costs[0, *start])
    path, reached = optimal_path, math.isfinite(optimal_cost)
    if planned is not None:
        path, reached = follow_cells(planned.following[0], start, goal, width=problem.obstacles.shape[2])
    return Route(
        start=start,
        goal=goal,
        path=path,
        reached=reached,
        cost=path_cost(path),
        optimal_path=optimal_path,
        optimal_cost=optimal_cost,
        plan=planned.plan if planned else None,
        iterations=planned.iterations if planned else None,
    )


def ends_of(problem: GridProblems) -> tuple[tuple[int, int], tuple[int, int]]:
    """Start and goal of one problem."""
    (start,), (goal,) = problem.starts.tolist(), problem.goals.tolist()
    return (start[0], start[1]), (goal[0], goal[1])


def path_cost(path: Int[np.ndarray, "T 2"]) -> float:
    """The length of a path: 1 for a straight move, the square root of 2 for a diagonal one."""
    return float(np.sqrt((np.diff(path, axis=0) ** 2).sum(axis=1)).sum())

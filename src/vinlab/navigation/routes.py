"""Routes of a trained model on a map of one's own, beside the shortest ones."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from vinlab.domains.gridworld.expert import solve
from vinlab.domains.gridworld.validation import require_free, require_map
from vinlab.models import Model
from vinlab.navigation.adaptive import plan_adaptively, start_mask
from vinlab.navigation.greedy import follow_moves
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
    """Length of the path: 1 for a straight move, the square root of 2 for a diagonal one."""
    optimal_path: Int[np.ndarray, "T2 2"]
    """The shortest path; the start alone where no route exists."""
    optimal_cost: float
    """Length of the shortest path; infinite where no route exists."""
    plan: Plan | None
    """Reward, q and value; None where nothing was planned."""
    iterations: int | tuple[int, ...] | None
    """How many backups the plan took; None where nothing was planned."""

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

    ``obstacles`` is an array of rows with 1 for blocked cells, start and goal are ``(row, col)``. Without
    ``iterations`` K grows with the map and the length of the path. An unreachable goal is no error: see ``exists``.
    """
    problem = require_problem(obstacles, start, goal)
    planned = plan_adaptively(
        model, problem, must_reach=start_mask(problem), iterations=iterations, corner_cutting=corner_cutting
    )
    start, goal = _ends(problem)
    path, reached = follow_moves(
        planned.moves[0], problem.obstacles[0], start, goal, corner_cutting=corner_cutting
    )
    return _route(problem, path, reached, corner_cutting, planned.plan, planned.iterations)


def shortest_route(obstacles: Any, start: Any, goal: Any, *, corner_cutting: bool = True) -> Route:
    """The shortest route on any map, without a network."""
    problem = require_problem(obstacles, start, goal)
    return _route(problem, None, None, corner_cutting, None, None)


def require_problem(obstacles: Any, start: Any, goal: Any) -> GridProblems:
    """One problem, if start and goal are free cells of the map."""
    obstacles = require_map(obstacles)
    ends = (require_free(obstacles, start, "start"), require_free(obstacles, goal, "goal"))
    return GridProblems(obstacles[None], *(np.array([end]) for end in ends))


def _ends(problem: GridProblems) -> tuple[tuple[int, int], tuple[int, int]]:
    (start,), (goal,) = problem.starts.tolist(), problem.goals.tolist()
    return (start[0], start[1]), (goal[0], goal[1])


def _route(
    problem: GridProblems,
    path: np.ndarray | None,
    reached: bool | None,
    corner_cutting: bool,
    plan: Plan | None,
    iterations: int | tuple[int, ...] | None,
) -> Route:
    """The route beside the exact one; without a path of its own it is the exact one."""
    solution = solve(problem, corner_cutting=corner_cutting)
    start, goal = _ends(problem)
    optimal_path = solution.paths[0, : max(1, solution.lengths[0])]
    optimal_cost = float(solution.costs[0, *start])
    path = optimal_path if path is None else path
    return Route(
        start=start,
        goal=goal,
        path=path,
        reached=math.isfinite(optimal_cost) if reached is None else reached,
        cost=path_cost(path),
        optimal_path=optimal_path,
        optimal_cost=optimal_cost,
        plan=plan,
        iterations=iterations,
    )


def path_cost(path: Int[np.ndarray, "T 2"]) -> float:
    """The length of the moves along a path; a move that an obstacle stops costs nothing here."""
    return float(np.sqrt((np.diff(path, axis=0) ** 2).sum(axis=1)).sum())

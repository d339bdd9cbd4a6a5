"""A policy on grid maps: routes on a map of one's own, and scores on a set of problems."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64, Int

from vinlab.domains.gridworld.environment import step
from vinlab.domains.gridworld.expert import expert_moves, expert_paths, optimal_moves
from vinlab.domains.gridworld.validation import require_free, require_map
from vinlab.evaluation import metrics
from vinlab.evaluation.rollout import PlanningPolicy, Rollouts, choose, roll_out
from vinlab.models import Model
from vinlab.navigation.adaptive import make_plan, start_cells, think
from vinlab.navigation.greedy import follow
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems, Iterations, Plan, Scores


@dataclass(frozen=True)
class Route:
    """The way that a policy went on a map, beside the shortest one."""

    start: tuple[int, int]
    goal: tuple[int, int]
    path: Int[np.ndarray, "T 2"]
    """From the start to where the policy came."""
    reached: bool
    cost: float
    """Length of the path: 1 for a straight move, the square root of 2 for a diagonal one."""
    optimal_path: Int[np.ndarray, "T2 2"]
    """The shortest path; the start alone where no route exists."""
    optimal_cost: float
    """Length of the shortest path; infinite where no route exists."""
    plan: Plan | None
    """What the network wanted and valued; None where nothing was planned."""
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
    """The route of a trained model on any map, closed loop: it is asked anew in every cell it comes to.

    ``obstacles`` is an array of rows with 1 for blocked cells, start and goal are ``(row, col)``. Without
    ``iterations`` the number of backups grows with the map and the way. An unreachable goal is an answer, no error.
    """
    obstacles = require_map(obstacles)
    places = [require_free(obstacles, start, "start"), require_free(obstacles, goal, "goal")]
    problem = GridProblems(obstacles[None], *(np.array([place]) for place in places))
    rules = {"iterations": iterations, "corner_cutting": corner_cutting}
    thought = think(model, problem, wanted=start_cells(problem), **rules)
    expert = consult(problem, corner_cutting=corner_cutting)
    path, reached = follow(thought.moves[0], obstacles, *places, corner_cutting=corner_cutting)
    return Route(
        start=places[0],
        goal=places[1],
        path=path,
        reached=reached,
        cost=path_cost(path),
        optimal_path=expert.paths[0, : max(1, expert.lengths[0])],
        optimal_cost=float(expert.costs[0, *places[0]]),
        plan=thought.plan,
        iterations=thought.iterations,
    )


def shortest_route(obstacles: Any, start: Any, goal: Any, *, corner_cutting: bool = True) -> Route:
    """The shortest route on any map, without a network."""
    obstacles = require_map(obstacles)
    places = [require_free(obstacles, start, "start"), require_free(obstacles, goal, "goal")]
    problem = GridProblems(obstacles[None], *(np.array([place]) for place in places))
    expert = consult(problem, corner_cutting=corner_cutting)
    path = expert.paths[0, : max(1, expert.lengths[0])]
    cost = float(expert.costs[0, *places[0]])
    return Route(
        start=places[0],
        goal=places[1],
        path=path,
        reached=math.isfinite(cost),
        cost=path_cost(path),
        optimal_path=path,
        optimal_cost=cost,
        plan=None,
        iterations=None,
    )


def path_cost(path: Int[np.ndarray, "T 2"]) -> float:
    """The length of the moves along a path; waiting in front of an obstacle costs nothing here."""
    return float(np.sqrt((np.diff(path, axis=0) ** 2).sum(axis=1)).sum())


@dataclass(frozen=True)
class Expert:
    """What the exact planner knows about some problems."""

    costs: Float64[np.ndarray, "B H W"]
    moves: np.ndarray
    optimal: np.ndarray
    paths: np.ndarray
    lengths: np.ndarray
    """States on each expert path, both ends included; 0 where no route exists."""


def consult(problems: GridProblems, *, corner_cutting: bool = True) -> Expert:
    """Exact costs, moves and paths for all problems."""
    costs = cost_to_go(problems.obstacles, problems.goals, corner_cutting=corner_cutting)
    moves = expert_moves(costs, problems.obstacles, corner_cutting=corner_cutting)
    optimal = optimal_moves(costs, problems.obstacles, corner_cutting=corner_cutting)
    paths, lengths = expert_paths(moves, problems.obstacles, problems.starts, problems.goals)
    return Expert(costs, moves, optimal, paths, lengths)


@dataclass(frozen=True)
class Judged:
    """Everything that was measured on some problems, one entry per problem."""

    reached: np.ndarray
    lengths: np.ndarray
    expert_lengths: np.ndarray
    moves: np.ndarray
    """What the policy does along the expert's path, padded."""
    expert_moves: np.ndarray
    optimal: np.ndarray
    counts: np.ndarray
    """Which entries of the padded arrays are states in which the expert moves."""


def evaluate(
    policy: PlanningPolicy,
    problems: GridProblems,
    *,
    iterations: Iterations = None,
    corner_cutting: bool = True,
    batch: int = 250,
    watch: Callable[[int], None] = lambda done: None,
) -> Scores:
    """The scores of a policy on all problems; the paper's horizon is twice the states of the expert's path."""
    judged = []
    for part in _batches(problems, batch):
        judged.append(judge(policy, part, iterations=iterations, corner_cutting=corner_cutting))
        watch(len(part))
    return summarise(judged)


def summarise(judged: Sequence[Judged]) -> Scores:
    """The scores over all that was judged."""
    reached, lengths, expert_lengths = (
        np.concatenate([getattr(part, name) for part in judged])
        for name in ("reached", "lengths", "expert_lengths")
    )
    moves, labels, optimal = (
        np.concatenate([getattr(part, name)[part.counts] for part in judged])[None]
        for name in ("moves", "expert_moves", "optimal")
    )
    all_count = np.ones(moves.shape, dtype=bool)
    return Scores(
        num_problems=len(reached),
        num_unsolvable=int((expert_lengths == 0).sum()),
        success_rate=metrics.success_rate(reached),
        trajectory_difference=metrics.trajectory_difference(lengths, expert_lengths, reached),
        optimal_action_accuracy=metrics.optimal_action_accuracy(moves, optimal, all_count),
        prediction_loss=metrics.prediction_loss(moves, labels, all_count),
        unsolvable=tuple(np.flatnonzero(expert_lengths == 0).tolist()),
    )


def judge(
    policy: PlanningPolicy,
    problems: GridProblems,
    *,
    iterations: Iterations = None,
    corner_cutting: bool = True,
) -> Judged:
    """How the policy fares on problems that fit into one batch; each is planned once."""
    plan = make_plan(policy, problems, iterations)
    return judge_plan(policy, plan, problems, corner_cutting=corner_cutting)


def judge_plan(
    policy: PlanningPolicy, plan: Any, problems: GridProblems, *, corner_cutting: bool = True
) -> Judged:
    """How the policy fares with plans that it has made, of maps or of anything else that it saw."""
    expert = consult(problems, corner_cutting=corner_cutting)
    ways = _go(policy, plan, problems, np.maximum(1, 2 * expert.lengths), corner_cutting)
    index = np.arange(len(problems))[:, None]
    rows, cols = np.moveaxis(expert.paths, -1, 0)
    return Judged(
        reached=ways.reached,
        lengths=ways.lengths,
        expert_lengths=expert.lengths,
        moves=choose(policy, plan, expert.paths),
        expert_moves=expert.moves[index, rows, cols],
        optimal=expert.optimal[index, :, rows, cols],
        counts=np.arange(expert.paths.shape[1]) < expert.lengths[:, None] - 1,
    )


def _go(
    policy: PlanningPolicy, plan: Any, problems: GridProblems, horizons: np.ndarray, corner_cutting: bool
) -> Rollouts:
    return roll_out(
        policy,
        plan,
        starts=problems.starts,
        goals=problems.goals,
        step=lambda states, moves: step(problems.obstacles, states, moves, corner_cutting=corner_cutting),
        horizons=horizons,
    )


def _batches(problems: GridProblems, size: int) -> Iterator[GridProblems]:
    for first in range(0, len(problems), size):
        yield problems[first : first + size]

"""The scores of a policy on a set of grid problems, by the paper's rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vinlab.domains.gridworld.environment import step
from vinlab.domains.gridworld.expert import ExactSolution, solve
from vinlab.evaluation import metrics
from vinlab.evaluation.rollout import PlanningPolicy, greedy_actions, roll_out
from vinlab.models import Model
from vinlab.navigation.adaptive import AdaptivePlan, make_plan
from vinlab.navigation.greedy import follow_cells
from vinlab.navigation.routes import ends_of
from vinlab.types import GridProblems, Iterations, Scores


@dataclass(frozen=True)
class EpisodeResults:
    """What was measured on some problems, one entry per problem."""

    reached: np.ndarray
    lengths: np.ndarray
    expert_lengths: np.ndarray
    moves: np.ndarray
    """The policy's moves along the expert's path, padded."""
    expert_moves: np.ndarray
    optimal: np.ndarray
    counts: np.ndarray
    """Which entries of the padded arrays are states in which the expert moves."""


def evaluate(
    policy: PlanningPolicy | Model,
    problems: GridProblems,
    *,
    iterations: Iterations = None,
    corner_cutting: bool = True,
    solution: ExactSolution | None = None,
    batch: int = 250,
    progress: Callable[[int, int, str], None] = lambda done, total, note: None,
) -> Scores:
    """The scores of a policy or model on all problems; the paper's horizon is twice the states of the expert's path.

    ``solution`` is the exact solution of the problems, where it is known already.
    """
    network = policy.network if isinstance(policy, Model) else policy
    results = []
    for first in range(0, len(problems), batch):
        chosen = slice(first, first + batch)
        part = problems[chosen]
        exact = solve(part, corner_cutting=corner_cutting) if solution is None else solution[chosen]
        plan = make_plan(network, part, iterations)
        results.append(evaluate_plan(network, plan, part, exact, corner_cutting=corner_cutting))
        progress(min(chosen.stop, len(problems)), len(problems), "problems")
    return to_scores(results)


def to_scores(results: Sequence[EpisodeResults]) -> Scores:
    """The scores over all batches."""
    reached, lengths, expert_lengths = (
        np.concatenate([getattr(part, name) for part in results])
        for name in ("reached", "lengths", "expert_lengths")
    )
    moves, labels, optimal = (
        np.concatenate([getattr(part, name)[part.counts] for part in results])[None]
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


def evaluate_plan(
    policy: PlanningPolicy,
    plan: Any,
    problems: GridProblems,
    solution: ExactSolution,
    *,
    corner_cutting: bool = True,
) -> EpisodeResults:
    """The results of plans that were made already, of maps or of anything else that the policy saw."""
    rollouts = roll_out(
        policy,
        plan,
        starts=problems.starts,
        goals=problems.goals,
        step=lambda states, moves: step(problems.obstacles, states, moves, corner_cutting=corner_cutting),
        horizons=np.maximum(1, 2 * solution.lengths),
    )
    index = np.arange(len(problems))[:, None]
    rows, cols = np.moveaxis(solution.paths, -1, 0)
    return EpisodeResults(
        reached=rollouts.reached,
        lengths=rollouts.lengths,
        expert_lengths=solution.lengths,
        moves=greedy_actions(policy, plan, solution.paths),
        expert_moves=solution.moves[index, rows, cols],
        optimal=solution.optimal[index, :, rows, cols],
        counts=np.arange(solution.paths.shape[1]) < solution.lengths[:, None] - 1,
    )


def evaluate_followed(
    planned: AdaptivePlan, problem: GridProblems, solution: ExactSolution
) -> EpisodeResults:
    """The result of one problem whose moves in all cells are known: its path is followed, not planned anew."""
    start, goal = ends_of(problem)
    path, reached = follow_cells(planned.following[0], start, goal, width=problem.obstacles.shape[2])
    horizon = max(1, 2 * int(solution.lengths[0]))
    rows, cols = solution.paths[0].T
    return EpisodeResults(
        reached=np.array([reached and len(path) <= horizon]),
        lengths=np.array([len(path)]),
        expert_lengths=solution.lengths,
        moves=planned.moves[:, rows, cols],
        expert_moves=solution.moves[:, rows, cols],
        optimal=solution.optimal[:, :, rows, cols].transpose(0, 2, 1),
        counts=np.arange(len(rows)) < solution.lengths[:, None] - 1,
    )

"""How well a policy fares among holes: on the test problems, and by their difficulty."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from vinlab.domains.gridworld.problem import GridworldConfig, observe
from vinlab.domains.holeworld.problem import NUM_MOVES, moves_to_goal, sample_hole_problems, step_holeworld
from vinlab.evaluation import metrics
from vinlab.evaluation.rollout import PlanningPolicy, greedy_actions
from vinlab.learners.callbacks import Validation
from vinlab.learners.trpo.trpo import draw_moves
from vinlab.types import MOVE_OFFSETS, GridProblems

DIFFICULTY_STREAM = 2019
"""Seed of the problems by difficulty; the same for every seed of training."""

PER_DIFFICULTY = 200

Iterations = int | Sequence[int] | None


@dataclass(frozen=True)
class Endings:
    """How an episode on each problem ended."""

    reached: np.ndarray
    fallen: np.ndarray
    steps: np.ndarray


def horizon_of(problems: GridProblems) -> int:
    """Moves that an episode may take: as many as the map has cells, so that only falls and loops fail."""
    return int(np.prod(problems.obstacles.shape[1:]))


@torch.no_grad()
def act_among_holes(
    policy: PlanningPolicy,
    problems: GridProblems,
    *,
    sampled: np.random.Generator | None = None,
    iterations: Iterations = None,
) -> Endings:
    """One episode on each problem: the likeliest move in every state or, with a generator, moves drawn at random."""
    plan = policy.plan(observe(problems.obstacles, problems.goals), iterations=iterations)
    states, steps = problems.starts, np.zeros(len(problems), np.int64)
    reached, fallen = np.zeros(len(problems), bool), np.zeros(len(problems), bool)
    for _ in range(horizon_of(problems)):
        going = ~(reached | fallen)
        if not going.any():
            break
        moves = _moves(policy, plan, states, sampled)
        outcome = step_holeworld(problems.obstacles, problems.goals, states, moves)
        states = np.where(going[:, None], outcome.states, states)
        steps += going
        reached |= going & outcome.reached
        fallen |= going & outcome.fallen
    return Endings(reached, fallen, steps)


def _moves(
    policy: PlanningPolicy, plan: Any, states: np.ndarray, sampled: np.random.Generator | None
) -> np.ndarray:
    if sampled is None:
        return greedy_actions(policy, plan, states[:, None])[:, 0]
    logits = policy.act(plan, torch.as_tensor(states[:, None])).numpy()
    return draw_moves(logits, sampled)[:, 0]


def score(
    policy: PlanningPolicy, problems: GridProblems, *, rng: np.random.Generator, iterations: Iterations = None
) -> dict[str, Any]:
    """The measures of the table; the expert's labels do not exist here."""
    endings = act_among_holes(policy, problems, iterations=iterations)
    shortest = _at_starts(moves_to_goal(problems.obstacles, problems.goals), problems).astype(np.int64)
    drawn = act_among_holes(policy, problems, sampled=rng, iterations=iterations)
    return {
        "num_problems": len(problems),
        "num_unsolvable": 0,
        "success_rate": metrics.success_rate(endings.reached),
        "trajectory_difference": metrics.trajectory_difference(endings.steps, shortest, endings.reached),
        "optimal_action_accuracy": optimal_share(policy, problems, iterations=iterations),
        "prediction_loss": None,
        "fallen_rate": float(endings.fallen.mean()),
        "sampled_success_rate": metrics.success_rate(drawn.reached),
    }


def _at_starts(image: np.ndarray, problems: GridProblems) -> np.ndarray:
    return image[np.arange(len(problems)), problems.starts[:, 0], problems.starts[:, 1]]


def optimal_share(policy: PlanningPolicy, problems: GridProblems, *, iterations: Iterations = None) -> float:
    """The share of the states on a shortest way in which the likeliest move is an optimal one."""
    distances = np.pad(
        moves_to_goal(problems.obstacles, problems.goals), ((0, 0), (1, 1), (1, 1)), constant_values=np.inf
    )
    with torch.no_grad():
        plan = policy.plan(observe(problems.obstacles, problems.goals), iterations=iterations)
    states, right, total = problems.starts, 0, 0
    index = np.arange(len(problems))
    while True:
        beside = states[:, None] + MOVE_OFFSETS[:NUM_MOVES] + 1
        here = distances[index, states[:, 0] + 1, states[:, 1] + 1]
        optimal = distances[index[:, None], beside[..., 0], beside[..., 1]] == here[:, None] - 1
        going = here > 0
        if not going.any():
            return right / total
        moves = greedy_actions(policy, plan, states[:, None])[:, 0]
        right, total = right + int((optimal[index, moves] & going).sum()), total + int(going.sum())
        states = np.where(going[:, None], states + MOVE_OFFSETS[optimal.argmax(axis=1)], states)


def success_by_difficulty(
    policy: PlanningPolicy, size: int, *, per_difficulty: int = PER_DIFFICULTY
) -> dict[str, float]:
    """The share of new problems that are solved, for each difficulty up to the way from corner to corner."""
    found = {}
    for difficulty in range(1, 2 * (size - 3) + 1):
        rng = np.random.default_rng([DIFFICULTY_STREAM, size, difficulty])
        problems = sample_hole_problems(
            GridworldConfig(size=size), per_difficulty, rng=rng, difficulty=difficulty
        )
        found[str(difficulty)] = metrics.success_rate(act_among_holes(policy, problems).reached)
    return found


def validator(problems: GridProblems) -> Callable[[Any], Validation]:
    """A look at the validation problems."""

    def validate(policy: Any) -> Validation:
        success = metrics.success_rate(act_among_holes(policy, problems).reached)
        return Validation(score=success, metrics={"validation_success": success})

    return validate

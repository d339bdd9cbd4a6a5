"""Scores on the hole world: on validation problems, test problems, problems of a file, and by difficulty."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int

from vinlab.domains.gridworld.expert import ExactSolution
from vinlab.domains.gridworld.files import read_problems
from vinlab.domains.holeworld.environment import step
from vinlab.domains.holeworld.expert import solve
from vinlab.evaluation import metrics
from vinlab.evaluation.rollout import PlanningPolicy, device_of, greedy_actions, sample_actions
from vinlab.experiments.base import EvaluateRequest, Evaluation
from vinlab.experiments.results import RunResult
from vinlab.experiments.rl.data import RlData, RlSets, make_problems_of_difficulty, make_test_problems
from vinlab.experiments.rl.settings import RlTraining
from vinlab.learners.callbacks import Validation
from vinlab.models import Model
from vinlab.navigation.adaptive import make_plan
from vinlab.types import GridProblems, Iterations

SAMPLING_STREAM = 3019
"""Seed of the moves that are sampled from the policy."""


@dataclass(frozen=True)
class HoleWorldEpisodes:
    """One episode on each problem."""

    states: Int[np.ndarray, "B T 2"]
    """From the start on; the last state is repeated once an episode has ended."""
    steps: Int[np.ndarray, " B"]
    reached: Bool[np.ndarray, " B"]
    fallen: Bool[np.ndarray, " B"]


@torch.no_grad()
def run_episodes(
    policy: PlanningPolicy, plan: Any, problems: GridProblems, *, rng: np.random.Generator | None = None
) -> HoleWorldEpisodes:
    """One episode on each problem, with greedy moves or, given a generator, sampled ones.

    The horizon is the number of cells of the map, so that an episode fails only by a fall or a loop.
    """
    states, steps = [problems.starts], np.zeros(len(problems), np.int64)
    reached = (problems.starts == problems.goals).all(axis=1)
    fallen = np.zeros(len(problems), bool)
    for _ in range(problems.obstacles[0].size):
        active = ~(reached | fallen)
        if not active.any():
            break
        if rng is None:
            moves = greedy_actions(policy, plan, states[-1][:, None])[:, 0]
        else:
            logits = policy.act(plan, torch.as_tensor(states[-1][:, None], device=device_of(policy)))
            moves = sample_actions(logits.cpu().numpy(), rng)[:, 0]
        outcome = step(problems.obstacles, problems.goals, states[-1], moves)
        states.append(np.where(active[:, None], outcome.states, states[-1]))
        steps += active
        reached |= active & outcome.reached
        fallen |= active & outcome.fallen
    return HoleWorldEpisodes(np.stack(states, axis=1), steps, reached, fallen)


def evaluate_policy(
    policy: PlanningPolicy, problems: GridProblems, *, rng: np.random.Generator, iterations: Iterations = None
) -> dict[str, Any]:
    """The measures of the table, all read from one plan of each problem."""
    solution, plan = solve(problems), make_plan(policy, problems, iterations)
    greedy = run_episodes(policy, plan, problems)
    sampled = run_episodes(policy, plan, problems, rng=rng)
    shortest = np.maximum(solution.lengths - 1, 0)
    return {
        "num_problems": len(problems),
        "num_unsolvable": int((solution.lengths == 0).sum()),
        "success_rate": metrics.success_rate(greedy.reached),
        "trajectory_difference": metrics.trajectory_difference(greedy.steps, shortest, greedy.reached),
        "optimal_action_accuracy": optimal_action_accuracy(policy, plan, solution),
        "prediction_loss": None,
        "fallen_rate": metrics.share(greedy.fallen),
        "sampled_success_rate": metrics.success_rate(sampled.reached),
    }


def optimal_action_accuracy(policy: PlanningPolicy, plan: Any, solution: ExactSolution) -> float:
    """Share of the states on the expert's paths in which the greedy move is an optimal one."""
    paths, problem = solution.paths, np.arange(len(solution.paths))[:, None]
    # One state of each path at a time: all at once are too many images for a CNN.
    moves = [greedy_actions(policy, plan, paths[:, at : at + 1]) for at in range(paths.shape[1])]
    counts = np.arange(paths.shape[1]) < solution.lengths[:, None] - 1
    optimal = solution.optimal[problem, :, paths[..., 0], paths[..., 1]]
    return metrics.optimal_action_accuracy(np.concatenate(moves, axis=1), optimal, counts)


def success_rate(policy: PlanningPolicy, problems: GridProblems) -> float:
    """Share of the problems whose greedy episode reaches the goal."""
    plan = make_plan(policy, problems, None)
    return metrics.success_rate(run_episodes(policy, plan, problems).reached)


def success_by_difficulty(policy: PlanningPolicy, data: RlData) -> dict[str, float]:
    """The success rate for each difficulty up to the distance between opposite corners."""
    return {
        str(difficulty): success_rate(policy, make_problems_of_difficulty(data, difficulty))
        for difficulty in range(1, 2 * (data.size - 3) + 1)
    }


def validate(problems: GridProblems, policy: Any) -> Validation:
    """The success on validation problems."""
    success = success_rate(policy, problems)
    return Validation(success, {"validation_success": success})


def score(config: RlTraining, data: RlSets, network: Any, seed: int) -> RunResult:
    """The scores on the test problems, and the success by difficulty."""
    rng = np.random.default_rng([SAMPLING_STREAM, seed])
    return RunResult(
        scores=evaluate_policy(network, data.test, rng=rng),
        extra={"success_by_difficulty": success_by_difficulty(network, config.data)},
    )


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the test problems of its size, or on those of a file."""
    reasons = {"corner_cutting": "its four moves are never diagonal", "data": "its data are generated"}
    request.refuse(model.id, **reasons)
    file = request.problems
    problems = read_problems(file) if file else make_test_problems(RlData(size=model.size))
    iterations = request.iterations or model.iterations_for(problems.obstacles.shape[1:])
    rng = np.random.default_rng(SAMPLING_STREAM)
    scores = evaluate_policy(model.network, problems, rng=rng, iterations=iterations)
    return Evaluation(scores, {"iterations": iterations})

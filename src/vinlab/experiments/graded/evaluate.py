"""What the routes of a model cost on maps with costs, against the cheapest ones."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from vinlab.domains.gridworld.graded import GradedProblems, costs_to_go, goal_mask, observe_costs
from vinlab.evaluation.rollout import device_of, rollout_from_all_cells
from vinlab.experiments.any_map.evaluate import over_sets, training_size
from vinlab.experiments.base import EvaluateRequest, Evaluation
from vinlab.experiments.graded.data import TEST, GradedSets, Sets, sample_sets
from vinlab.experiments.graded.settings import GradedTraining
from vinlab.experiments.gridworld.data import TEST_STREAM
from vinlab.experiments.results import RunResult
from vinlab.learners.callbacks import Progress, Validation, no_progress
from vinlab.models import Model
from vinlab.types import MOVE_OFFSETS


@torch.no_grad()
def evaluate_costs(network: Any, problems: GradedProblems) -> dict[str, Any]:
    """The scores of a network on problems of one size, from their starts and from all cells with a path.

    ``cost_ratio_mean`` and ``cost_ratio_median``: the cost of the network's route over that of the cheapest, over the
    problems whose goal it reaches.
    """
    ratios, shares, means = [], [], []
    for index in range(len(problems)):
        one = problems[index : index + 1]
        (optimal,) = costs_to_go(one)
        counts = np.isfinite(optimal) & (optimal > 0)
        ratio = np.full(optimal.shape, np.inf)
        ratio[counts] = policy_costs(network, one)[counts] / optimal[counts]
        row, col = one.starts[0]
        ratios.append(ratio[row, col])
        shares.append(np.isfinite(ratio[counts]).mean())
        arriving = ratio[np.isfinite(ratio)]
        means.append(arriving.mean() if len(arriving) else np.nan)
    found = np.array(ratios)
    reached = np.isfinite(found)
    return {
        "num_problems": len(problems),
        "success_rate": float(reached.mean()),
        "cost_ratio_mean": float(found[reached].mean()) if reached.any() else np.nan,
        "cost_ratio_median": float(np.median(found[reached])) if reached.any() else np.nan,
        "reached_share": float(np.mean(shares)),
        "cost_ratio_all_cells": float(np.mean(means)),
    }


def policy_costs(network: Any, problem: GradedProblems) -> np.ndarray:
    """What the greedy moves of a network cost from every cell of one map; infinite where they do not arrive."""
    seen = observe_costs(problem.obstacles, problem.costs, goal_mask(problem)).to(device_of(network))
    moves = network.plan(seen).moves[0].cpu().numpy().astype(np.int64)
    rows, cols = moves.shape
    cells = np.arange(rows * cols)
    chosen = np.maximum(moves, 0).ravel()
    costs = problem.grid(0).move_costs().reshape(8, -1)[chosen, cells]
    following = cells + MOVE_OFFSETS[chosen] @ (cols, 1)
    goal = int(problem.goals[0, 0] * cols + problem.goals[0, 1])
    stuck = (moves.ravel() < 0) | ~np.isfinite(costs)
    costs = np.where(stuck, np.inf, costs)
    following[stuck] = cells[stuck]
    followed = rollout_from_all_cells(following[None], costs[None], np.array([goal]))
    return followed.lengths.reshape(rows, cols)


def evaluate_sets(network: Any, sets: Sets, *, progress: Progress = no_progress) -> dict[str, dict[str, Any]]:
    """The scores on several sets of maps, by the name of the set."""
    return over_sets(partial(evaluate_costs, network), network, sets, progress)


def validator(network: Any, sets: Sets) -> Callable[[Any], Validation]:
    """Evaluates on validation maps; all sets count alike, by all cells that arrive and by what their routes cost."""

    def validate(_: Any) -> Validation:
        scores = evaluate_sets(network, sets).values()
        reached = float(np.mean([found["reached_share"] for found in scores]))
        ratio = float(np.mean([found["cost_ratio_all_cells"] for found in scores]))
        return Validation(
            score=reached - ratio, metrics={"validation_reached": reached, "validation_cost_ratio": ratio}
        )

    return validate


def score(config: GradedTraining, data: GradedSets, network: Any, seed: int) -> RunResult:
    """The scores on the test maps of every set."""
    return RunResult(evaluate_sets(network, data.test), extra=training_size(data.demonstrations))


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the test maps of every set."""
    request.refuse(
        model.id,
        problems="its problems have costs, and are generated",
        iterations="it plans until the value settles",
        corner_cutting="it was trained where corners may be cut",
    )
    sets = sample_sets(TEST, stream=TEST_STREAM)
    return Evaluation(evaluate_sets(model.network, sets, progress=request.progress), {"corner_cutting": True})

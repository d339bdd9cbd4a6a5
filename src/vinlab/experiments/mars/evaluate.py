"""Scores of policies on terrain, on test problems or on problems of one's own."""

import itertools
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int

from vinlab.domains.mars.expert import solve
from vinlab.domains.mars.files import read_problems
from vinlab.domains.mars.problem import MarsProblems, observe
from vinlab.experiments.base import EvaluateRequest, Evaluation
from vinlab.experiments.mars.classifier import tune_cost
from vinlab.experiments.mars.data import MarsSets, data_of, make_splits
from vinlab.experiments.mars.settings import MarsTraining
from vinlab.experiments.results import RunResult
from vinlab.learners.callbacks import Progress, no_progress
from vinlab.models import Model
from vinlab.navigation.evaluation import evaluate_plan, to_scores
from vinlab.networks.terrain.classifier import ClassifierPlanner, StraightLine
from vinlab.networks.terrain.policies import TerrainPolicy
from vinlab.types import Iterations, Scores

BATCH = 100
"""Patches that are planned together."""

LENGTHS = (5, 10, 15)
"""Moves of the expert's path at which one class of problems ends and the next begins."""


@dataclass(frozen=True)
class MarsScores:
    """The results on all problems of a set."""

    scores: Scores
    reached: Bool[np.ndarray, " N"]
    steps: Int[np.ndarray, " N"]
    """Moves of the expert's path; -1 where there is none."""

    def to_plain(self) -> dict[str, Any]:
        """The scores, and for each problem 1 where the goal was reached."""
        return {
            **asdict(self.scores),
            "success_by_length": success_by_length(self.reached, self.steps),
            "reached": "".join(map(str, self.reached.astype(int))),
        }


@torch.no_grad()
def evaluate_policy(
    policy: TerrainPolicy,
    problems: MarsProblems,
    *,
    iterations: Iterations = None,
    corner_cutting: bool = True,
    progress: Progress = no_progress,
) -> MarsScores:
    """The scores of a policy, which sees the image and the goal alone, on all problems."""
    policy.eval()
    results = []
    for first in range(0, len(problems), BATCH):
        part = problems[first : first + BATCH]
        plan = policy.plan(observe(part.images, part.goals), iterations=iterations)
        solution = solve(part, corner_cutting=corner_cutting)
        results.append(evaluate_plan(policy, plan, part.grid, solution, corner_cutting=corner_cutting))
        progress(min(first + BATCH, len(problems)), len(problems), "problems")
    reached = np.concatenate([part.reached for part in results])
    lengths = np.concatenate([part.expert_lengths for part in results])
    return MarsScores(to_scores(results), reached, lengths - 1)


def success_by_length(
    reached: Bool[np.ndarray, " N"], steps: Int[np.ndarray, " N"]
) -> dict[str, tuple[float | None, int]]:
    """The success rate and the number of problems, by classes of the moves of the shortest path."""
    limits = [0, *LENGTHS, None]
    found = {}
    for first, last in itertools.pairwise(limits):
        own = (steps > first) & ((steps <= last) if last else True)
        name = f"{first + 1}-{last}" if last else f"over {first}"
        found[name] = (float(reached[own].mean()) if own.any() else None, int(own.sum()))
    return found


def score(config: MarsTraining, data: MarsSets, network: TerrainPolicy, seed: int) -> RunResult:
    """The scores on the test problems, with what the table needs for its errors and for the other planners."""
    found = evaluate_policy(network, data.test)
    extra = {
        **_other_planners(network, data),
        "steps": found.steps,
        "blocks": data.test.block_ids,
        "training_patches": len(data.demonstrations),
        "training_cells": int(data.demonstrations.weights.sum()),
        "terrain": data.counts,
    }
    return RunResult(found.to_plain(), extra=extra)


def _other_planners(network: TerrainPolicy, data: MarsSets) -> dict[str, Any]:
    """The rows that come with a classifier: the same map with a threshold, and the straight line without any map."""
    if not isinstance(network, ClassifierPlanner):
        return {}
    hard = tune_cost(network.classifier, "hard", data.validation)
    return {
        "hard": evaluate_policy(hard, data.test).to_plain(),
        "straight": evaluate_policy(StraightLine(), data.test).to_plain(),
        "caution": {"hard": float(hard.caution.setting), "soft": float(network.caution.setting)},
    }


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the problems of a file, or on test problems of real or synthetic terrain."""
    assert isinstance(model.network, TerrainPolicy)
    if request.problems:
        problems, terrain = read_problems(request.problems), request.problems.name
    else:
        problems = make_splits(data_of(model.config), request.data).test
        terrain = request.data.name if request.data else "synthetic"
    rules = request.rules(model, problems.obstacles.shape[1:])
    scores = evaluate_policy(model.network, problems, **rules, progress=request.progress).to_plain()
    del scores["reached"]
    return Evaluation(scores, {**rules, "terrain": terrain})

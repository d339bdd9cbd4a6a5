"""Scores of the grid-world's networks, on validation problems, test problems or problems of one's own."""

from dataclasses import asdict
from typing import Any

from vinlab.domains.gridworld.files import read_problems
from vinlab.experiments.base import EvaluateRequest, Evaluation
from vinlab.experiments.gridworld.data import GridworldSets, make_test_problems
from vinlab.experiments.gridworld.settings import GridworldTraining
from vinlab.experiments.results import RunResult
from vinlab.learners.callbacks import Validation
from vinlab.models import Model
from vinlab.navigation.evaluation import evaluate as evaluate_policy


def validate(data: GridworldSets, policy: Any) -> Validation:
    """The score on validation problems: success and optimal moves."""
    scores = evaluate_policy(policy, data.validation, solution=data.validation_solution)
    success, optimal = scores.success_rate, scores.optimal_action_accuracy
    return Validation(success + optimal, {"validation_success": success, "validation_optimal": optimal})


def score(config: GridworldTraining, data: GridworldSets, network: Any, seed: int) -> RunResult:
    """The scores on the test problems."""
    read = {"training_maps": data.training_maps, "training_states": int(data.training.weights.sum())}
    return RunResult(asdict(evaluate_policy(network, data.test)), extra=read)


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the test problems of its size, or on those of a file."""
    problems = read_problems(request.problems) if request.problems else make_test_problems(model.size)
    rules = request.rules(model, problems.obstacles.shape[1:])
    scores = evaluate_policy(model.network, problems, **rules, progress=request.progress)
    return Evaluation(asdict(scores), rules)

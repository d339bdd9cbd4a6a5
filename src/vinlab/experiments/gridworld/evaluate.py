"""Scores of the grid-world's networks, on validation problems, test problems or problems of one's own."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from vinlab.domains.gridworld.expert import ExactSolution
from vinlab.domains.gridworld.files import read_problems
from vinlab.experiments.base import EvaluateRequest, Evaluation
from vinlab.experiments.gridworld.data import GridworldSets, make_test_problems
from vinlab.experiments.gridworld.settings import GridworldTraining
from vinlab.experiments.results import RunResult
from vinlab.learners.callbacks import Validation
from vinlab.models import Model
from vinlab.navigation.evaluation import evaluate as evaluate_policy
from vinlab.types import GridProblems


def validator(problems: GridProblems, solution: ExactSolution) -> Callable[[Any], Validation]:
    """Evaluates on validation problems; success counts most, then optimal moves."""

    def validate(policy: Any) -> Validation:
        scores = evaluate_policy(policy, problems, solution=solution)
        return Validation(
            score=scores.success_rate + scores.optimal_action_accuracy,
            metrics={
                "validation_success": scores.success_rate,
                "validation_optimal": scores.optimal_action_accuracy,
            },
        )

    return validate


def score(config: GridworldTraining, data: GridworldSets, network: Any, seed: int) -> RunResult:
    """The scores on the test problems."""
    return RunResult(
        scores=asdict(evaluate_policy(network, data.test)),
        extra={
            "training_maps": len(data.demonstrations),
            "training_states": int(data.demonstrations.weights.sum()),
        },
    )


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the test problems of its size, or on those of a file."""
    problems = read_problems(request.problems) if request.problems else make_test_problems(model.size)
    iterations = request.iterations or model.iterations_for(problems.obstacles.shape[1:])
    cutting = model.corner_cutting if request.corner_cutting is None else request.corner_cutting
    scores = evaluate_policy(
        model.network, problems, iterations=iterations, corner_cutting=cutting, progress=request.progress
    )
    return Evaluation(asdict(scores), {"iterations": iterations, "corner_cutting": cutting})

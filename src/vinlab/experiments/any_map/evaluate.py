"""How well a model does on maps of one set: from their starts, and from all of their cells."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from torch import nn

from vinlab.domains.gridworld.expert import solve
from vinlab.domains.gridworld.files import read_problems
from vinlab.evaluation import metrics
from vinlab.experiments.any_map.data import LARGE_TEST, TEST, AnyMapSets, Sets, make_test_sets
from vinlab.experiments.any_map.settings import AnyMapTraining
from vinlab.experiments.base import EvaluateRequest, Evaluation
from vinlab.experiments.results import RunResult
from vinlab.learners.callbacks import Progress, Validation, no_progress
from vinlab.learners.datasets import MixedDemonstrations
from vinlab.models import Model
from vinlab.navigation.adaptive import plan_adaptively
from vinlab.navigation.evaluation import EpisodeResults, evaluate_followed, to_scores
from vinlab.types import GridProblems, Iterations

DISTANCES = (0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 10240)
"""Where the classes of distance to the goal begin, and the last one ends."""


def evaluate_maps(
    model: Model,
    problems: GridProblems,
    *,
    corner_cutting: bool = True,
    iterations: Iterations = None,
) -> dict[str, Any]:
    """The scores of a model on problems of one size, with K given or chosen for each map; every problem counts.

    Beside the scores of the rollouts: the shares of all cells with a path to the goal from which the model reaches
    it, and by a shortest path, over all of them and by their distance.
    """
    each = (problems[index : index + 1] for index in range(len(problems)))
    results = [_evaluate_map(model, one, corner_cutting, iterations) for one in each]
    episodes, parts, backups = zip(*results, strict=True)
    cells = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    scores = asdict(to_scores(episodes))
    del scores["unsolvable"]
    return {
        **scores,
        **_shares(cells),
        "mean_iterations": float(np.mean(backups)),
        "most_iterations": int(np.max(backups)),
        "by_distance": _by_distance(cells),
    }


def _evaluate_map(
    model: Model, problem: GridProblems, corner_cutting: bool, iterations: Iterations
) -> tuple[EpisodeResults, dict[str, np.ndarray], int]:
    """The episode, what was measured in all cells with a path to the goal but the goal, and the backups."""
    solution = solve(problem, corner_cutting=corner_cutting)
    counts = (np.isfinite(solution.costs) & (solution.costs > 0)).reshape(1, -1)
    rules: dict[str, Any] = {"iterations": iterations, "corner_cutting": corner_cutting}
    planned = plan_adaptively(model, problem, must_reach=problem.obstacles == 0, **rules)
    found = {
        "distances": solution.costs.reshape(1, -1)[counts],
        "reached": planned.rollouts.reached[counts],
        "lengths": planned.rollouts.lengths[counts],
    }
    used = planned.iterations
    backups = max(used) if isinstance(used, tuple) else used or 0
    return evaluate_followed(planned, problem, solution), found, backups


def _shares(cells: dict[str, np.ndarray]) -> dict[str, float]:
    everything = np.ones((1, len(cells["reached"])), bool)
    reached, lengths, distances = (cells[name].reshape(1, -1) for name in ("reached", "lengths", "distances"))
    return {
        "reached_share": metrics.reached_share(reached, everything),
        "optimally_reached_share": metrics.optimally_reached_share(lengths, distances, everything),
    }


def _by_distance(cells: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """The shares in each class of distance that occurs."""
    found = []
    for low, high in pairwise(DISTANCES):
        within = (cells["distances"] > low) & (cells["distances"] <= high)
        if within.any():
            part = {name: values[within] for name, values in cells.items()}
            found.append({"above": low, "up_to": high, "cells": int(within.sum()), **_shares(part)})
    return found


def evaluate_sets(
    model: Model,
    sets: Sets,
    *,
    corner_cutting: bool | None = None,
    iterations: Iterations = None,
    progress: Progress = no_progress,
) -> dict[str, dict[str, Any]]:
    """The scores of a model on several sets of maps, by the name of the set."""
    cutting = model.corner_cutting if corner_cutting is None else corner_cutting
    evaluate_one = partial(evaluate_maps, model, corner_cutting=cutting, iterations=iterations)
    return over_sets(evaluate_one, model.network, sets, progress)


def over_sets(
    evaluate_one: Callable[[Any], dict[str, Any]],
    network: nn.Module,
    sets: Mapping[str, Any],
    progress: Progress = no_progress,
) -> dict[str, dict[str, Any]]:
    """What one set of problems after another gives, by the name of the set."""
    network.eval()
    scores, done, total = {}, 0, sum(map(len, sets.values()))
    for name, problems in sets.items():
        scores[name] = evaluate_one(problems)
        done += len(problems)
        progress(done, total, name)
    return scores


def validator(model: Model, sets: Sets) -> Callable[[Any], Validation]:
    """Evaluates on validation maps; all sets count alike, and so do reaching the goal and reaching it optimally."""

    def validate(_: Any) -> Validation:
        scores = evaluate_sets(model, sets)
        means = {
            measure: float(np.mean([found[measure] for found in scores.values()]))
            for measure in ("success_rate", "reached_share", "optimally_reached_share")
        }
        metrics = {
            "validation_success": means["success_rate"],
            "validation_reached": means["reached_share"],
            "validation_optimal": means["optimally_reached_share"],
            "validation_worst_reached": min(found["reached_share"] for found in scores.values()),
        }
        return Validation(means["reached_share"] + means["optimally_reached_share"], metrics)

    return validate


def score(config: AnyMapTraining, data: AnyMapSets, network: Any, seed: int) -> RunResult:
    """The scores on the test maps of every set."""
    model = Model("", network, config.data.size, {}, corner_cutting=config.data.corner_cutting)
    return RunResult(evaluate_sets(model, data.test), extra=training_size(data.demonstrations))


def training_size(demonstrations: MixedDemonstrations) -> dict[str, int]:
    """How much a run was trained on."""
    states = int(demonstrations.weights.sum())
    return {"training_maps": len(demonstrations), "training_states": states}


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the test maps of every set, or on the problems of a file."""
    cutting = model.corner_cutting if request.corner_cutting is None else request.corner_cutting
    rules: dict[str, Any] = {"iterations": request.iterations, "corner_cutting": cutting}
    if request.problems is not None:
        return Evaluation(evaluate_maps(model, read_problems(request.problems), **rules), rules)
    # The sets of the model's own test: the largest maps are for planners without a K.
    sets = make_test_sets(TEST if model.network.iterations else LARGE_TEST, corner_cutting=cutting)
    return Evaluation(evaluate_sets(model, sets, **rules, progress=request.progress), rules)

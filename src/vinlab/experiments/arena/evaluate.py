"""Scores in the arena, by the measures of the benchmarks."""

import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from vinlab.domains.motion.files import read_gppn_mazes
from vinlab.domains.motion.problem import MotionProblems
from vinlab.experiments.any_map.evaluate import training_size
from vinlab.experiments.arena.data import ArenaData, ArenaSets, make_test_sets
from vinlab.experiments.arena.settings import ArenaTraining
from vinlab.experiments.arena.tie_break import path_scores
from vinlab.experiments.base import EvaluateRequest, Evaluation, recorded_data
from vinlab.experiments.results import RunResult
from vinlab.learners.callbacks import Validation
from vinlab.models import Model
from vinlab.navigation.motion import MotionResults, actions_everywhere, results_of
from vinlab.planning.moves import LayeredMoves, motion_named
from vinlab.types import Iterations

LENGTHS = (0, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 10_000_000)
"""Where the classes of path length begin, and the last one ends."""

BATCH_STATES = 2_000_000
"""States that are planned at a time."""


def evaluate_mazes(
    policy: Any, problems: MotionProblems, moves: LayeredMoves, *, iterations: Iterations = None
) -> dict[str, Any]:
    """The percentages of all free states that reach the goal and do so optimally, also by the length of the path."""
    states = moves.num_layers * problems.obstacles[0].size
    batch = max(1, BATCH_STATES // states)
    parts = [problems[first : first + batch] for first in range(0, len(problems), batch)]
    actions = [actions_everywhere(policy, part, moves, iterations=iterations) for part in parts]
    results = [results_of(made, part, moves) for made, part in zip(actions, parts, strict=True)]
    weights = np.array([len(part) for part in parts]) / len(problems)
    scores: dict[str, Any] = {
        "num_problems": len(problems),
        "percent_optimal": float(weights @ [result.percent_optimal for result in results]),
        "percent_success": float(weights @ [result.percent_success for result in results]),
        **_of_those_with_a_path(results),
        "by_length": _by_length(results),
    }
    if (problems.starts != problems.goals).any():
        paths = [path_scores(made, part, moves) for made, part in zip(actions, parts, strict=True)]
        scores |= {
            name: float(weights @ [part[name] for part in paths]) for name in ("exact", "any_shortest")
        }
    return scores


def _of_those_with_a_path(results: list[MotionResults]) -> dict[str, float | None]:
    """Over all states that have a path: the percentage that arrives, how much longer their paths are, the longest."""
    chosen = [result.free & np.isfinite(result.shortest) & (result.shortest > 0) for result in results]
    shortest = np.concatenate([one.shortest[kept] for one, kept in zip(results, chosen, strict=True)])
    lengths = np.concatenate([one.rollouts.lengths[kept] for one, kept in zip(results, chosen, strict=True)])
    reached = np.isfinite(lengths)
    return {
        "percent_arrived": 100 * float(reached.mean()) if len(reached) else None,
        "length_ratio": float((lengths[reached] / shortest[reached]).mean()) if reached.any() else None,
        "longest": float(shortest.max(initial=0.0)),
    }


def _by_length(results: list[MotionResults]) -> list[dict[str, Any]]:
    """Success by the length of the shortest path, over all states that have one."""
    shortest = np.concatenate([result.shortest[result.free] for result in results])
    reached = np.concatenate([result.rollouts.reached[result.free] for result in results])
    found = []
    for low, high in pairwise(LENGTHS):
        within = (shortest > low) & (shortest <= high)
        if within.any():
            percent = 100 * float(reached[within].mean())
            found.append({"above": low, "states": int(within.sum()), "percent_success": percent})
    return found


def validator(data: ArenaSets, moves: LayeredMoves) -> Callable[[Any], Validation]:
    """Evaluates on validation mazes; all sets and all measures count alike."""

    def validate(policy: Any) -> Validation:
        scores = [evaluate_mazes(policy, problems, moves) for problems in data.validation.values()]
        names = [
            name
            for name in ("percent_optimal", "percent_success", "exact", "any_shortest")
            if name in scores[0]
        ]
        means = {f"validation_{name}": float(np.mean([one[name] for one in scores])) for name in names}
        return Validation(score=sum(means.values()), metrics=means)

    return validate


def score(config: ArenaTraining, data: ArenaSets, network: Any, seed: int) -> RunResult:
    """The scores on the test mazes of every set."""
    moves = motion_named(config.data.motion)
    network.eval()
    scores = {name: evaluate_mazes(network, problems, moves) for name, problems in data.test.items()}
    seconds = {"process_cpu_seconds": round(time.process_time(), 1)}
    return RunResult(scores, extra={**training_size(data.demonstrations), **seconds, **peak_memory()})


def peak_memory() -> dict[str, float]:
    """The most memory that this process has held so far; nothing where the system does not tell."""
    if sys.platform == "win32":
        return {}
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return {"peak_memory_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9, 3)}


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the test mazes of its benchmark, or on those of a file in GPPN's layout."""
    request.refuse(
        model.id, corner_cutting="its moves check the cells that they pass", data="its mazes are drawn"
    )
    data = recorded_data(ArenaData, model.config)
    moves = motion_named(data.motion)
    settings = {"motion": data.motion, "iterations": request.iterations}
    measure = partial(evaluate_mazes, model.network, moves=moves, iterations=request.iterations)
    if request.problems is not None:
        return Evaluation(measure(read_gppn_mazes(request.problems, moves.num_layers)), settings)
    return Evaluation({name: measure(problems) for name, problems in make_test_sets(data).items()}, settings)

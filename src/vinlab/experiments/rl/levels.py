"""How a run passed through its curriculum, read from what it logged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vinlab.learners.trpo.curriculum import ReturnRule
from vinlab.recording.finished_run import FinishedRun


@dataclass(frozen=True)
class LevelsPassed:
    """The last level, and how many levels were left in either way."""

    last: int
    by_return: int
    """Left because the mean return met the paper's rule."""
    by_patience: int
    """Left because the level had lasted for the largest number of iterations."""


def levels_passed(run: FinishedRun) -> LevelsPassed:
    """The levels of a run."""
    rule = run.manifest.config["learning"]["curriculum"]["rule"]
    return count_levels(run.metrics(), ReturnRule(scale=rule["scale"]))


def count_levels(metrics: Sequence[Mapping[str, Any]], rule: ReturnRule) -> LevelsPassed:
    """The levels of logged iterations."""
    last_of = {line["level"]: line["mean_return"] for line in metrics}  # the last iteration of each level
    last = max(last_of)
    met = [rule.is_met(level, reached, 0) for level, reached in last_of.items() if level != last]
    return LevelsPassed(last, sum(met), len(met) - sum(met))


def world_steps(run: FinishedRun) -> int:
    """The number of environment steps that the run learned from."""
    return sum(line["steps"] for line in run.metrics())

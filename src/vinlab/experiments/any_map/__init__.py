"""One planner for any map: a VIN trained over sizes, densities of obstacles and mazes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vinlab.experiments.any_map.evaluate import blocks, judge_kind, mazes, paper, scattered
from vinlab.experiments.any_map.table import kinds_table
from vinlab.experiments.any_map.train import (
    AnyMapData,
    AnyMapTraining,
    Examination,
    Lesson,
    judge_sets,
    make_test_sets,
    train,
)
from vinlab.experiments.base import Budget, Experiment, Recipe, Setting
from vinlab.learners.imitation import ImitationConfig
from vinlab.learners.optimizers import Stage
from vinlab.models import Model
from vinlab.networks.configs import VinConfig
from vinlab.networks.grid.cost_vin import LosslessVinConfig
from vinlab.recording.finished_run import RecordedRun
from vinlab.types import GridProblems

LESSONS = (
    Lesson(paper(8), 300, 16),
    Lesson(paper(16), 600, 30),
    Lesson(paper(28), 400, 60),
    Lesson(blocks(32), 300, 80),
    Lesson(scattered(16, 0.25), 400, 30),
    Lesson(scattered(24, 0.1), 300, 30),
    Lesson(scattered(24, 0.35), 400, 60),
    Lesson(scattered(48, 0.25), 100, 80),
    Lesson(mazes(15), 500, 90),
    Lesson(mazes(15, 0.15), 400, 60),
    Lesson(mazes(31), 200, 260),
    Lesson(mazes(31, 0.1), 100, 180),
    Lesson(mazes(63), 64, 1000),
    Lesson(mazes(101), 24, 2300),
)
"""What to learn from: many small maps, on which a plan is cheap, and some with long ways.

From the mazes it learns how much more than a step a wall must cost: more than the longest detour.
"""

VALIDATION = (
    Examination(paper(28), 60),
    Examination(blocks(48), 16),
    Examination(scattered(64), 12),
    Examination(mazes(15), 60),
    Examination(mazes(31), 24),
    Examination(mazes(63), 8),
    Examination(mazes(101), 2),
)

TEST = (
    Examination(paper(28), 200),
    Examination(blocks(64), 200),
    Examination(scattered(64), 200),
    Examination(scattered(100), 100),
    *(Examination(mazes(size), 200) for size in (15, 31, 63)),
    Examination(mazes(101), 50),
    *(Examination(mazes(size, 0.1), 200) for size in (15, 31, 63)),
    Examination(mazes(101, 0.1), 50),
)

EPOCHS: dict[Budget, int] = {"smoke": 1, "small": 3, "paper": 16}
HIDDEN = 40
"""Filters of the reward; more of them take longer and reach no further."""


def configure(budget: Budget, recipe: Recipe, *, corner_cutting: bool = True) -> AnyMapTraining:
    """The configuration for a budget; the recipe ``paper`` has the paper's network, with kernels left free."""
    data = AnyMapData(LESSONS, VALIDATION, TEST, corner_cutting=corner_cutting)
    return AnyMapTraining(
        network=LosslessVinConfig(48, HIDDEN) if recipe == "default" else VinConfig(48, hidden=HIDDEN),
        data={"smoke": _smallest, "small": _smaller, "paper": lambda data: data}[budget](data),
        learning=ImitationConfig(stages=(Stage(EPOCHS[budget], 1e-2, "one-cycle"),), batch_problems=8),
    )


def _smaller(data: AnyMapData) -> AnyMapData:
    """The same maps to learn from, and fewer to be judged on."""
    return replace(data, test=tuple(replace(one, maps=min(one.maps, 20)) for one in data.test))


def _smallest(data: AnyMapData) -> AnyMapData:
    """A few maps of the small kinds, to see that everything runs."""
    return replace(
        data,
        lessons=tuple(replace(lesson, maps=16) for lesson in data.lessons if lesson.kind.size <= 16),
        validation=tuple(replace(one, maps=4) for one in data.validation if one.kind.size <= 28),
        test=tuple(replace(one, maps=10) for one in data.test if one.kind.size <= 28),
    )


def judge(model: Model, problems: GridProblems | None, iterations: int | None) -> dict[str, Any]:
    """The scores on the given problems, or on the test maps of every kind."""
    cutting = model.corner_cutting
    if problems is None:
        return judge_sets(model, make_test_sets(TEST, corner_cutting=cutting), cutting, iterations)
    return judge_kind(model, problems, corner_cutting=cutting, iterations=iterations)


def table(runs: Sequence[RecordedRun]) -> str:
    """How each run does on each kind of map."""
    return kinds_table("One planner for any map", runs)


SETTINGS = (
    Setting(
        id="grid/any",
        about="one VIN for maps of any size, random obstacles and mazes alike",
        configure=configure,
    ),
    Setting(
        id="grid/strict",
        about="the same where a diagonal move may not pass an obstacle's corner",
        configure=lambda budget, recipe: configure(budget, recipe, corner_cutting=False),
    ),
)

ANY_MAP = Experiment(
    name="any-map",
    paper="beyond the paper",
    settings={setting.id: setting for setting in SETTINGS},
    learn=train,
    table=table,
    judge=judge,
)

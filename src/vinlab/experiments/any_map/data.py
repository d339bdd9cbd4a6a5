"""Maps of many sets in one training: what to train on, to choose weights by and to test on."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from vinlab.domains.gridworld.expert import demonstrate_everywhere
from vinlab.domains.gridworld.map_sets import MapSet, blocks, mazes, paper, scattered
from vinlab.domains.gridworld.problem import content_hash
from vinlab.experiments.gridworld.data import TEST_STREAM, TRAINING_STREAM, VALIDATION_STREAM
from vinlab.learners.datasets import MixedDemonstrations, TaskSet
from vinlab.types import GridProblems

SEEDS_APART = 10_000
"""Between the streams of two seeds, so that none is that of another set."""


@dataclass(frozen=True)
class TrainingSet:
    """Maps of one set to train on."""

    map_set: MapSet
    maps: int
    iterations: int | None = None
    """K on these maps, enough for nearly all their paths; None for a planner that runs to its fixed point."""


@dataclass(frozen=True)
class EvaluationSet:
    """Maps of one set to evaluate on."""

    map_set: MapSet
    maps: int


TRAINING = (
    *(TrainingSet(paper(size), 120) for size in (8, 16, 28)),
    TrainingSet(blocks(32), 100),
    TrainingSet(blocks(64), 40),
    TrainingSet(blocks(100), 12),
    TrainingSet(scattered(16), 60),
    TrainingSet(scattered(24, 0.1), 60),
    TrainingSet(scattered(24, 0.35), 100),
    TrainingSet(scattered(32, 0.4), 100),
    TrainingSet(scattered(64), 60),
    TrainingSet(scattered(100), 24),
    *(TrainingSet(mazes(15, opened), 60) for opened in (0.0, 0.15)),
    *(TrainingSet(mazes(31, opened), 50) for opened in (0.0, 0.1)),
    *(TrainingSet(mazes(63, opened), 30) for opened in (0.0, 0.1)),
    TrainingSet(mazes(101), 24),
    TrainingSet(mazes(151), 12),
    TrainingSet(mazes(255), 6),
    TrainingSet(mazes(511), 3),
    TrainingSet(mazes(1023), 1),
)
"""For planning to the fixed point: a few large mazes teach that a wall costs more than the longest detour."""

UNROLLED_TRAINING = (
    TrainingSet(paper(8), 300, 16),
    TrainingSet(paper(16), 600, 30),
    TrainingSet(paper(28), 400, 60),
    TrainingSet(blocks(32), 300, 80),
    TrainingSet(scattered(16, 0.25), 400, 30),
    TrainingSet(scattered(24, 0.1), 300, 30),
    TrainingSet(scattered(24, 0.35), 400, 60),
    TrainingSet(scattered(48, 0.25), 100, 80),
    TrainingSet(mazes(15), 500, 90),
    TrainingSet(mazes(15, 0.15), 400, 60),
    TrainingSet(mazes(31), 200, 260),
    TrainingSet(mazes(31, 0.1), 100, 180),
    TrainingSet(mazes(63), 64, 1000),
    TrainingSet(mazes(101), 24, 2300),
)
"""For unrolled backups: many small maps, on which a plan is cheap, and some with long paths.

Large mazes teach how much more than a step a wall must cost: more than the longest detour.
"""

VALIDATION = (
    EvaluationSet(paper(28), 60),
    EvaluationSet(blocks(48), 16),
    EvaluationSet(scattered(64), 12),
    EvaluationSet(mazes(15), 60),
    EvaluationSet(mazes(31), 24),
    EvaluationSet(mazes(63), 8),
    EvaluationSet(mazes(101), 2),
)

LARGE_VALIDATION = (*VALIDATION, EvaluationSet(mazes(255), 1), EvaluationSet(mazes(511), 1))

TEST = (
    EvaluationSet(paper(28), 200),
    EvaluationSet(blocks(64), 200),
    EvaluationSet(scattered(64), 200),
    EvaluationSet(scattered(100), 100),
    *(EvaluationSet(mazes(size), 200) for size in (15, 31, 63)),
    EvaluationSet(mazes(101), 50),
    *(EvaluationSet(mazes(size, 0.1), 200) for size in (15, 31, 63)),
    EvaluationSet(mazes(101, 0.1), 50),
)

LARGE_TEST = (
    *(EvaluationSet(paper(size), 200) for size in (8, 16, 28, 40, 64)),
    EvaluationSet(blocks(64), 200),
    EvaluationSet(scattered(64), 200),
    EvaluationSet(scattered(100), 200),
    *(EvaluationSet(mazes(size, opened), 200) for opened in (0.0, 0.1) for size in (15, 31, 63, 101)),
    *(EvaluationSet(mazes(255, opened), 20) for opened in (0.0, 0.1)),
    *(EvaluationSet(mazes(511, opened), 4) for opened in (0.0, 0.1)),
)


@dataclass(frozen=True)
class AnyMapData:
    """Which maps to train on, to choose weights by and to test on."""

    training: tuple[TrainingSet, ...] = TRAINING
    validation: tuple[EvaluationSet, ...] = LARGE_VALIDATION
    test: tuple[EvaluationSet, ...] = LARGE_TEST
    size: int = 32
    """The side of the maps for which the network's own K is meant; on others it is scaled."""
    corner_cutting: bool = True
    """Whether a diagonal move may pass an obstacle's corner."""


Sets = dict[str, GridProblems]
"""Problems by the name of their set."""

Problems = TypeVar("Problems")


@dataclass(frozen=True)
class MixedSets(Generic[Problems]):
    """Demonstrations, validation problems and test problems by the name of their set, which share no map and goal."""

    demonstrations: MixedDemonstrations
    hash: str
    validation: dict[str, Problems]
    test: dict[str, Problems]


AnyMapSets = MixedSets[GridProblems]


def make_sets(data: AnyMapData, *, seed: int) -> AnyMapSets:
    """All three sets; those for validation and test do not depend on the seed of training."""
    test = make_test_sets(data.test, corner_cutting=data.corner_cutting)
    validation = {
        part.map_set.name: part.map_set.sample(
            part.maps, stream=VALIDATION_STREAM, corner_cutting=data.corner_cutting, apart_from=test.values()
        )
        for part in data.validation
    }
    others = [*test.values(), *validation.values()]
    demonstrations, hash = make_demonstrations(data, seed=seed, apart_from=others)
    return AnyMapSets(demonstrations, hash, validation, test)


def make_test_sets(parts: Sequence[EvaluationSet], *, corner_cutting: bool = True) -> Sets:
    """The problems that every network is tested on."""
    return {
        part.map_set.name: part.map_set.sample(part.maps, stream=TEST_STREAM, corner_cutting=corner_cutting)
        for part in parts
    }


def make_demonstrations(
    data: AnyMapData, *, seed: int, apart_from: Sequence[GridProblems]
) -> tuple[MixedDemonstrations, str]:
    """Demonstrations without any map and goal of the other sets, and a hash of their problems."""
    tasks, hashes, stream = [], [], TRAINING_STREAM + seed * SEEDS_APART
    cutting = data.corner_cutting
    for part in data.training:
        problems = part.map_set.sample(
            part.maps, stream=stream, corner_cutting=cutting, apart_from=apart_from
        )
        demonstrations = demonstrate_everywhere(problems, corner_cutting=cutting)
        tasks.append(TaskSet(demonstrations, part.iterations))
        hashes.append(content_hash(problems))
    return MixedDemonstrations(tasks), hashlib.sha256("".join(hashes).encode()).hexdigest()

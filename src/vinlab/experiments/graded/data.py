"""Maps with costs of many kinds in one training: what to train on, to choose weights by and to test on."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vinlab.domains.gridworld.graded import GradedProblems, GradedSet, content_keys, demonstrate_costs
from vinlab.experiments.any_map.data import SEEDS_APART, MixedSets
from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.gridworld.data import TEST_STREAM, TRAINING_STREAM, VALIDATION_STREAM
from vinlab.learners.datasets import MixedDemonstrations, TaskSet

if TYPE_CHECKING:
    from vinlab.experiments.graded.settings import GradedTraining


@dataclass(frozen=True)
class GradedPart:
    """So many maps of one set."""

    graded_set: GradedSet
    maps: int


TRAINING = (
    *(GradedPart(GradedSet(kind, 16), 60) for kind in ("noise", "patches", "cells", "costmap")),
    *(GradedPart(GradedSet(kind, 32, 100.0), 30) for kind in ("noise", "patches", "cells")),
    *(GradedPart(GradedSet(kind, 32, 1000.0), 30) for kind in ("noise", "patches", "cells")),
    *(GradedPart(GradedSet(kind, 64), 6) for kind in ("noise", "patches", "cells", "costmap")),
    GradedPart(GradedSet("mazes", 15), 60),
    GradedPart(GradedSet("mazes", 31), 30),
    GradedPart(GradedSet("mazes", 101), 4),
    GradedPart(GradedSet("mazes", 31, 1000.0), 20),
    GradedPart(GradedSet("mazes", 255), 1),
)
"""Mazes teach that a wall costs more than the longest detour."""

VALIDATION = (
    *(GradedPart(GradedSet(kind, 32), 12) for kind in ("noise", "patches", "cells", "costmap")),
    *(GradedPart(GradedSet(kind, 64, 1000.0), 6) for kind in ("noise", "patches")),
    GradedPart(GradedSet("mazes", 63), 6),
    GradedPart(GradedSet("mazes", 255), 1),
)

TEST = (
    *(
        GradedPart(GradedSet(kind, size), maps)
        for kind in ("noise", "patches", "cells", "costmap")
        for size, maps in ((32, 100), (64, 100), (128, 50))
    ),
    *(GradedPart(GradedSet(kind, 64, 1000.0), 50) for kind in ("noise", "patches", "cells")),
    *(GradedPart(GradedSet("mazes", size), maps) for size, maps in ((31, 100), (101, 20), (255, 4))),
    GradedPart(GradedSet("noise", 512), 2),
)


@dataclass(frozen=True)
class GradedData:
    """Which maps to train on, to choose weights by and to test on."""

    training: tuple[GradedPart, ...] = TRAINING
    validation: tuple[GradedPart, ...] = VALIDATION
    test: tuple[GradedPart, ...] = TEST
    size: int = 64
    """The side of the largest maps but the mazes."""
    corner_cutting: bool = True


Sets = dict[str, GradedProblems]
"""Problems by the name of their set."""


GradedSets = MixedSets[GradedProblems]


def make_data(config: "GradedTraining", request: TrainingRequest) -> GradedSets:
    """The sets of a run; those for validation and test do not depend on its seed."""
    test = sample_sets(config.data.test, stream=TEST_STREAM)
    validation = sample_sets(config.data.validation, stream=VALIDATION_STREAM, taken=_keys(test))
    stream = TRAINING_STREAM + request.seed * SEEDS_APART
    training = sample_sets(config.data.training, stream=stream, taken=_keys(test) | _keys(validation))
    tasks = [TaskSet(demonstrate_costs(problems), None) for problems in training.values()]
    hash = hashlib.sha256("".join(sorted(_keys(training))).encode()).hexdigest()
    return GradedSets(MixedDemonstrations(tasks), hash, validation, test)


def sample_sets(parts: Sequence[GradedPart], *, stream: int, taken: Collection[str] = ()) -> Sets:
    """The problems of several sets, by name."""
    return {
        part.graded_set.name: part.graded_set.sample(part.maps, stream=stream, taken=taken) for part in parts
    }


def _keys(sets: Sets) -> set[str]:
    return {key for problems in sets.values() for key in content_keys(problems)}

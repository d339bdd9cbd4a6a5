"""The domains of the control experiment: those to train on, to choose weights by and to test on."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from vinlab.domains.control.environment import ParticleWorlds, Physics
from vinlab.domains.control.problem import ControlConfig, ControlProblems, content_hash, sample_problems

VALIDATION_STREAM, TRAINING_STREAM = 4017, 4018
"""Seeds of validation and training domains. The former are the same for every seed of training."""

TEST_STREAMS = {1: 4016, 2: 4020, 3: 4021}
"""Seeds of the test domains by draw. They were drawn anew when results on them might have influenced a choice."""


@dataclass(frozen=True)
class ControlData:
    """Which domains to train on, to choose weights by and to test on."""

    domains: ControlConfig = field(default_factory=ControlConfig)
    size: int = 16
    """Cells along a side of the image."""
    training_domains: int = 200
    validation_domains: int = 60
    test_domains: int = 240
    test_draw: int = 3
    """Which draw of test domains; runs that name none had the second."""
    horizon: int = 100
    """Time steps of a rollout."""


@dataclass(frozen=True)
class TeacherRecord:
    """How the teacher did, and what it took."""

    history: list[dict[str, Any]]
    """The teacher's progress; the last entry is of what it demonstrated."""
    seconds: dict[str, Any]
    """Seconds and simulated steps."""


@dataclass
class ControlSets:
    """Domains for training, validation and test, and what the training tells of itself."""

    training: ParticleWorlds
    validation: ControlProblems
    test: ControlProblems
    source: Path | None
    """A file of demonstrations to read; without it the teacher makes them."""
    teacher: TeacherRecord | None = None
    fit_seconds: float = 0.0

    @property
    def hash(self) -> str:
        """Changes with any training domain."""
        return content_hash(self.training.problems)


def make_sets(data: ControlData, physics: Physics, *, seed: int, source: Path | None = None) -> ControlSets:
    """All three sets; the training domains depend on the seed."""
    return ControlSets(
        ParticleWorlds(make_problems(data, TRAINING_STREAM, data.training_domains, seed), physics),
        make_problems(data, VALIDATION_STREAM, data.validation_domains),
        make_test_problems(data),
        source,
    )


def make_problems(data: ControlData, stream: int, count: int, seed: int = 0) -> ControlProblems:
    """The domains of one of the three sets."""
    return sample_problems(data.domains, count, rng=np.random.default_rng([stream, seed]))


def make_test_problems(data: ControlData) -> ControlProblems:
    """The domains that every network is tested on."""
    return make_problems(data, TEST_STREAMS[data.test_draw], data.test_domains)

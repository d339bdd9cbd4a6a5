"""The problems of the hole world: those to choose weights by and to test on; training maps are always new."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from vinlab.domains.gridworld.problem import GridworldConfig, content_hash, content_keys
from vinlab.domains.holeworld.environment import HoleWorldBatch
from vinlab.domains.holeworld.problem import sample_problems, sample_worlds
from vinlab.learners.trpo.trpo import Draw, TrpoConfig
from vinlab.types import GridProblems

TEST_STREAM, VALIDATION_STREAM, DIFFICULTY_STREAM = 3016, 3017, 2019
"""Seeds of the sets of problems, which are the same for every seed of training."""


@dataclass(frozen=True)
class RlData:
    """Which problems to choose weights by and to test on."""

    size: int
    validation_problems: int = 500
    test_problems: int = 1000
    per_difficulty: int = 200
    """Test problems of each difficulty."""


@dataclass(frozen=True)
class RlSets:
    """Validation and test problems, which share no map and goal."""

    validation: GridProblems
    test: GridProblems

    @property
    def hash(self) -> str:
        """Of the test problems."""
        return content_hash(self.test)

    @property
    def keys(self) -> set[str]:
        """The keys of all maps and goals, none of which is trained on."""
        return {*content_keys(self.test), *content_keys(self.validation)}


def make_sets(data: RlData) -> RlSets:
    """Both sets."""
    test, rng = make_test_problems(data), np.random.default_rng([VALIDATION_STREAM, data.size])
    config, taken = GridworldConfig(size=data.size), set(content_keys(test))
    return RlSets(sample_problems(config, data.validation_problems, rng=rng, taken=taken), test)


def make_test_problems(data: RlData) -> GridProblems:
    """The problems that every network of this size is tested on."""
    rng = np.random.default_rng([TEST_STREAM, data.size])
    return sample_problems(GridworldConfig(size=data.size), data.test_problems, rng=rng)


def make_problems_of_difficulty(data: RlData, difficulty: int) -> GridProblems:
    """Test problems whose start is this many moves from the goal."""
    rng = np.random.default_rng([DIFFICULTY_STREAM, data.size, difficulty])
    config = GridworldConfig(size=data.size)
    return sample_problems(config, data.per_difficulty, rng=rng, difficulty=difficulty)


def training_worlds(size: int, learning: TrpoConfig, taken: Collection[str]) -> Draw:
    """New maps for every iteration, none of them taken; starts are at most ``level`` moves from the goal."""
    config = GridworldConfig(size=size)

    def draw(level: int, rng: np.random.Generator) -> HoleWorldBatch:
        return sample_worlds(
            config, learning.problems, episodes=learning.episodes, hardest=level, rng=rng, taken=taken
        )

    return draw

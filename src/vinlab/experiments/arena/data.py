"""The mazes of peers' benchmarks: what to train on, to choose weights by and to test on."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.motion.expert import demonstrate_everywhere
from vinlab.domains.motion.mazes import GppnMazes, HardMazes
from vinlab.domains.motion.problem import MotionProblems, content_hash
from vinlab.experiments.any_map.data import MixedSets
from vinlab.experiments.arena.tie_break import demonstrate_label_paths
from vinlab.learners.datasets import MixedDemonstrations, TaskSet
from vinlab.planning.moves import motion_named
from vinlab.types import concatenate

TEST_STREAM, VALIDATION_STREAM, TRAINING_STREAM = 2018, 2019, 2020
"""Seeds of the three sets. Test and validation mazes are the same for every seed of training."""

Family = Literal["gppn", "hard", "perfect"]


@dataclass(frozen=True)
class MazeSet:
    """Some mazes of one family and size."""

    family: Family
    size: int
    maps: int

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{self.family} {self.size} × {self.size}"


@dataclass(frozen=True)
class ArenaData:
    """Which mazes to train on, to choose weights by and to test on."""

    motion: str
    training: tuple[MazeSet, ...]
    validation: tuple[MazeSet, ...]
    test: tuple[MazeSet, ...]
    size: int
    """Of the mazes that the network is meant for."""
    targets: Literal["everywhere", "label"] = "everywhere"
    """All optimal moves in all states, or the one move of the label along its path."""


ArenaSets = MixedSets[MotionProblems]


def make_sets(data: ArenaData, *, seed: int) -> ArenaSets:
    """All three sets."""
    moves = motion_named(data.motion)
    test = make_test_sets(data)
    validation = {
        part.name: sample_mazes(part, data.motion, VALIDATION_STREAM, apart_from=test.values())
        for part in data.validation
    }
    others = [*test.values(), *validation.values()]
    tasks, hashes = [], []
    for part in data.training:
        problems = sample_mazes(part, data.motion, TRAINING_STREAM + 10_000 * (seed + 1), apart_from=others)
        demonstrate = demonstrate_label_paths if data.targets == "label" else demonstrate_everywhere
        tasks.append(TaskSet(demonstrate(problems, moves), None))
        hashes.append(content_hash(problems))
    hash = hashlib.sha256("".join(hashes).encode()).hexdigest()
    return ArenaSets(MixedDemonstrations(tasks), hash, validation, test)


def make_test_sets(data: ArenaData) -> dict[str, MotionProblems]:
    """The mazes that every network of a benchmark is tested on."""
    return {part.name: sample_mazes(part, data.motion, TEST_STREAM) for part in data.test}


def sample_mazes(
    part: MazeSet, motion: str, stream: int, *, apart_from: Iterable[MotionProblems] = ()
) -> MotionProblems:
    """Different mazes, none of which is in ``apart_from``, as the generator of a benchmark draws them.

    As with Gated Path Planning Networks a maze may have states without a path.
    """
    taken = {maze.tobytes() for others in apart_from for maze in others.obstacles}
    rng = np.random.default_rng([stream, part.size, ("gppn", "hard", "perfect").index(part.family)])
    parts: list[MotionProblems] = []
    while sum(map(len, parts)) < part.maps:
        drawn = _draw(part, motion, rng)
        new = []
        for index, maze in enumerate(drawn.obstacles):
            key = maze.tobytes()
            if key not in taken:
                taken.add(key)
                new.append(index)
        parts.append(drawn[np.array(new, np.int64)])
    return concatenate(parts)[: part.maps]


def _draw(part: MazeSet, motion: str, rng: np.random.Generator) -> MotionProblems:
    """A batch of mazes; start and goal have a heading where the motion has."""
    size, layers = part.size, motion_named(motion).num_layers
    if part.family == "hard":
        maps, starts, goals = HardMazes().draw_ends(size, size, 20_000, rng=rng)
    else:
        family = GppnMazes() if part.family == "gppn" else MazeConfig(removed_walls=0.0)
        maps, goals = family.draw(size, size, part.maps, rng=rng)
        starts = goals
    heading = rng.integers(layers, size=(len(maps), 1))
    return MotionProblems(maps, *(np.concatenate([ends, heading], axis=1) for ends in (starts, goals)))

"""The problems of the grid-world: those to train on, to choose weights by and to test on."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from vinlab.domains.gridworld.author_data import read_authors_file
from vinlab.domains.gridworld.expert import (
    ExactSolution,
    demonstrate_everywhere,
    demonstrate_trajectories,
    solve,
)
from vinlab.domains.gridworld.problem import (
    GridworldConfig,
    attempt_problems,
    content_hash,
    content_keys,
    sample_problems,
)
from vinlab.experiments.gridworld.rows import TRAINING_SHARE, pack_rows, read_rows
from vinlab.learners.datasets import StateRows
from vinlab.types import Demonstrations, GridProblems, InputError

TEST_STREAM, VALIDATION_STREAM, TRAINING_STREAM, ROW_STREAM = 2016, 2017, 2018, 2019
"""Seeds of the three sets, and of the rows. Test and validation problems are the same for every seed of training."""


@dataclass(frozen=True)
class GridworldData:
    """Which problems to train on, to choose weights by and to test on."""

    size: int
    attempts: int
    """Maps that are tried; some attempts give none, as with the authors."""
    targets: Literal["trajectories", "everywhere"]
    """The expert's one label along seven paths per map (the paper), or all optimal moves in every cell."""
    trajectories: int = 7
    rows: int | None = None
    """States of a map that an update reads together, as the authors pack them; None: all its states."""
    validation_problems: int = 500
    test_problems: int = 1000


@dataclass(frozen=True)
class GridworldSets:
    """Demonstrations, validation problems and test problems, which share no map and goal."""

    demonstrations: Demonstrations
    hash: str
    validation: GridProblems
    test: GridProblems
    rows: StateRows | None = None
    """The same demonstrations as rows of states, without the last seventh, where training reads such rows."""

    @property
    def training(self) -> Demonstrations | StateRows:
        """What training reads."""
        return self.demonstrations if self.rows is None else self.rows

    @property
    def training_maps(self) -> int:
        """The number of maps that training reads."""
        return len(self.demonstrations) if self.rows is None else len(self.rows.owners.unique())

    @cached_property
    def validation_solution(self) -> ExactSolution:
        """Solved once for all epochs."""
        return solve(self.validation)


def make_sets(data: GridworldData, *, seed: int, source: Path | None = None) -> GridworldSets:
    """All three sets; the demonstrations from an authors' file where one is given."""
    test = make_test_problems(data.size, data.test_problems)
    validation = make_validation_problems(data, test)
    demonstrations, hash, kept = make_demonstrations(
        data, seed=seed, apart_from=(test, validation), source=source
    )
    rows = _make_rows(data, demonstrations, kept, seed=seed, source=source) if data.rows else None
    return GridworldSets(demonstrations, hash, validation, test, rows)


def make_test_problems(size: int, count: int = GridworldData.test_problems) -> GridProblems:
    """The problems that every network of this size is tested on."""
    return sample_problems(GridworldConfig(size=size), count, rng=np.random.default_rng([TEST_STREAM, size]))


def make_validation_problems(data: GridworldData, test: GridProblems) -> GridProblems:
    """The problems by which weights are chosen, none of them a test problem."""
    rng, config = np.random.default_rng([VALIDATION_STREAM, data.size]), GridworldConfig(size=data.size)
    return sample_problems(config, data.validation_problems, rng=rng, apart_from=[test])


def make_demonstrations(
    data: GridworldData, *, seed: int, apart_from: tuple[GridProblems, ...], source: Path | None = None
) -> tuple[Demonstrations, str, np.ndarray]:
    """Demonstrations without any map and goal of the other sets, a hash of their problems, and which these are."""
    if source is not None:
        problems, demonstrations = _read_demonstrations(data, source)
    else:
        rng = np.random.default_rng([TRAINING_STREAM, data.size, seed])
        problems = attempt_problems(GridworldConfig(size=data.size), data.attempts, rng=rng)
        if data.targets == "everywhere":
            demonstrations = demonstrate_everywhere(problems)
        else:
            demonstrations = demonstrate_trajectories(problems, rng=rng, trajectories=data.trajectories)
    taken = {key for others in apart_from for key in content_keys(others)}
    kept = np.array([key not in taken for key in content_keys(problems)])
    return demonstrations[torch.from_numpy(kept)], content_hash(problems[kept]), kept


def _make_rows(
    data: GridworldData, demonstrations: Demonstrations, kept: np.ndarray, *, seed: int, source: Path | None
) -> StateRows:
    """The rows to train on: those of the authors' file, or our own of the demonstrations."""
    assert data.rows is not None
    if source is not None:
        rows = read_rows(_file(data, source), demonstrations, kept)
    else:
        rng = np.random.default_rng([ROW_STREAM, data.size, seed])
        rows = pack_rows(demonstrations, data.rows, rng=rng)
    return rows.rows(slice(int(TRAINING_SHARE * len(rows))))


def _file(data: GridworldData, source: Path) -> Path:
    return source / f"gridworld_{data.size}.mat" if source.is_dir() else source


def _read_demonstrations(data: GridworldData, source: Path) -> tuple[GridProblems, Demonstrations]:
    """The maps of an authors' file, or the first of them, with the authors' own labels or with ours in every cell."""
    labelled = read_authors_file(_file(data, source))
    if labelled.obstacles.shape[1] != data.size:
        raise InputError(f"{source}: expected maps of side {data.size}, got {labelled.obstacles.shape[1]}.")
    labelled = labelled.share(data.attempts)
    first = np.unique(labelled.index, return_index=True)[1]
    problems = GridProblems(labelled.obstacles, labelled.states[first], labelled.goals)
    if data.targets == "everywhere":
        return problems, demonstrate_everywhere(problems)
    return problems, labelled.demonstrations()

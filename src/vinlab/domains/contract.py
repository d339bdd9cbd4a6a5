"""What every domain offers: problems to sample, an expert that demonstrates them, and a world to act in."""

from collections.abc import Sized
from typing import Protocol, TypeVar

import numpy as np

from vinlab.types import Demonstrations

Config = TypeVar("Config", contravariant=True)
SampledProblems = TypeVar("SampledProblems", bound=Sized, covariant=True)
SolvedProblems = TypeVar("SolvedProblems", bound=Sized, contravariant=True)


class Sampler(Protocol[Config, SampledProblems]):
    """``problem.py``: makes problems that can be solved, the same ones for the same ``rng``."""

    def __call__(self, config: Config, count: int, *, rng: np.random.Generator) -> SampledProblems:
        """As many problems as asked for."""
        ...


class Demonstrator(Protocol[SolvedProblems]):
    """``expert.py``: solves problems exactly; there may be several, one for each kind of target."""

    def __call__(self, problems: SolvedProblems, *, rng: np.random.Generator) -> Demonstrations:
        """The expert's moves, one entry for each problem and in the same order."""
        ...


class Stepper(Protocol):
    """``environment.py``: the one definition of how the world answers a move, for many problems at once."""

    def __call__(self, world: np.ndarray, states: np.ndarray, moves: np.ndarray, /) -> np.ndarray:
        """The states that follow."""
        ...

"""The contract of a domain: problems to sample, an expert that solves them, an environment to act in.

States and actions are arrays with one entry for each problem, whatever they are: cells and moves, pages and links, or
positions with velocities and forces. ``tests/domains/test_contract.py`` holds every domain to the contract.
"""

from collections.abc import Callable, Sized
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from jaxtyping import Bool

Problems = TypeVar("Problems", bound=Sized)


@runtime_checkable
class Environment(Protocol):
    """``environment.py``: the one definition of the dynamics, for many problems at once."""

    @property
    def starts(self) -> np.ndarray:
        """The initial state of each problem."""
        ...

    def step(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """The states that follow; they depend on states and actions alone."""
        ...

    def reached(self, states: np.ndarray) -> Bool[np.ndarray, " B"]:
        """Which problems are solved in these states."""
        ...


@dataclass(frozen=True)
class Domain(Generic[Problems]):
    """A domain by its three parts."""

    sample: Callable[..., Problems]
    """``problem.py``: ``count`` problems that can be solved; they depend on the generator ``rng`` alone."""
    expert: Callable[[Problems], Callable[[np.ndarray], np.ndarray]]
    """``expert.py``: the controller that gives the action in a state of each problem; it reaches every goal."""
    environment: Callable[[Problems], Environment]
    horizon: int
    """Steps in which the expert reaches every goal."""

"""From easy problems to hard ones: when a learner is ready for the next level."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from vinlab.types import InputError


@runtime_checkable
class Rule(Protocol):
    """When to go on."""

    def is_met(self, level: int, mean_return: float, iterations: int) -> bool:
        """Whether an iteration's mean discounted return, the latest of so many at the level, suffices."""
        ...


@dataclass(frozen=True)
class ReturnRule:
    """The paper's rule: the mean discounted return must exceed 1 - level / 35."""

    scale: float = 35.0

    def is_met(self, level: int, mean_return: float, iterations: int) -> bool:
        """The same for every iteration."""
        return mean_return > 1 - level / self.scale


@dataclass(frozen=True)
class PatientRule:
    """The paper's rule, but no level is kept for ever: at low levels it asks for a nearly perfect policy."""

    scale: float = 35.0
    patience: int = 20
    """After so many iterations a level is left in any case."""

    def is_met(self, level: int, mean_return: float, iterations: int) -> bool:
        """Whether the return suffices or patience has run out."""
        return mean_return > 1 - level / self.scale or iterations >= self.patience


@dataclass(frozen=True)
class CurriculumConfig:
    """Which levels to go through, and by which rule."""

    last: int
    first: int = 1
    rule: ReturnRule | PatientRule = ReturnRule()

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise InputError(f"first must lie in 1..last, but first {self.first} and last {self.last} came.")


class Curriculum:
    """The level that a learner has come to."""

    def __init__(self, config: CurriculumConfig) -> None:
        self.config = config
        self.level = config.first
        self.iterations = 0
        """How many iterations were spent at the level."""

    def advance(self, mean_return: float) -> bool:
        """Whether the mean return of one more iteration takes the learner to the next level; nan does not."""
        self.iterations += 1
        rule, level = self.config.rule, self.level
        if level >= self.config.last or not rule.is_met(level, mean_return, self.iterations):
            return False
        self.level, self.iterations = level + 1, 0
        return True

    def state(self) -> dict[str, int]:
        """What a checkpoint needs."""
        return {"level": self.level, "iterations": self.iterations}

    def restore(self, state: dict[str, int]) -> None:
        """Go on from what ``state`` gave."""
        self.level, self.iterations = state["level"], state["iterations"]

"""A curriculum from easy problems to hard ones, and the rules for the next level."""

from dataclasses import dataclass

from vinlab.learners.training_state import require_count
from vinlab.types import InputError


@dataclass(frozen=True)
class ReturnRule:
    """The paper's rule: the mean discounted return must exceed 1 - level / 35."""

    scale: float = 35.0

    def is_met(self, level: int, mean_return: float, iterations: int) -> bool:
        """Whether the mean return of an iteration at the level suffices, however many there were."""
        return mean_return > 1 - level / self.scale


@dataclass(frozen=True)
class PatientRule(ReturnRule):
    """The paper's rule with a limit of iterations per level: at low levels the rule is hard to meet."""

    patience: int = 20
    """The largest number of iterations at a level."""

    def is_met(self, level: int, mean_return: float, iterations: int) -> bool:
        """Whether the mean return suffices or the limit is reached."""
        return super().is_met(level, mean_return, iterations) or iterations >= self.patience


@dataclass(frozen=True)
class CurriculumConfig:
    """The levels, and the rule for the next one."""

    last: int
    first: int = 1
    rule: ReturnRule | PatientRule = ReturnRule()

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise InputError(f"expected 1 <= first <= last, got first {self.first} and last {self.last}.")


class Curriculum:
    """The current level."""

    def __init__(self, config: CurriculumConfig) -> None:
        self.config = config
        self.level = config.first
        self.iterations = 0
        """The number of iterations at the level."""

    def advance(self, mean_return: float) -> bool:
        """Count one more iteration; True if its mean return raises the level (nan does not)."""
        self.iterations += 1
        rule, level = self.config.rule, self.level
        if level >= self.config.last or not rule.is_met(level, mean_return, self.iterations):
            return False
        self.level, self.iterations = level + 1, 0
        return True

    def state(self) -> dict[str, int]:
        """The entries of a checkpoint."""
        return {"level": self.level, "iterations": self.iterations}

    def restore(self, state: dict[str, int]) -> None:
        """Set what ``state`` returned."""
        self.level, self.iterations = require_count(state["level"], 0), require_count(state["iterations"], 0)

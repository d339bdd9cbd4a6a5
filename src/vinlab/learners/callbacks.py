"""What a learner asks of those around it: somewhere to note what happens, and someone who watches."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from torch import Tensor, nn


@runtime_checkable
class RunLogger(Protocol):
    """Where a learner notes its metrics and keeps what it needs to go on after a kill."""

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Note the metrics of one epoch or iteration."""
        ...

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Keep all that is needed to go on from here; replaces the last one at once or not at all."""
        ...

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """What was kept last, if anything was."""
        ...


@runtime_checkable
class Progress(Protocol):
    """Someone who watches how far the work is."""

    def __call__(self, done: int, total: int, note: str) -> None:
        """``done`` of ``total`` updates are made; the note holds the latest figures in a few words."""
        ...


@dataclass(frozen=True)
class Validation:
    """What a look at the validation problems found."""

    score: float
    """By which the best weights are chosen; more is better."""
    metrics: Mapping[str, float]


Validator = Callable[[nn.Module], Validation]


class NullLogger:
    """Forgets everything: for those who want the weights alone."""

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Nothing is kept."""

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Nothing is kept."""

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """Nothing was kept."""
        return None


def no_progress(done: int, total: int, note: str) -> None:
    """Nobody watches."""

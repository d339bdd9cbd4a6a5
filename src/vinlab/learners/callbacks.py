"""The callbacks of a learner: a logger with checkpoints, progress, validation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from torch import Tensor, nn


@runtime_checkable
class RunLogger(Protocol):
    """Logs metrics and holds the checkpoint of a training."""

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Log the metrics of one epoch or iteration."""
        ...

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Save a checkpoint; it replaces the last one atomically."""
        ...

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """The last checkpoint, if there is one."""
        ...


@runtime_checkable
class Progress(Protocol):
    """Progress callback."""

    def __call__(self, done: int, total: int, note: str) -> None:
        """Report that ``done`` of ``total`` updates are made, with the latest metrics as a short text."""
        ...


@dataclass(frozen=True)
class Validation:
    """The result of a validation."""

    score: float
    """The score by which the best weights are chosen; higher is better."""
    metrics: Mapping[str, float]


MetricsCallback = Callable[[Mapping[str, Any]], None]
"""Receives the metrics of one epoch or iteration."""

Validator = Callable[[nn.Module], Validation]


class NullLogger:
    """Logs nothing and keeps no checkpoint."""

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Do nothing."""

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Do nothing."""

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """There is no checkpoint."""
        return None


class CollectingLogger(NullLogger):
    """Collects the metrics of a part of a training; it keeps no checkpoint."""

    def __init__(self) -> None:
        self.metrics: list[Mapping[str, Any]] = []

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Keep the metrics."""
        self.metrics.append(metrics)


class CallbackLogger:
    """A logger that passes every line of metrics on to a callback too."""

    def __init__(self, logger: RunLogger, callback: MetricsCallback) -> None:
        self._logger, self._callback = logger, callback
        self.save_checkpoint, self.load_checkpoint = logger.save_checkpoint, logger.load_checkpoint

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Log the metrics, then call back."""
        self._logger.log(metrics)
        self._callback(metrics)


def no_progress(done: int, total: int, note: str) -> None:
    """Report nothing."""

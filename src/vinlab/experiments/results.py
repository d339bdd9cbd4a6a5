"""The result of a run: one record behind every ``result.json``."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from vinlab.recording.serialization import to_plain


@dataclass(frozen=True)
class RunResult:
    """What a run measured; the runner adds the time, the best epoch and the number of parameters."""

    scores: Mapping[str, Any]
    """The measures of the table."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What an experiment's table or figures need beyond the scores."""
    training_seconds: float = 0.0
    best_epoch: int | None = None
    """Counted from 1; None where nothing was trained."""
    parameters: int | None = None
    epoch_cpu_seconds: float | None = None
    """Median processor time of an epoch, which other work on the machine hardly disturbs."""

    def to_plain(self) -> dict[str, Any]:
        """As ``result.json`` holds it."""
        known = {
            "best_epoch": self.best_epoch,
            "training_seconds": round(self.training_seconds, 1),
            "epoch_cpu_seconds": self.epoch_cpu_seconds,
            "parameters": self.parameters,
        }
        measured = {name: value for name, value in known.items() if value is not None}
        return to_plain({"scores": self.scores, **measured, **self.extra})


def epoch_cpu_seconds(metrics: Sequence[Mapping[str, Any]]) -> float | None:
    """The median processor time of the epochs that a run logged, if it did."""
    counted = [line["cpu_seconds"] for line in metrics if "epoch" in line and "cpu_seconds" in line]
    return round(statistics.median(counted), 2) if counted else None


def count_parameters(network: nn.Module) -> int:
    """How many numbers are learned."""
    return sum(weight.numel() for weight in network.parameters())

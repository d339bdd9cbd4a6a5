"""Training in several stages, each of which resumes from its own checkpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from vinlab.learners.callbacks import NullLogger, Progress, RunLogger, Validator, no_progress
from vinlab.learners.imitation import Dataset, ImitationConfig, imitate
from vinlab.learners.losses import LossConfig
from vinlab.learners.training_state import Best


@dataclass(frozen=True)
class TrainingStage:
    """One stage of a training: its loss, and how that is minimised."""

    loss: LossConfig
    learning: ImitationConfig


def train_in_stages(
    policy: nn.Module,
    demonstrations: Dataset,
    stages: Sequence[TrainingStage],
    *,
    seed: int,
    validate: Validator | None = None,
    record: RunLogger | None = None,
    progress: Progress = no_progress,
) -> Best:
    """Fit the policy by one stage after the other; each starts from the best weights of the one before.

    Of several stages metrics and checkpoints carry the kind of the loss. A run that was killed resumes in the stage of
    its last checkpoint.
    """
    if not stages:
        raise ValueError("expected at least one stage, got none")
    record = record or NullLogger()
    loggers = [StageLogger(record, stage.loss.kind) if len(stages) > 1 else record for stage in stages]
    first = next((place for place, logger in enumerate(loggers) if logger.load_checkpoint() is not None), 0)
    best = Best()
    options = {"seed": seed, "validate": validate, "progress": progress}
    for stage, logger in list(zip(stages, loggers, strict=True))[first:]:
        fitted = {"loss": stage.loss.build, "record": logger, **options}
        best = imitate(policy, demonstrations, stage.learning, **fitted)
    return best


class StageLogger:
    """The logger of one stage: it names the stage in what it writes, and sees the stage's own checkpoints alone."""

    def __init__(self, record: RunLogger, name: str) -> None:
        self.record = record
        self.name = name

    @property
    def started(self) -> bool:
        """Whether the last checkpoint of the run is one of this stage."""
        return self.load_checkpoint() is not None

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Log the metrics with the name of the stage."""
        self.record.log({"stage": self.name, **metrics})

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Save a checkpoint of this stage."""
        self.record.save_checkpoint(tensors, {**state, "stage": self.name})

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """The last checkpoint, if it is one of this stage."""
        found = self.record.load_checkpoint()
        return found if found is not None and found[1].get("stage") == self.name else None

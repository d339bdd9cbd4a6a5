"""Several trainings in one run, each going on where it was killed."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from vinlab.learners.callbacks import RunLogger


class StageLogger:
    """A record for one training of several: it sees its own checkpoints alone."""

    def __init__(self, record: RunLogger, name: str) -> None:
        self.record = record
        self.name = name

    @property
    def started(self) -> bool:
        """Whether the run was in this chapter when it last made a checkpoint."""
        return self.load_checkpoint() is not None

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Note the metrics with the name of the chapter."""
        self.record.log({"chapter": self.name, **metrics})

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Keep what is needed to go on in this chapter."""
        self.record.save_checkpoint(tensors, {**state, "chapter": self.name})

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """What was kept last, if that was in this chapter."""
        found = self.record.load_checkpoint()
        return found if found is not None and found[1].get("chapter") == self.name else None

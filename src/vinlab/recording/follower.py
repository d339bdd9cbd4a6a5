"""The view of a run for the processes that train along with the one that writes it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from vinlab.recording.checkpoint import load_checkpoint
from vinlab.recording.finished_run import CHECKPOINT


class Follower:
    """Starts from the run's checkpoint and writes nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def log(self, metrics: Mapping[str, Any]) -> None:
        """The writing process notes the metrics."""

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """The writing process makes the checkpoints."""

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """The same moment that the writing process goes on from."""
        checkpoint = load_checkpoint(self.folder / CHECKPOINT)
        return None if checkpoint is None else (checkpoint.tensors, checkpoint.state)

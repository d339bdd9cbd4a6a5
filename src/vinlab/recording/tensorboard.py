"""The same metrics for TensorBoard, for those who have it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from vinlab.recording.run import Run
from vinlab.types import InputError


class WithTensorBoard:
    """A run whose metrics are also written as TensorBoard events into ``tensorboard/`` beside its folder's files."""

    def __init__(self, run: Run, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise InputError("TensorBoard is not installed: pip install 'vinlab[tensorboard]'.") from error
        self._run = run
        self._writer = SummaryWriter(str(folder / "tensorboard"))

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Note the metrics in both places."""
        self._run.log(metrics)
        for name, amount in metrics.items():
            if name != "epoch":
                self._writer.add_scalar(name, amount, metrics["epoch"])
        self._writer.flush()

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """As the run does."""
        self._run.save_checkpoint(tensors, state)

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """As the run does."""
        return self._run.load_checkpoint()

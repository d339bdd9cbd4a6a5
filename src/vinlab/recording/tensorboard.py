"""The metrics of a run as TensorBoard events, beside its own log."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from numbers import Real
from pathlib import Path
from typing import Any

from vinlab.recording.finished_run import METRICS
from vinlab.recording.metrics import complete_lines
from vinlab.recording.run import Run
from vinlab.types import missing_library

STEPS = ("epoch", "iteration")
"""The metrics that count how far a training is."""

STAGE = "stage"
"""The metric that names the stage of a training in several stages."""


class TensorBoardLogger(AbstractContextManager["TensorBoardLogger"]):
    """A run whose numeric metrics are also written as events into ``tensorboard/`` in its folder.

    A metric that is a text is left to the run's own log; a stage's name becomes part of the names of its metrics.
    """

    def __init__(self, run: Run, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise missing_library("--tensorboard", "tensorboard", extra="tensorboard") from error
        self._run = run
        self.save_checkpoint, self.load_checkpoint = run.save_checkpoint, run.load_checkpoint
        self._metrics = folder / METRICS
        self._writer = SummaryWriter(str(folder / "tensorboard"))

    def __exit__(self, *error: object) -> None:
        self._writer.close()

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Write the metrics to both; without an epoch or iteration the line of the log is the step."""
        self._run.log(metrics)
        step = next((metrics[name] for name in STEPS if name in metrics), len(complete_lines(self._metrics)))
        prefix = f"{metrics[STAGE]}/" if STAGE in metrics else ""
        for name, amount in metrics.items():
            if name not in STEPS and isinstance(amount, Real):
                self._writer.add_scalar(f"{prefix}{name}", float(amount), int(step))
        self._writer.flush()

"""The checkpoint of a run: tensors and state in one file, so that they always belong together."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from vinlab.recording.serialization import to_plain
from vinlab.recording.weights import load_tensors_and_metadata, save_tensors
from vinlab.types import InputError

_KEY = "vinlab_checkpoint"


@dataclass(frozen=True)
class Checkpoint:
    """What a run needs to resume as if it had never stopped."""

    tensors: dict[str, Tensor]
    state: dict[str, Any]
    """The learner's state as plain data; nan, inf and integers of any size are preserved."""
    metrics_lines: int
    """The number of lines of metrics before it."""
    seconds: float
    """The duration of the run until then."""


def save_checkpoint(
    path: Path, tensors: Mapping[str, Tensor], state: Mapping[str, Any], *, metrics_lines: int, seconds: float
) -> None:
    """Replace the checkpoint in one step."""
    numbers = {"state": to_plain(state), "metrics_lines": metrics_lines, "seconds": seconds}
    save_tensors(path, tensors, {_KEY: json.dumps(numbers)})


def load_checkpoint(path: Path) -> Checkpoint | None:
    """The checkpoint, or None if there is no file."""
    if not path.exists():
        return None
    tensors, metadata = load_tensors_and_metadata(path)
    try:
        numbers = json.loads(metadata[_KEY])
        return Checkpoint(tensors, numbers["state"], numbers["metrics_lines"], numbers["seconds"])
    except (KeyError, TypeError, json.JSONDecodeError):
        raise InputError(f"{path}: expected a checkpoint, got tensors without the state of a run.") from None

"""The state of an unfinished run, in one file, so that tensors and numbers always belong together."""

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
    """All that a run needs to go on as if it had never stopped."""

    tensors: dict[str, Tensor]
    state: dict[str, Any]
    """The learner's own numbers, as plain data; nan, inf and integers of any size come back as they were."""
    metrics_lines: int
    """How many lines of metrics were written before it."""
    seconds: float
    """How long the run had taken until then."""


def save_checkpoint(
    path: Path, tensors: Mapping[str, Tensor], state: Mapping[str, Any], *, metrics_lines: int, seconds: float
) -> None:
    """Put the checkpoint in the place of the one before, in one step."""
    numbers = {"state": to_plain(state), "metrics_lines": metrics_lines, "seconds": seconds}
    save_tensors(path, tensors, {_KEY: json.dumps(numbers)})


def load_checkpoint(path: Path) -> Checkpoint | None:
    """The checkpoint, or None where none has been written yet."""
    if not path.exists():
        return None
    tensors, metadata = load_tensors_and_metadata(path)
    try:
        numbers = json.loads(metadata[_KEY])
        return Checkpoint(tensors, numbers["state"], numbers["metrics_lines"], numbers["seconds"])
    except (KeyError, TypeError, json.JSONDecodeError):
        raise InputError(
            f"{path} is not a checkpoint: it holds tensors without the state of a run."
        ) from None

"""The checkpoint of a run: tensors, state and metrics in one file, so that they always belong together."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from vinlab.recording.json_files import parse_json, require_fields, require_object
from vinlab.recording.serialization import to_plain
from vinlab.recording.weights import load_tensors_and_metadata, save_tensors
from vinlab.types import InputError

_KEY, _METRICS = "vinlab_checkpoint", "metrics"
_FIELDS = {"state": dict, "metrics_lines": int, "seconds": float}


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
    metrics: bytes | None = None
    """These lines; None in checkpoints of older versions."""


def save_checkpoint(
    path: Path,
    tensors: Mapping[str, Tensor],
    state: Mapping[str, Any],
    *,
    metrics_lines: int,
    seconds: float,
    metrics: bytes | None = None,
) -> None:
    """Replace the checkpoint in one step."""
    numbers = {"state": to_plain(state), "metrics_lines": metrics_lines, "seconds": seconds}
    texts = {_KEY: json.dumps(numbers)} | ({} if metrics is None else {_METRICS: metrics.decode()})
    save_tensors(path, tensors, texts)


def load_checkpoint(path: Path) -> Checkpoint | None:
    """The checkpoint, or None if there is no file."""
    if not path.exists():
        return None
    tensors, texts = load_tensors_and_metadata(path)
    if _KEY not in texts:
        raise InputError(f"{path}: expected a checkpoint, got tensors without the state of a run.")
    name = f"{path}: the state of the run"
    numbers = require_object(parse_json(texts[_KEY], name, not_finite=True), name)
    require_fields(numbers, _FIELDS, name)
    if numbers["metrics_lines"] < 0 or not 0 <= numbers["seconds"] < 1e12:
        raise InputError(f"{name}: expected metrics_lines and seconds of at least 0, got others.")
    metrics = texts[_METRICS].encode() if _METRICS in texts else None
    return Checkpoint(tensors, numbers["state"], numbers["metrics_lines"], float(numbers["seconds"]), metrics)


def previous(path: Path) -> Path:
    """Where the checkpoint before the last one is kept, in case that one is damaged."""
    return path.with_stem(f"{path.stem}.previous")


def load_last_sound_checkpoint(path: Path) -> tuple[Checkpoint | None, str | None]:
    """The last checkpoint or, if that is damaged, the one before; and what was wrong, if anything was."""
    try:
        found = load_checkpoint(path)
    except InputError as error:
        earlier = load_checkpoint(previous(path))
        if earlier is None:
            raise
        return earlier, f"continued from the checkpoint before the last: {error}"
    return (load_checkpoint(previous(path)), None) if found is None else (found, None)

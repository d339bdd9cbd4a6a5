"""Finished runs on disk."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vinlab.recording.files import read_json_object
from vinlab.recording.manifest import Manifest, read_manifest
from vinlab.recording.metrics import read_metrics
from vinlab.types import InputError

MANIFEST: Final = "manifest.json"
METRICS: Final = "metrics.jsonl"
WEIGHTS: Final = "weights.safetensors"
RESULT: Final = "result.json"
CHECKPOINT: Final = "checkpoint.safetensors"
RUN_FILES: Final = (MANIFEST, METRICS, WEIGHTS, RESULT, CHECKPOINT)


@dataclass(frozen=True)
class FinishedRun:
    """A finished run: its folder, manifest and result."""

    folder: Path
    manifest: Manifest
    result: dict[str, Any]

    def metrics(self) -> list[dict[str, Any]]:
        """The records that were logged, in order."""
        return read_metrics(self.folder / METRICS)


def open_run(folder: str | Path) -> FinishedRun:
    """The finished run in the folder."""
    folder = Path(folder)
    if not folder.exists():
        raise InputError(f"There is no folder {folder}.")
    if not folder.is_dir() or not (folder / MANIFEST).exists():
        raise InputError(f"{folder} is not a run: expected a folder with a {MANIFEST}.")
    manifest = read_manifest(folder / MANIFEST)
    if not is_finished(folder):
        raise InputError(
            f"{folder}: expected a finished run, got an unfinished one: continue it with --resume."
        )
    return FinishedRun(folder, manifest, read_json_object(folder / RESULT))


def is_finished(folder: Path) -> bool:
    """Whether the run is finished; the result is written last."""
    return (folder / RESULT).exists()


def stop(error: InputError) -> None:
    """Stop at the first run that cannot be read."""
    raise error


def collect_runs(root: str | Path, *, on_unusable: Callable[[InputError], None] = stop) -> list[FinishedRun]:
    """All finished runs below the folder, sorted by path; ``on_unusable`` is called for the others."""
    root = Path(root)
    if not root.is_dir():
        raise InputError(f"There is no folder {root}.")
    return list(_usable_runs(root, on_unusable))


def _usable_runs(root: Path, on_unusable: Callable[[InputError], None]) -> Iterator[FinishedRun]:
    for manifest in sorted(root.rglob(MANIFEST)):
        try:
            yield open_run(manifest.parent)
        except InputError as error:
            on_unusable(error)

"""Runs as they stand on disk, for whoever reads them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from torch import nn

from vinlab.recording.files import read_json_object
from vinlab.recording.manifest import Manifest, read_manifest
from vinlab.recording.metrics import read_metrics
from vinlab.recording.weights import load_weights
from vinlab.types import InputError

MANIFEST: Final = "manifest.json"
METRICS: Final = "metrics.jsonl"
WEIGHTS: Final = "weights.safetensors"
RESULT: Final = "result.json"
CHECKPOINT: Final = "checkpoint.safetensors"
RUN_FILES: Final = (MANIFEST, METRICS, WEIGHTS, RESULT, CHECKPOINT)


@dataclass(frozen=True)
class FinishedRun:
    """A finished run."""

    folder: Path
    manifest: Manifest
    result: dict[str, Any]

    def metrics(self) -> list[dict[str, Any]]:
        """The records that were logged, in order."""
        return read_metrics(self.folder / METRICS)

    def load_weights(self, module: nn.Module) -> None:
        """Give the module the weights that the run ended with."""
        load_weights(module, self.folder / WEIGHTS)


def open_run(folder: str | Path) -> FinishedRun:
    """The finished run in the folder."""
    folder = Path(folder)
    if not folder.exists():
        raise InputError(f"There is no folder {folder}.")
    if not folder.is_dir() or not (folder / MANIFEST).exists():
        raise InputError(f"{folder} is not a run: a folder with a {MANIFEST} is wanted.")
    manifest = read_manifest(folder / MANIFEST)
    if not is_finished(folder):
        raise InputError(f"The run in {folder} is unfinished: it has no {RESULT} yet, --resume continues it.")
    return FinishedRun(folder, manifest, read_json_object(folder / RESULT))


def is_finished(folder: Path) -> bool:
    """Whether the run came to its end; the result is what is written last."""
    return (folder / RESULT).exists()


def raise_it(error: InputError) -> None:
    """Let the first run that cannot be read stop everything."""
    raise error


def collect_runs(
    root: str | Path, *, on_unusable: Callable[[InputError], None] = raise_it
) -> list[FinishedRun]:
    """All finished runs below the folder, sorted by path; unfinished and broken ones are reported."""
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

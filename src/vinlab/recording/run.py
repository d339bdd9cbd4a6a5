"""A run in the making: a folder that a killed process comes back to, and that nobody overwrites unasked."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from torch import Tensor

from vinlab.recording import finished_run
from vinlab.recording.checkpoint import load_checkpoint, save_checkpoint
from vinlab.recording.files import remove, remove_temporary_files, sync, write_json
from vinlab.recording.finished_run import CHECKPOINT, MANIFEST, METRICS, RESULT, RUN_FILES, WEIGHTS
from vinlab.recording.lock import LOCK_NAME, FolderLock
from vinlab.recording.manifest import Manifest, differences, read_manifest, write_manifest
from vinlab.recording.metrics import append_metrics, count_metrics, keep_metrics
from vinlab.recording.weights import save_tensors
from vinlab.types import InputError


class Run:
    """The one writer of a run's folder, from ``create`` until ``finish`` or ``close``."""

    open = staticmethod(finished_run.open_run)

    def __init__(self, folder: Path, manifest: Manifest, lock: FolderLock) -> None:
        self.folder = folder
        self.manifest = manifest
        self._lock = lock
        self._begun = time.monotonic()
        self._seconds_before = 0.0

    @classmethod
    def create(
        cls, folder: str | Path, manifest: Manifest, *, resume: bool = False, overwrite: bool = False
    ) -> "Run":
        """A run in a new or empty folder, or the unfinished one that is there when asked to resume it."""
        folder = Path(folder)
        lock = _enter(folder)
        try:
            remove_temporary_files(folder, RUN_FILES)
            if _has_room(folder, overwrite):
                write_manifest(folder / MANIFEST, manifest)
                return cls(folder, manifest, lock)
            return cls(folder, _manifest_to_resume(folder, manifest, resume), lock)._rewound()
        except BaseException:
            lock.release()
            raise

    def __enter__(self) -> "Run":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def seconds(self) -> float:
        """How long the run has taken, the parts before it was killed included."""
        return self._seconds_before + time.monotonic() - self._begun

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Add one line to the metrics."""
        append_metrics(self.folder / METRICS, metrics)

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Make this the moment that the run resumes from; metrics logged later are cut off by then."""
        metrics = self.folder / METRICS
        if metrics.exists():
            sync(metrics)
        save_checkpoint(
            self.folder / CHECKPOINT,
            tensors,
            state,
            metrics_lines=count_metrics(metrics),
            seconds=self.seconds,
        )

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """The tensors and the state to go on from, or None at the very start."""
        checkpoint = load_checkpoint(self.folder / CHECKPOINT)
        return None if checkpoint is None else (checkpoint.tensors, checkpoint.state)

    def finish(self, weights: Mapping[str, Tensor], result: Mapping[str, Any]) -> finished_run.FinishedRun:
        """The finished run; the result is written last, so where it is, everything is."""
        self.manifest = replace(self.manifest, seconds=round(self.seconds, 3))
        save_tensors(self.folder / WEIGHTS, weights, {"id": self.manifest.id})
        write_manifest(self.folder / MANIFEST, self.manifest)
        write_json(self.folder / RESULT, result)
        remove(self.folder / CHECKPOINT)
        self.close()
        return finished_run.open_run(self.folder)

    def close(self) -> None:
        """Give the folder free; an unfinished run can be resumed later."""
        self._lock.release()

    def _rewound(self) -> "Run":
        """The run as it stood at its last checkpoint, or at its start."""
        checkpoint = load_checkpoint(self.folder / CHECKPOINT)
        keep_metrics(self.folder / METRICS, checkpoint.metrics_lines if checkpoint else 0)
        self._seconds_before = checkpoint.seconds if checkpoint else 0.0
        write_manifest(self.folder / MANIFEST, self.manifest)
        return self


class ReadOnlyRun:
    """The run for the processes that train along with the one that writes it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def log(self, metrics: Mapping[str, Any]) -> None:
        """The writing process logs the metrics."""

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """The writing process makes the checkpoints."""

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """The checkpoint that the writing process goes on from."""
        checkpoint = load_checkpoint(self.folder / CHECKPOINT)
        return None if checkpoint is None else (checkpoint.tensors, checkpoint.state)


def _enter(folder: Path) -> FolderLock:
    """The folder, made where it is missing, for this process alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot make the folder {folder}: {error.strerror}.") from error
    return FolderLock(folder)


def _has_room(folder: Path, overwrite: bool) -> bool:
    """Whether a new run can start here; one that may be overwritten makes room, and nothing else does."""
    if not (overwrite and (folder / MANIFEST).exists()):
        return all(entry.name == LOCK_NAME for entry in folder.iterdir())
    for name in (RESULT, WEIGHTS, METRICS, CHECKPOINT):  # without its result it is no finished run any more
        remove(folder / name)
    return True


def _manifest_to_resume(folder: Path, wanted: Manifest, resume: bool) -> Manifest:
    """The manifest of the unfinished run that is there, if it is the same run and to be resumed."""
    if not (folder / MANIFEST).exists():
        raise InputError(f"{folder} holds other files: choose another --out, a new or empty folder.")
    if finished_run.is_finished(folder):
        raise InputError(f"{folder} holds a finished run: choose another --out, or --overwrite it.")
    if not resume:
        raise InputError(
            f"{folder} holds an unfinished run: --resume it, --overwrite it, or choose another --out."
        )
    there = read_manifest(folder / MANIFEST)
    different = differences(there, wanted)
    if different:
        raise InputError(
            f"The unfinished run in {folder} is another one, it differs in {', '.join(different)}:"
            " choose another --out, or --overwrite it."
        )
    return _continued(there, wanted)


def _continued(there: Manifest, wanted: Manifest) -> Manifest:
    """The first manifest, with a note where another state of the source goes on."""
    sources = [there.commit, *there.continued_by]
    if wanted.commit is None or wanted.commit == sources[-1]:
        return there
    return replace(there, continued_by=[*there.continued_by, wanted.commit])

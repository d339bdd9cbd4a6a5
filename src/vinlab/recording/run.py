"""An unfinished run: a folder that one process writes, that can be resumed and that is never overwritten unasked."""

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import Tensor

from vinlab.recording import finished_run
from vinlab.recording.checkpoint import load_checkpoint, save_checkpoint
from vinlab.recording.files import remove, remove_temporary_files, sync, write_json
from vinlab.recording.finished_run import CHECKPOINT, MANIFEST, METRICS, RESULT, RUN_FILES, WEIGHTS
from vinlab.recording.lock import LOCK_NAME, FolderLock
from vinlab.recording.manifest import Manifest, differences, read_manifest
from vinlab.recording.metrics import append_metrics, count_metrics, keep_metrics
from vinlab.recording.weights import save_tensors
from vinlab.types import InputError

OLD_FILES = (RESULT, WEIGHTS, METRICS, CHECKPOINT)
"""What is removed of an overwritten run; the result first: without it the run counts as unfinished."""


class Run(AbstractContextManager["Run"]):
    """The only writer of a run's folder, from ``create`` until ``finish`` or ``close``."""

    def __init__(self, folder: Path, manifest: Manifest, lock: FolderLock) -> None:
        self.folder = folder
        self.manifest = manifest
        self._lock = lock
        self._started = time.monotonic()
        self._seconds_before = 0.0

    @classmethod
    def create(
        cls, folder: str | Path, manifest: Manifest, *, resume: bool = False, overwrite: bool = False
    ) -> "Run":
        """A run in a new or empty folder, or with ``resume`` the unfinished run in the folder."""
        folder = Path(folder)
        lock = _lock_folder(folder)
        try:
            remove_temporary_files(folder, RUN_FILES)
            if _is_free(folder, overwrite):
                write_json(folder / MANIFEST, manifest)
                return cls(folder, manifest, lock)
            return cls(folder, _manifest_to_resume(folder, manifest, resume), lock)._rewound()
        except BaseException:
            lock.release()
            raise

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def seconds(self) -> float:
        """The duration of the run, including the parts before it was killed."""
        return self._seconds_before + time.monotonic() - self._started

    def log(self, metrics: Mapping[str, Any]) -> None:
        """Append one line to the metrics."""
        append_metrics(self.folder / METRICS, metrics)

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Save what the run resumes from; metrics logged later are removed on resume."""
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
        """The tensors and the state of the last checkpoint, or None before the first one."""
        checkpoint = load_checkpoint(self.folder / CHECKPOINT)
        return None if checkpoint is None else (checkpoint.tensors, checkpoint.state)

    def finish(self, weights: Mapping[str, Tensor], result: Mapping[str, Any]) -> finished_run.FinishedRun:
        """Write weights and result; the result is written last, so a run with a result is complete."""
        self.manifest = replace(self.manifest, seconds=round(self.seconds, 3))
        save_tensors(self.folder / WEIGHTS, weights, {"id": self.manifest.id})
        write_json(self.folder / MANIFEST, self.manifest)
        write_json(self.folder / RESULT, result)
        remove(self.folder / CHECKPOINT)
        self.close()
        return finished_run.open_run(self.folder)

    def close(self) -> None:
        """Release the folder; an unfinished run can be resumed later."""
        self._lock.release()

    def _rewound(self) -> "Run":
        """The run at its last checkpoint, or at its start."""
        checkpoint = load_checkpoint(self.folder / CHECKPOINT)
        keep_metrics(self.folder / METRICS, checkpoint.metrics_lines if checkpoint else 0)
        self._seconds_before = checkpoint.seconds if checkpoint else 0.0
        write_json(self.folder / MANIFEST, self.manifest)
        return self


class ReadOnlyRun:
    """The run for the other processes of a distributed training: it reads checkpoints and writes nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def log(self, metrics: Mapping[str, Any]) -> None:
        """The writing process logs the metrics."""

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """The writing process makes the checkpoints."""

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """The checkpoint that the writing process resumes from."""
        checkpoint = load_checkpoint(self.folder / CHECKPOINT)
        return None if checkpoint is None else (checkpoint.tensors, checkpoint.state)


def _lock_folder(folder: Path) -> FolderLock:
    """Create the folder if it is missing, and lock it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot create the folder {folder}: {error.strerror}.") from error
    return FolderLock(folder)


def _is_free(folder: Path, overwrite: bool) -> bool:
    """Whether a new run can start here; with ``overwrite`` the files of an old run are removed, and nothing else."""
    if not (overwrite and (folder / MANIFEST).exists()):
        return all(entry.name == LOCK_NAME for entry in folder.iterdir())
    for name in OLD_FILES:
        remove(folder / name)
    return True


def _manifest_to_resume(folder: Path, wanted: Manifest, resume: bool) -> Manifest:
    """The manifest of the unfinished run in the folder, if it is the same run and to be resumed."""
    if not (folder / MANIFEST).exists():
        raise InputError(f"--out: expected a new or empty folder, got {folder}, which holds other files.")
    if finished_run.is_finished(folder):
        raise InputError(f"{folder} holds a finished run: use another --out, or --overwrite.")
    if not resume:
        raise InputError(f"{folder} holds an unfinished run: use --resume, --overwrite or another --out.")
    recorded = read_manifest(folder / MANIFEST)
    different = differences(recorded, wanted)
    if different:
        raise InputError(
            f"--resume: the run in {folder} differs in {', '.join(different)}: use another --out, or --overwrite."
        )
    return _continued(recorded, wanted)


def _continued(recorded: Manifest, wanted: Manifest) -> Manifest:
    """The recorded manifest, which notes the commit that continues the run if it is another one."""
    sources = [recorded.commit, *recorded.continued_by]
    if wanted.commit is None or wanted.commit == sources[-1]:
        return recorded
    return replace(recorded, continued_by=[*recorded.continued_by, wanted.commit])

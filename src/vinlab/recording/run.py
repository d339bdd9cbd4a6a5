"""An unfinished run: a folder that one process writes, that can be resumed and that is never overwritten unasked."""

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import Tensor

from vinlab.recording import finished_run
from vinlab.recording.checkpoint import load_last_sound_checkpoint, previous, save_checkpoint
from vinlab.recording.files import (
    append_line,
    remove,
    remove_temporary_files,
    rename,
    sync,
    write_bytes,
    write_json,
)
from vinlab.recording.finished_run import CHECKPOINT, CHECKSUMS, MANIFEST, METRICS, RESULT, RUN_FILES, WEIGHTS
from vinlab.recording.hashing import plain_hash, text_hash
from vinlab.recording.lock import LOCK_NAME, FolderLock
from vinlab.recording.manifest import SAME_NUMBERS, Manifest, differences, read_manifest, setting_of
from vinlab.recording.metrics import complete_lines, keep_metrics, metrics_line
from vinlab.recording.serialization import standard_json, to_plain
from vinlab.recording.weights import save_tensors
from vinlab.types import InputError

PREVIOUS = previous(Path(CHECKPOINT)).name
OLD_FILES = (RESULT, WEIGHTS, METRICS, CHECKPOINT, PREVIOUS)
"""What is removed of an overwritten run; the result first: without it the run counts as unfinished."""

REPAIRED = f"{METRICS} was damaged and written anew from the checkpoint"


class Run(AbstractContextManager["Run"]):
    """The only writer of a run's folder, from ``create`` until ``finish`` or ``close``."""

    def __init__(self, folder: Path, manifest: Manifest, lock: FolderLock) -> None:
        self.folder = folder
        self.manifest = manifest
        self._lock = lock
        self._started = time.monotonic()
        self._seconds_before = 0.0
        self._metrics: list[bytes] = []
        """The lines of metrics; the file may be damaged while the run goes on."""

    @classmethod
    def create(
        cls,
        folder: str | Path,
        manifest: Manifest,
        *,
        resume: bool = False,
        overwrite: bool = False,
        allow_changes: bool = False,
    ) -> "Run":
        """A run in a new or empty folder, or with ``resume`` the unfinished run in the folder.

        A run is resumed with another number of threads, device or version of a package only with ``allow_changes``,
        and the manifest notes it.
        """
        if resume and overwrite:
            raise InputError(
                "expected --resume or --overwrite, got both: one continues a run, one deletes it."
            )
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"Cannot create the folder {folder}: {error.strerror}.") from error
        lock = FolderLock(folder)
        try:
            remove_temporary_files(folder, RUN_FILES)
            if _is_free(folder, overwrite):
                write_json(folder / MANIFEST, manifest)
                return cls(folder, manifest, lock)
            _require_resumable(folder, resume)
            return cls(folder, _manifest_to_resume(folder, manifest, allow_changes), lock)._rewound()
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
        line = metrics_line(metrics)
        append_line(self.folder / METRICS, line)
        self._metrics.append(line.encode() + b"\n")

    def save_checkpoint(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Save what the run resumes from; metrics logged later are removed on resume."""
        metrics = self.folder / METRICS
        if metrics.exists():
            sync(metrics)
        path = self.folder / CHECKPOINT
        if path.exists():
            rename(path, self.folder / PREVIOUS)
        save_checkpoint(
            path,
            tensors,
            state,
            metrics_lines=len(self._metrics),
            seconds=self.seconds,
            metrics=b"".join(self._metrics),
        )

    def load_checkpoint(self) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
        """The tensors and the state of the last checkpoint, or None before the first one."""
        return _tensors_and_state(self.folder)

    def finish(self, weights: Mapping[str, Tensor], result: Mapping[str, Any]) -> finished_run.FinishedRun:
        """Write weights and result; the result is written last, so a run with a result is complete.

        The metrics are written anew where the file differs from what the run logged.
        """
        path = self.folder / METRICS
        if self._metrics and not (path.is_file() and complete_lines(path) == self._metrics):
            write_bytes(path, b"".join(self._metrics))
            self._note(REPAIRED)
        self.manifest = replace(self.manifest, seconds=round(self.seconds, 3))
        save_tensors(self.folder / WEIGHTS, weights, {"id": self.manifest.id})
        write_json(self.folder / MANIFEST, self.manifest)
        measured = standard_json(to_plain(result))
        checksums = {
            MANIFEST: plain_hash(to_plain(setting_of(self.manifest))),
            METRICS: text_hash(b"".join(self._metrics)),
            RESULT: plain_hash(measured),
        }
        write_json(self.folder / RESULT, {**measured, CHECKSUMS: checksums})
        for name in (CHECKPOINT, PREVIOUS):
            remove(self.folder / name)
        self.close()
        return finished_run.open_run(self.folder)

    def _note(self, change: str) -> None:
        self.manifest = replace(self.manifest, changes=[*self.manifest.changes, change])

    def close(self) -> None:
        """Release the folder; an unfinished run can be resumed later."""
        self._lock.release()

    def _rewound(self) -> "Run":
        """The run at its last sound checkpoint, or at its start."""
        checkpoint, fault = load_last_sound_checkpoint(self.folder / CHECKPOINT)
        path = self.folder / METRICS
        if fault:
            remove(self.folder / CHECKPOINT)
            self._note(fault)
        if checkpoint is None or checkpoint.metrics is None:
            self._metrics = keep_metrics(path, checkpoint.metrics_lines if checkpoint else 0)
        else:
            self._metrics = checkpoint.metrics.splitlines(keepends=True)
            found = complete_lines(path) if path.is_file() else []
            if found[: len(self._metrics)] != self._metrics:
                self._note(REPAIRED)
            write_bytes(path, checkpoint.metrics)
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
        return _tensors_and_state(self.folder)


def _tensors_and_state(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    checkpoint, _ = load_last_sound_checkpoint(folder / CHECKPOINT)
    return None if checkpoint is None else (checkpoint.tensors, checkpoint.state)


def _is_free(folder: Path, overwrite: bool) -> bool:
    """Whether a new run can start here; with ``overwrite`` the files of an old run are removed, and nothing else."""
    if not (overwrite and (folder / MANIFEST).exists()):
        return all(entry.name == LOCK_NAME for entry in folder.iterdir())
    for name in OLD_FILES:
        remove(folder / name)
    return True


def _require_resumable(folder: Path, resume: bool) -> None:
    """Refuse a folder without an unfinished run, and one that is not to be resumed."""
    if not (folder / MANIFEST).exists():
        raise InputError(f"--out: expected a new or empty folder, got {folder}, which holds other files.")
    if finished_run.is_finished(folder):
        raise InputError(f"{folder} holds a finished run: use another --out, or --overwrite.")
    if not resume:
        raise InputError(f"{folder} holds an unfinished run: use --resume, --overwrite or another --out.")


def _manifest_to_resume(folder: Path, wanted: Manifest, allow_changes: bool) -> Manifest:
    """The manifest of the unfinished run in the folder, if it is the same run; it notes what continues the run."""
    recorded = read_manifest(folder / MANIFEST)
    different = differences(recorded, wanted)
    if different:
        raise InputError(
            f"--resume: the run in {folder} differs in {', '.join(different)}: use another --out, or --overwrite."
        )
    changes = differences(recorded, wanted, SAME_NUMBERS)
    if changes and not allow_changes:
        raise InputError(
            f"--resume: the run in {folder} was begun with other {', '.join(changes)}: the result would be another; "
            "resume it as it was begun, or with --allow-changes, which the manifest will note."
        )
    noted = [change for change in changes if change not in recorded.changes]
    continued = replace(recorded, changes=[*recorded.changes, *noted])
    last = [recorded.commit, *recorded.continued_by][-1]
    if wanted.commit in (None, last):
        return continued
    return replace(continued, continued_by=[*recorded.continued_by, wanted.commit])

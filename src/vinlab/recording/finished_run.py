"""Finished runs on disk."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from vinlab.recording.checkpoint import previous
from vinlab.recording.hashing import plain_hash, text_hash
from vinlab.recording.json_files import read_json_object
from vinlab.recording.manifest import Manifest, read_manifest, setting_of
from vinlab.recording.metrics import complete_lines, read_metrics
from vinlab.types import InputError

MANIFEST: Final = "manifest.json"
METRICS: Final = "metrics.jsonl"
WEIGHTS: Final = "weights.safetensors"
RESULT: Final = "result.json"
CHECKPOINT: Final = "checkpoint.safetensors"
RUN_FILES: Final = (MANIFEST, METRICS, WEIGHTS, RESULT, CHECKPOINT, previous(Path(CHECKPOINT)).name)

CHECKSUMS: Final = "checksums"
"""The field of a result with the checksums of the run; older results have none."""
MOST_FOLDERS: Final = 10_000
"""Folders in which runs are looked for, so that no whole disk is walked through."""


@dataclass(frozen=True)
class FinishedRun:
    """A finished run: its folder, manifest and result."""

    folder: Path
    manifest: Manifest
    result: dict[str, Any]
    checksums: dict[str, Any] = field(default_factory=dict)

    def metrics(self) -> list[dict[str, Any]]:
        """The records that were logged, in order."""
        path = self.folder / METRICS
        if METRICS in self.checksums:
            _require_same(path, self.checksums[METRICS], text_hash(b"".join(complete_lines(path))))
        return read_metrics(path)


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
    result = read_json_object(folder / RESULT)
    checksums = result.pop(CHECKSUMS, {})
    if not isinstance(checksums, dict):
        raise InputError(f"{folder / RESULT}: expected an object as {CHECKSUMS}, got something else.")
    for path, content in ((folder / MANIFEST, setting_of(manifest)), (folder / RESULT, result)):
        if path.name in checksums:
            _require_same(path, checksums[path.name], plain_hash(content))
    return FinishedRun(folder, manifest, result, checksums)


def _require_same(path: Path, recorded: object, found: str) -> None:
    if recorded != found:
        raise InputError(
            f"{path} is damaged: expected the checksum {str(recorded)[:12]}… of its content, got another."
        )


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
    found = []
    for folder in sorted(_folders_with_manifest(root)):
        try:
            found.append(open_run(folder))
        except InputError as error:
            on_unusable(error)
    return found


def _folders_with_manifest(root: Path) -> Iterator[Path]:
    for number, (folder, _, files) in enumerate(os.walk(root)):
        if number >= MOST_FOLDERS:
            raise InputError(
                f"{root}: expected a folder of runs with at most {MOST_FOLDERS:,} folders below it, got more."
            )
        if MANIFEST in files:
            yield Path(folder)

"""The diary of a run: one JSON object per line, in the order of the epochs."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vinlab.recording.files import append_line, read_bytes, write_bytes
from vinlab.recording.serialization import standard_json, to_plain
from vinlab.types import InputError


def append_metrics(path: Path, record: Mapping[str, Any]) -> None:
    """Add one record at the end."""
    append_line(path, json.dumps(standard_json(to_plain(record)), allow_nan=False))


def read_metrics(path: str | Path) -> list[dict[str, Any]]:
    """All whole records; what a killed run has left of a last line does not count, no file means none."""
    return [
        _record(Path(path), number, line) for number, line in enumerate(_whole_lines(Path(path)), start=1)
    ]


def count_metrics(path: Path) -> int:
    """How many whole records there are."""
    return len(_whole_lines(path))


def keep_metrics(path: Path, lines: int) -> None:
    """Cut off everything behind the first records."""
    there = _whole_lines(path)
    if len(there) < lines:
        raise InputError(f"{path} is damaged: {lines} records were written, but {len(there)} are there.")
    if path.exists():
        write_bytes(path, b"".join(there[:lines]))


def _whole_lines(path: Path) -> list[bytes]:
    if not path.exists() or path.stat().st_size == 0:
        return []
    return [line for line in read_bytes(path).splitlines(keepends=True) if line.endswith(b"\n")]


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise InputError(f"{path} is damaged: line {number} is not a JSON object.")
    return record

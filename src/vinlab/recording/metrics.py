"""The metrics log of a run: one JSON object per line."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vinlab.recording.files import read_bytes, write_bytes
from vinlab.recording.json_files import parse_json
from vinlab.recording.serialization import standard_json, to_plain
from vinlab.types import InputError

LARGEST_METRICS, MOST_LINES = 16 * 2**20, 100_000
"""Bytes and lines of a log."""


def metrics_line(record: Mapping[str, Any]) -> str:
    """One record as a line of the log."""
    return json.dumps(standard_json(to_plain(record)), allow_nan=False)


def read_metrics(path: str | Path) -> list[dict[str, Any]]:
    """All complete records; a partial last line is ignored, and without a file there are none."""
    path = Path(path)
    return [_record(path, number, line) for number, line in enumerate(complete_lines(path), start=1)]


def keep_metrics(path: Path, lines: int) -> list[bytes]:
    """Remove all but the first records, which are checked and come back."""
    found = complete_lines(path)
    if len(found) < lines:
        raise InputError(f"{path} is damaged: expected {lines} records, got {len(found)}.")
    for number, line in enumerate(found[:lines], start=1):
        _record(path, number, line)
    if path.exists():
        write_bytes(path, b"".join(found[:lines]))
    return found[:lines]


def complete_lines(path: Path) -> list[bytes]:
    """The lines that end with a newline."""
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        return []
    data = read_bytes(path, most=LARGEST_METRICS)
    if (count := data.count(b"\n")) > MOST_LINES:
        raise InputError(f"{path}: expected at most {MOST_LINES:,} records, got {count:,}.")
    return [line + b"\n" for line in data.split(b"\n")[:-1]]


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = parse_json(line, "line")
    except InputError:
        record = None
    if not isinstance(record, dict):
        raise InputError(f"{path} is damaged: expected a JSON object in line {number}, got {line[:40]!r}.")
    return record

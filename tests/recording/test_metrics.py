from pathlib import Path

import pytest

from vinlab.recording import metrics
from vinlab.recording.files import append_line
from vinlab.recording.metrics import complete_lines, keep_metrics, metrics_line, read_metrics
from vinlab.types import InputError


def test_records_come_back_in_order_and_half_a_line_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    assert read_metrics(path) == []
    append_line(path, metrics_line({"epoch": 1, "loss": 0.5}))
    append_line(path, metrics_line({"epoch": 2, "loss": float("nan")}))
    with path.open("a") as file:
        file.write('{"epoch": 3, "lo')
    assert read_metrics(path) == [{"epoch": 1, "loss": 0.5}, {"epoch": 2, "loss": None}]
    assert len(complete_lines(path)) == 2


def test_later_records_are_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    keep_metrics(path, 0)
    assert not path.exists()
    for epoch in range(4):
        append_line(path, metrics_line({"epoch": epoch}))
    keep_metrics(path, 2)
    assert path.read_text(encoding="utf-8") == '{"epoch": 0}\n{"epoch": 1}\n'
    with pytest.raises(InputError, match="expected 3 records, got 2"):
        keep_metrics(path, 3)


@pytest.mark.parametrize("line", ["{oops", "[1]", "\ufffd"])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"epoch": 1}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="expected a JSON object in line 2, got"):
        read_metrics(path)


def test_a_log_of_too_many_bytes_or_lines_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log").write_bytes(b'{"a": 1}\n' * 3)
    monkeypatch.setattr(metrics, "MOST_LINES", 3)
    assert len(read_metrics(tmp_path / "log")) == 3
    monkeypatch.setattr(metrics, "MOST_LINES", 2)
    with pytest.raises(InputError, match="expected at most 2 records, got 3"):
        read_metrics(tmp_path / "log")
    monkeypatch.setattr(metrics, "LARGEST_METRICS", 26)
    with pytest.raises(InputError, match="expected at most 26 bytes, got 27"):
        read_metrics(tmp_path / "log")


def test_only_a_newline_ends_a_record(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b'{"a": 1}\r\n{"b": \r2}\n')
    assert read_metrics(tmp_path / "log") == [{"a": 1}, {"b": 2}]

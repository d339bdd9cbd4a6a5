import errno
import json
import os
from pathlib import Path

import pytest

from vinlab.recording import files
from vinlab.recording.files import (
    append_line,
    write_bytes,
    write_json,
    write_text,
)
from vinlab.recording.json_files import read_json, read_json_object
from vinlab.types import InputError


def disk_full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_bytes(tmp_path / "deep" / "er" / "a", b"\x00\xff")
    write_text(tmp_path / "b", "é")
    write_json(tmp_path / "c", {"x": (1, 2.5), "y": float("nan")})
    assert (tmp_path / "deep" / "er" / "a").read_bytes() == b"\x00\xff"
    assert (tmp_path / "b").read_bytes() == "é".encode()
    assert read_json(tmp_path / "c") == {"x": [1, 2.5], "y": None}
    assert names(tmp_path) == ["b", "c", "deep"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("stop", [disk_full, interrupted])
def test_a_stopped_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, stop: object
) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"old": 1})
    monkeypatch.setattr(os, step, stop)
    with pytest.raises((InputError, KeyboardInterrupt)) as caught:
        write_json(path, {"new": 2})
    if stop is disk_full:
        assert str(caught.value) == f"Cannot write {path}: No space left on device."
    assert read_json(path) == {"old": 1}
    assert names(tmp_path) == ["a.json"]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"^Cannot write .*a: (Not a directory|File exists)\.$"):
        write_text(tmp_path / "file" / "a", "")


def test_a_line_is_appended_wholly_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    append_line(path, "one")

    class HalfFile:
        def __init__(self, file: object) -> None:
            self.file = file

        def __enter__(self) -> "HalfFile":
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()  # type: ignore[attr-defined]

        def write(self, data: bytes) -> None:
            self.file.write(data[:2])  # type: ignore[attr-defined]
            self.file.flush()  # type: ignore[attr-defined]
            disk_full()

    really_open = Path.open
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", lambda self, mode: HalfFile(really_open(self, mode)))
        with pytest.raises(InputError, match="No space left"):
            append_line(path, "two")
    append_line(path, "three")
    assert path.read_text(encoding="utf-8") == "one\nthree\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b'{"a": [1, 2', "the JSON is truncated"),
        (b'{"a": "tex', "the JSON is truncated"),
        (b"\x89PNG\r\n\x1a\n\x00\xff", "it is not a JSON file"),
        (b"hello", "it is not a JSON file"),
        (b"{'a': 1}", "it is not valid JSON"),
        (b"[1]", "expected a JSON object, got a list"),
    ],
)
def test_a_bad_json_file_is_named_with_its_fault(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=sentence) as caught:
        read_json_object(path)
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_json(tmp_path / "a.json")
    with pytest.raises(InputError, match="got a folder"):
        read_json(tmp_path)


def test_only_the_named_left_overs_are_removed(tmp_path: Path) -> None:
    for name in (".a.json.17.tmp", ".theirs.tmp", "a.json"):
        (tmp_path / name).write_text("")
    files.remove_temporary_files(tmp_path, ["a.json"])
    assert names(tmp_path) == [".theirs.tmp", "a.json"]


def test_written_json_is_standard_json(tmp_path: Path) -> None:
    write_json(tmp_path / "a", [float("inf"), float("-inf")])
    json.loads((tmp_path / "a").read_text(encoding="utf-8"), parse_constant=lambda name: pytest.fail(name))

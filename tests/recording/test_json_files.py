"""JSON from unknown sources is read within bounds, or refused in one sentence."""

from pathlib import Path

import pytest

from vinlab.recording import json_files
from vinlab.recording.json_files import parse_json, read_json, require_fields
from vinlab.types import InputError

HOSTILE = {
    "deep nesting": (b"[" * 61 + b"]" * 61, "at most 60 nested levels"),
    "deeper than Python can follow": (b"[" * 100_000, "nested levels"),
    "digits without end": (b"9" * 5000, "at most 300 digits, got one of 5000"),
    "a number beyond floats": (b"1e400", "finite numbers"),
    "a number that is none": (b'{"a": NaN}', "expected standard JSON, got NaN"),
    "infinity": (b"[-Infinity]", "expected standard JSON, got -Infinity"),
    "a field twice": (b'{"a": 1, "a": 2}', "each field once"),
    "half a surrogate pair": (b'{"a": ["\\ud800"]}', "half a surrogate pair"),
    "the same in a name": (b'{"\\ud800": 1}', "half a surrogate pair"),
    "other bytes": (b"\xff\xfe", "not a JSON file"),
    "a cut text": (b'{"a": "b', "truncated"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_json_is_refused(name: str) -> None:
    data, sentence = HOSTILE[name]
    with pytest.raises(InputError, match=sentence):
        parse_json(data, "file")


def test_what_is_within_the_bounds_is_read() -> None:
    assert parse_json(b"[" * 59 + b"1" + b"]" * 59, "file")
    assert parse_json("1" + "0" * 299, "file") == 10**299
    assert parse_json('{"a": "\\ud83d\\ude00"}', "file") == {"a": "\U0001f600"}
    assert parse_json("[Infinity]", "file", not_finite=True) == [float("inf")]


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"[1, 2, 3]")
    assert read_json(tmp_path / "a") == [1, 2, 3]
    with pytest.raises(InputError, match="expected at most 5 bytes, got 9"):
        read_json(tmp_path / "a", most=5)
    assert json_files.LARGEST_JSON < 2**25


@pytest.mark.parametrize("value", [None, "1", True, [1]])
def test_a_field_of_another_type_is_named(value: object) -> None:
    require_fields({"seconds": 1, "lines": 2}, {"seconds": float, "lines": int}, "state")
    with pytest.raises(InputError, match="state: expected a int as lines, got a"):
        require_fields({"lines": value}, {"lines": int}, "state")
    with pytest.raises(InputError, match="state: expected the field lines, got none"):
        require_fields({}, {"lines": int}, "state")


@pytest.mark.parametrize("text", ["[1,1,1]", "[[],[]]", '[{"a":1}]', '{"a":[1]}'])
def test_a_text_of_too_many_values_is_not_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    count = sum(text.count(sign) for sign in ",[{")
    monkeypatch.setattr(json_files, "MOST_VALUES", count)
    assert parse_json(text, "file")
    monkeypatch.setattr(json_files, "MOST_VALUES", count - 1)
    with pytest.raises(InputError, match=f"file: expected at most {count - 1} values, got more"):
        parse_json(text, "file")


@pytest.mark.parametrize("digits", ["1" * 301, "0." + "1" * 299])
def test_a_number_has_at_most_300_digits(digits: str) -> None:
    assert parse_json(digits[:-1], "file") > 0
    with pytest.raises(InputError, match=r"file: expected .*of at most 300 digits"):
        parse_json(digits, "file")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "it is not a JSON file"),
        ("hello", "it is not a JSON file"),
        ("[1,\n2", "the JSON is truncated"),
        ('["a', "the JSON is truncated"),
        ("[1,\n2 3]", r"it is not valid JSON \(.* at line 2\)"),
    ],
)
def test_what_is_wrong_with_a_text_is_said(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=rf"^file: {sentence}\.$"):
        parse_json(text, "file")


def test_a_field_may_be_a_truth_value_where_that_is_expected() -> None:
    require_fields({"clean": True, "seconds": 1.5}, {"clean": bool, "seconds": float}, "state")
    for wrong in (True, "1"):
        with pytest.raises(InputError, match="state: expected a float as seconds, got a"):
            require_fields({"seconds": wrong}, {"seconds": float}, "state")
    with pytest.raises(InputError, match="state: expected a bool as clean, got a int"):
        require_fields({"clean": 1}, {"clean": bool}, "state")

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
import torch

from vinlab.recording.serialization import (
    dataclass_from_plain,
    dataclass_to_plain,
    from_plain,
    shortened,
    standard_json,
    to_plain,
)
from vinlab.types import InputError

Kind = Literal["fast"]


@dataclass(frozen=True)
class Inner:
    rates: tuple[float, ...] = (0.1, 0.2)
    kind: Kind = "fast"


@dataclass(frozen=True)
class Outer:
    inner: Inner
    stages: tuple[Inner, ...]
    out: Path
    limit: float | None = None


def test_nested_configurations_become_plain() -> None:
    inner = {"rates": [0.1, 0.2], "kind": "fast"}
    wanted = {"inner": inner, "stages": [inner], "out": "a/b", "limit": None}
    assert dataclass_to_plain(Outer(Inner(), (Inner(),), Path("a/b"))) == wanted


def test_numbers_of_numpy_and_torch_become_plain() -> None:
    plain = to_plain(
        [np.float32(0.5), np.float64(0.1), np.int64(3), np.bool_(True), torch.tensor(2), np.arange(2)]
    )
    assert plain == [0.5, 0.1, 3, True, 2, [0, 1]]
    assert [type(item) for item in plain] == [float, float, int, bool, int, list]


def test_numbers_that_json_lacks_become_null() -> None:
    assert standard_json({"a": [math.nan, math.inf, 1.0]}) == {"a": [None, None, 1.0]}


@pytest.mark.parametrize("value", [object(), {1: 2}, [lambda: 0]])
def test_what_cannot_be_recorded_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="Cannot record a"):
        to_plain(value)


@dataclass(frozen=True)
class Stage:
    epochs: int
    rate: float = 0.1


@dataclass(frozen=True)
class Other:
    depth: int


@dataclass(frozen=True)
class Config:
    stages: tuple[Stage, ...]
    part: Stage | Other
    size: tuple[int, int] = (3, 4)
    limit: float | None = None
    target: Literal["paths", "sets"] = "sets"
    kind: Kind = "fast"
    notes: dict[str, Any] | None = None


CONFIG = Config((Stage(1), Stage(2, 0.5)), Other(3), limit=2.0, notes={"a": [1]})
PLAIN = dataclass_to_plain(CONFIG)


def test_a_configuration_comes_back_from_json() -> None:
    assert dataclass_from_plain(Config, json.loads(json.dumps(PLAIN))) == CONFIG


def test_fields_with_defaults_may_be_left_out() -> None:
    assert dataclass_from_plain(Stage, {"epochs": 3}) == Stage(3)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"stages": [{"epochs": "1"}]}, r"config\.stages\[0\]\.epochs: expected int, got '1'"),
        ({"stages": [{}]}, r"config\.stages\[0\]: expected a Stage, got one without epochs\."),
        ({"stages": 3}, r"config\.stages: expected a list, got 3"),
        ({"size": [1]}, r"config\.size: expected a list of 2, got \[1\]"),
        ({"target": "x"}, r"config\.target: expected one of 'paths', 'sets', got 'x'"),
        ({"kind": "slow"}, r"config\.kind: expected one of 'fast', got 'slow'"),
        ({"limit": True}, r"config\.limit: expected float, got True"),
        ({"speed": 1}, r"config: expected the fields of Config \(kind, limit.*, got speed"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        dataclass_from_plain(Config, PLAIN | change)


def test_something_else_is_refused() -> None:
    with pytest.raises(InputError, match=r"expected the fields of Config, got \[\]"):
        dataclass_from_plain(Config, [])


@dataclass(frozen=True)
class Shallow:
    kind: ClassVar[str] = "shallow"
    depth: int = 1


def test_the_kind_of_a_class_is_written_and_checked() -> None:
    assert dataclass_to_plain(Shallow()) == {"kind": "shallow", "depth": 1}
    assert dataclass_from_plain(Shallow, {"kind": "shallow", "depth": 2}) == Shallow(2)
    with pytest.raises(InputError, match=r"config\.kind: expected 'shallow', got 'deep'"):
        dataclass_from_plain(Shallow, {"kind": "deep"})


def test_a_value_of_endless_text_is_named_by_its_beginning():
    with pytest.raises(InputError) as error:
        from_plain(int, "x" * 10_000, name="seed")
    assert str(error.value).startswith("seed: expected int, got 'xxx")
    assert len(str(error.value)) < 150


def test_a_text_of_the_longest_length_is_not_shortened() -> None:
    assert shortened("x" * 80) == "x" * 80
    assert shortened("x" * 81) == "x" * 80 + "…"
    assert shortened("abc", most=2) == "ab…"


@pytest.mark.parametrize(
    ("kind", "plain", "found"),
    [
        (float, 3, 3.0),
        (int, 3, 3),
        (bool, True, True),
        (Any, True, True),
        (float | None, None, None),
        (list[int], [1, 2], [1, 2]),
        (tuple[int, str], [1, "a"], (1, "a")),
        (tuple[int, ...], [], ()),
        (int | str, "a", "a"),
    ],
)
def test_plain_values_become_those_of_the_type(kind: Any, plain: Any, found: Any) -> None:
    assert from_plain(kind, plain, "x") == found
    assert type(from_plain(kind, plain, "x")) is type(found)


@pytest.mark.parametrize(
    ("kind", "plain", "sentence"),
    [
        (int, True, "x: expected int, got True"),
        (int, 1.5, "x: expected int, got 1.5"),
        (bool, 1, "x: expected bool, got 1"),
        (float, True, "x: expected float, got True"),
        (type(None), 1, "x: expected null, got 1"),
        (tuple[int, str], [1], "x: expected a list of 2, got"),
        (int | str, 1.5, "x: expected int, got 1.5"),
        (list[int], [1, "a"], r"x\[1\]: expected int, got 'a'"),
    ],
)
def test_values_of_other_types_are_named(kind: Any, plain: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        from_plain(kind, plain, "x")

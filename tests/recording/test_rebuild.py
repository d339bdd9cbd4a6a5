import enum
import json
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from vinlab.recording.serialization import dataclass_from_plain, dataclass_to_plain
from vinlab.types import InputError


class Kind(enum.Enum):
    FAST = "fast"


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
    kind: Kind = Kind.FAST
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
        ({"stages": [{"epochs": "1"}]}, r"config\.stages\[0\]\.epochs must be int, but '1' came"),
        ({"stages": [{}]}, r"config\.stages\[0\] is not a Stage: it lacks epochs, rate"),
        ({"stages": 3}, r"config\.stages must be a list, but 3 came"),
        ({"size": [1]}, r"config\.size must be a list of 2, but \[1\] came"),
        ({"target": "x"}, r"config\.target must be one of 'paths', 'sets', but 'x' came"),
        ({"kind": "slow"}, r"config\.kind must be one of 'fast', but 'slow' came"),
        ({"limit": True}, r"config\.limit must be float, but True came"),
        ({"speed": 1}, r"config has the unknown field speed: Config has kind, limit"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        dataclass_from_plain(Config, PLAIN | change)


def test_something_else_is_refused() -> None:
    with pytest.raises(InputError, match=r"the fields of Config, but \[\] came"):
        dataclass_from_plain(Config, [])

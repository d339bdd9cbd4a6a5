import enum
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from vinlab.recording.serialization import dataclass_to_plain, standard_json, to_plain
from vinlab.types import InputError


class Kind(enum.Enum):
    FAST = "fast"


@dataclass(frozen=True)
class Inner:
    rates: tuple[float, ...] = (0.1, 0.2)
    kind: Kind = Kind.FAST


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

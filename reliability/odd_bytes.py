"""Damage to the bytes and to the JSON of a file, drawn at random."""

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np

Rng = np.random.Generator

DAMAGES: dict[str, Callable[[bytes, Rng], bytes]] = {
    "cut": lambda data, rng: data[: int(rng.integers(len(data)))],
    "cut by a byte": lambda data, rng: data[:-1],
    "without its beginning": lambda data, rng: data[int(rng.integers(1, len(data))) :],
    "a flipped bit": lambda data, rng: flip(data, rng, 1),
    "flipped bits": lambda data, rng: flip(data, rng, 20),
    "a block of zeros": lambda data, rng: overwrite(data, rng, bytes(64)),
    "a block of ones": lambda data, rng: overwrite(data, rng, b"\xff" * 4),
    "a block of noise": lambda data, rng: overwrite(data, rng, rng.bytes(40)),
    "a block twice": lambda data, rng: repeat(data, rng),
    "more behind it": lambda data, rng: data + rng.bytes(100),
    "line ends of another system": lambda data, rng: data.replace(b"\n", b"\r\n"),
}
"""Kinds of damage."""

SAFE_TO_ADD = ("more behind it", "line ends of another system")
"""Damages after which the same result may come out."""


def damaged(data: bytes, rng: Rng) -> tuple[str, bytes]:
    """The data with one kind of damage."""
    name = str(rng.choice(list(DAMAGES)))
    return name, DAMAGES[name](data, rng)


def flip(data: bytes, rng: Rng, count: int) -> bytes:
    """Flip some bits."""
    changed = bytearray(data)
    for _ in range(count):
        changed[int(rng.integers(len(changed)))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def overwrite(data: bytes, rng: Rng, block: bytes) -> bytes:
    """Put a block in place of as many bytes."""
    place = int(rng.integers(len(data)))
    return data[:place] + block[: len(data) - place] + data[place + len(block) :]


def repeat(data: bytes, rng: Rng) -> bytes:
    """Insert a part of the data a second time."""
    first, last = sorted(rng.integers(len(data) + 1, size=2).tolist())
    return data[:last] + data[first:]


NESTED = json.loads("[" * 200 + "]" * 200)
ODD_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    -(2**63),
    10**18,
    10**200,
    0.5,
    -0.0,
    1e308,
    1e-308,
    float("nan"),
    float("inf"),
    "",
    "x",
    "0",
    "NaN",
    "\0",
    "\ud800",
    "../../etc/passwd",
    "x" * 20_000,
    "\u202e\u0000é",
    [],
    {},
    [[]],
    [None],
    [1e308] * 3,
    {"a": 1},
    {"": {}},
    {"kind": "vin"},
    {"kind": ["vin"]},
    NESTED,
]
"""Values that no file of ours holds in that place."""


def odd_json(value: Any, rng: Rng) -> tuple[str, bytes]:
    """The JSON text of a value in which one place is changed, removed or added, or which is no standard JSON."""
    value = copy.deepcopy(value)
    kind = int(rng.integers(10))
    if kind == 0:
        return "endless digits", json.dumps(value).encode().replace(b"0", b"9" * 5000, 1)
    if kind == 1:
        return "a field twice", json.dumps(value).encode().replace(b"{", b'{"seed": 1, "seed": 2, ', 1)
    if kind == 2:
        return "deep nesting", b'{"a": ' * 5000 + b"1" + b"}" * 5000
    parent, key = _place(value, rng)
    if kind in (3, 4):
        del parent[key]
        return f"without {key!r}", _dump(value)
    odd = ODD_VALUES[int(rng.integers(len(ODD_VALUES)))]
    parent[key] = odd
    return f"{key!r} is {str(odd)[:20]!r}", _dump(value)


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


def _place(value: Any, rng: Rng) -> tuple[Any, Any]:
    """A random place in nested data."""
    places = []
    stack = [value]
    while stack:
        item = stack.pop()
        keys = item.keys() if isinstance(item, dict) else range(len(item))
        for key in keys:
            places.append((item, key))
            if isinstance(item[key], dict | list):
                stack.append(item[key])
    return places[int(rng.integers(len(places)))]

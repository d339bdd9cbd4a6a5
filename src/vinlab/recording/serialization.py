"""Configurations and records as plain data for JSON, and back; every field is checked.

A dataclass with a class variable ``kind`` is written with its kind, which tells the class.
"""

import dataclasses
import math
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from vinlab.types import InputError


def to_plain(value: Any) -> Any:
    """The same value made of dicts, lists, strings, numbers, booleans and None alone."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclass_to_plain(value)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InputError(
                    f"Cannot record a dict: expected keys that are texts, got {shortened(repr(key))}."
                )
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, (np.generic, np.ndarray, torch.Tensor)):
        return to_plain(value.tolist())
    if isinstance(value, Path):
        return str(value)
    raise InputError(
        f"Cannot record a value: expected a dataclass, list, dict, text or number, got a {type(value).__name__}."
    )


def dataclass_to_plain(config: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, nested ones and tuples included, and its kind where it has one."""
    plain = {field.name: to_plain(getattr(config, field.name)) for field in dataclasses.fields(config)}
    kind = _kind_of(type(config))
    return plain if kind is None else {"kind": kind, **plain}


def _kind_of(config: type) -> str | None:
    """The class variable ``kind`` of a dataclass, if it has one."""
    names = [field.name for field in dataclasses.fields(config)]
    return None if "kind" in names else getattr(config, "kind", None)


def standard_json(plain: Any) -> Any:
    """The plain value with null for the numbers that standard JSON lacks (nan, inf)."""
    if isinstance(plain, dict):
        return {key: standard_json(item) for key, item in plain.items()}
    if isinstance(plain, list):
        return [standard_json(item) for item in plain]
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


Config = TypeVar("Config")


def dataclass_from_plain(kind: type[Config], plain: Any, *, name: str = "config") -> Config:
    """The inverse of ``dataclass_to_plain``; messages name the value by ``name``."""
    if not isinstance(plain, dict):
        raise _misfit(name, f"the fields of {kind.__name__}", plain)
    expected = _kind_of(kind)
    if expected is not None and plain.get("kind", expected) != expected:
        raise _misfit(f"{name}.kind", repr(expected), plain["kind"])
    if expected is not None:
        plain = {key: value for key, value in plain.items() if key != "kind"}
    known = {field.name: field for field in dataclasses.fields(kind) if field.init}  # type: ignore[arg-type]
    unknown = sorted(plain.keys() - known)
    if unknown:
        expected = ", ".join(sorted(known))
        first = shortened(str(unknown[0]))
        raise InputError(f"{name}: expected the fields of {kind.__name__} ({expected}), got {first}.")
    lacking = [key for key, field in known.items() if key not in plain and _is_required(field)]
    if lacking:
        raise InputError(f"{name}: expected a {kind.__name__}, got one without {', '.join(lacking)}.")
    hints = typing.get_type_hints(kind)
    return kind(**{key: from_plain(hints[key], value, f"{name}.{key}") for key, value in plain.items()})


def _is_required(field: dataclasses.Field) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def from_plain(kind: Any, plain: Any, name: str) -> Any:
    """The value of a type that plain data hold; messages name it by ``name``."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        faults: list[InputError] = []
        for part in parts:  # the first type that fits
            try:
                return from_plain(part, plain, name)
            except InputError as error:
                faults.append(error)
        raise faults[0]
    if origin in (tuple, list):
        return origin(_items(parts, plain, name))
    if origin is typing.Literal:
        if plain not in parts:
            raise _misfit(name, f"one of {', '.join(map(repr, parts))}", plain)
        return plain
    if dataclasses.is_dataclass(kind):
        return dataclass_from_plain(typing.cast(type, kind), plain, name=name)
    return _leaf(origin or kind, plain, name)


def _items(kinds: Sequence[Any], plain: Any, name: str) -> list[Any]:
    if not isinstance(plain, list):
        raise _misfit(name, "a list", plain)
    if len(kinds) == 1 or kinds[-1] is Ellipsis:
        kinds = [kinds[0]] * len(plain)
    if len(kinds) != len(plain):
        raise _misfit(name, f"a list of {len(kinds)}", plain)
    pairs = zip(kinds, plain, strict=True)
    return [from_plain(kind, item, f"{name}[{index}]") for index, (kind, item) in enumerate(pairs)]


def _leaf(kind: Any, plain: Any, name: str) -> Any:
    if kind is Any:
        return plain
    if kind is float and type(plain) is int:
        return float(plain)
    fits = isinstance(plain, kind) and (kind is bool or not isinstance(plain, bool))
    if not fits:
        raise _misfit(name, "null" if kind is type(None) else kind.__name__, plain)
    return plain


def _misfit(name: str, wanted: str, came: Any) -> InputError:
    return InputError(f"{name}: expected {wanted}, got {shortened(repr(came))}.")


def shortened(text: str, most: int = 80) -> str:
    """A text that fits into a sentence."""
    return text if len(text) <= most else f"{text[:most]}…"

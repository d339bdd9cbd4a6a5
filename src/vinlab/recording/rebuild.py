"""Plain data back into the configuration that it was made from, every field checked on the way."""

import dataclasses
import enum
import types
import typing
from collections.abc import Sequence
from typing import Any, TypeVar

from vinlab.types import InputError

Config = TypeVar("Config")


def dataclass_from_plain(kind: type[Config], plain: Any, *, name: str = "config") -> Config:
    """The config that ``dataclass_to_plain`` made plain; the name is for the sentence if it cannot be."""
    if not isinstance(plain, dict):
        raise _misfit(name, f"the fields of {kind.__name__}", plain)
    known = {field.name for field in dataclasses.fields(kind) if field.init}  # type: ignore[arg-type]
    unknown = sorted(plain.keys() - known)
    if unknown:
        raise InputError(
            f"{name} has the unknown field {unknown[0]}: {kind.__name__} has {', '.join(sorted(known))}."
        )
    hints = typing.get_type_hints(kind)
    fields = {key: _from_plain(hints[key], value, f"{name}.{key}") for key, value in plain.items()}
    try:
        return kind(**fields)
    except TypeError:
        lacking = ", ".join(sorted(known - plain.keys()))
        raise InputError(f"{name} is not a {kind.__name__}: it lacks {lacking}.") from None


def _from_plain(kind: Any, plain: Any, name: str) -> Any:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _first_fitting(parts, plain, name)
    if origin in (tuple, list):
        return origin(_items(parts, plain, name))
    if origin is typing.Literal:
        return _member(parts, plain, name)
    if dataclasses.is_dataclass(kind):
        return dataclass_from_plain(typing.cast(type, kind), plain, name=name)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(_member([member.value for member in kind], plain, name))
    return _leaf(origin or kind, plain, name)


def _first_fitting(kinds: Sequence[Any], plain: Any, name: str) -> Any:
    """The value as the first of the kinds that it can be."""
    faults: list[InputError] = []
    for kind in kinds:
        try:
            return _from_plain(kind, plain, name)
        except InputError as error:
            faults.append(error)
    raise faults[0]


def _items(kinds: Sequence[Any], plain: Any, name: str) -> list[Any]:
    if not isinstance(plain, list):
        raise _misfit(name, "a list", plain)
    if len(kinds) == 1 or kinds[-1] is Ellipsis:
        kinds = [kinds[0]] * len(plain)
    if len(kinds) != len(plain):
        raise _misfit(name, f"a list of {len(kinds)}", plain)
    pairs = zip(kinds, plain, strict=True)
    return [_from_plain(kind, item, f"{name}[{index}]") for index, (kind, item) in enumerate(pairs)]


def _member(wanted: Sequence[Any], plain: Any, name: str) -> Any:
    if plain not in wanted:
        raise _misfit(name, f"one of {', '.join(map(repr, wanted))}", plain)
    return plain


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
    return InputError(f"{name} must be {wanted}, but {came!r} came.")

"""Changes to the configuration of a setting: single fields by name, or a whole file as ``vinlab show`` prints it."""

import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from vinlab.models.names import suggestion
from vinlab.networks.configs import NetworkConfig, network_config
from vinlab.recording.json_files import parse_json, read_json_object
from vinlab.recording.serialization import from_plain, shortened
from vinlab.types import InputError

HEAD = ("id", "budget", "recipe", "overrides")
"""What ``vinlab show`` prints beside the configuration."""


def parse_overrides(texts: Sequence[str]) -> dict[str, Any]:
    """The changes that ``NAME=VALUE`` texts name; a value is JSON, and plain words need no quotes."""
    changes: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise InputError(f"--set: expected NAME=VALUE such as learning.epochs=5, got '{text}'.")
        changes[name.strip()] = _value(value.strip())
    return changes


def _value(text: str) -> Any:
    try:
        return parse_json(text, "--set")
    except InputError:
        return text


def read_overrides(path: Path, id: str) -> dict[str, Any]:
    """The changes that a configuration file holds: each of its top-level parts as a whole."""
    plain = read_json_object(path)
    if plain.get("id", id) != id:
        raise InputError(f"{path}: expected the configuration of {id}, got that of {plain['id']}.")
    if isinstance(plain.get("data"), dict):
        plain["data"].pop("source", None)  # where the data came from is no part of the configuration
    return {name: entry for name, entry in plain.items() if name not in HEAD}


def override(config: Any, changes: Mapping[str, Any]) -> Any:
    """The configuration with some fields changed, each by its dotted name."""
    for name, entry in changes.items():
        config = _changed(config, name.split("."), entry, name)
    return config


def _changed(part: Any, path: Sequence[str], entry: Any, name: str) -> Any:
    """A part of the configuration, which is a dataclass or a tuple of them, with one field changed."""
    if isinstance(part, tuple):
        return _changed_items(part, path, entry, name)
    first, *rest = path
    if not is_dataclass(part) or isinstance(part, type):
        raise InputError(f"--set {name}: expected a name without '.{first}', got a field of a single value.")
    known = [field.name for field in fields(part)]
    if first not in known:
        return _changed_stages(part, path, entry, name)
    if rest:
        return replace(part, **{first: _changed(getattr(part, first), rest, entry, name)})
    return replace(part, **{first: _read(typing.get_type_hints(type(part))[first], entry, name)})


def _changed_items(items: tuple, path: Sequence[str], entry: Any, name: str) -> tuple:
    """One item by its number, or without a number every item."""
    if not path[0].isdecimal():
        return tuple(_changed(item, path, entry, name) for item in items)
    number = int(path[0])
    if number >= len(items) or len(path) == 1:
        raise InputError(f"--set {name}: expected a number below {len(items)} and a field, got '{path[0]}'.")
    return (*items[:number], _changed(items[number], path[1:], entry, name), *items[number + 1 :])


def _changed_stages(part: Any, path: Sequence[str], entry: Any, name: str) -> Any:
    """A field that only the stages of a training have is changed in every stage."""
    stages = getattr(part, "stages", ())
    if stages and all(hasattr(stage, path[0]) for stage in stages):
        return replace(part, stages=_changed_items(stages, path, entry, name))
    known = [field.name for field in fields(part)]
    raise InputError(
        f"--set {name}: expected a field of {type(part).__name__}, got '{path[0]}'{suggestion(path[0], known)}"
    )


def _read(kind: Any, entry: Any, name: str) -> Any:
    if kind is NetworkConfig:
        if not isinstance(entry, dict):
            raise InputError(f"--set {name}: expected the fields of a network, got {shortened(repr(entry))}.")
        return network_config(entry)
    return from_plain(kind, entry, name=name)

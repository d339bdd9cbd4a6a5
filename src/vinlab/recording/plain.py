"""Records and configurations as plain data: what JSON can hold."""

import dataclasses
import enum
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
        return {_plain_key(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    return _leaf_to_plain(value)


def dataclass_to_plain(config: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, nested ones and tuples included."""
    return {field.name: to_plain(getattr(config, field.name)) for field in dataclasses.fields(config)}


def standard_json(plain: Any) -> Any:
    """The plain value with null for the numbers that standard JSON lacks (nan, inf)."""
    if isinstance(plain, dict):
        return {key: standard_json(item) for key, item in plain.items()}
    if isinstance(plain, list):
        return [standard_json(item) for item in plain]
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def _leaf_to_plain(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray, torch.Tensor)):
        return to_plain(value.tolist())
    if isinstance(value, enum.Enum):
        return to_plain(value.value)
    if isinstance(value, Path):
        return str(value)
    raise InputError(
        f"Cannot record a {type(value).__name__}: dataclasses, lists, dicts, texts and numbers are wanted."
    )


def _plain_key(key: Any) -> str:
    if not isinstance(key, str):
        raise InputError(f"Cannot record a dict with the key {key!r}: keys must be texts.")
    return key

"""JSON from unknown sources: bounded size, depth and digits, standard numbers, and fields of the expected types."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from vinlab.recording.files import read_bytes
from vinlab.types import InputError

LARGEST_JSON: Final = 16 * 2**20
"""Bytes of a JSON file."""

MOST_VALUES: Final = 2_000_000
"""Values of a JSON text, which take up to 250 bytes each in memory, however short they are written."""

DEEPEST: Final = 60
"""Levels of lists and objects inside each other."""

MOST_DIGITS: Final = 300
"""Digits of a whole number."""


def read_json(path: str | Path, *, most: int = LARGEST_JSON) -> Any:
    """The value that a JSON file of at most so many bytes holds."""
    return parse_json(read_bytes(path, most=most), f"Cannot read {path}")


def read_json_object(path: str | Path) -> dict[str, Any]:
    """The fields of a JSON file that holds one object."""
    return require_object(read_json(path), f"Cannot read {path}")


def parse_json(data: bytes | str, name: str, *, not_finite: bool = False) -> Any:
    """The value of a JSON text; ``not_finite`` permits NaN and Infinity, which standard JSON lacks."""
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        _require_few_values(text)
        value = json.loads(
            text,
            parse_int=_parse_int,
            parse_float=_parse_float,
            parse_constant=None if not_finite else _refuse_constant,
            object_pairs_hook=_object,
        )
    except UnicodeDecodeError:
        raise InputError(f"{name}: it is not a JSON file.") from None
    except RecursionError:
        raise InputError(f"{name}: expected at most {DEEPEST} nested levels, got more.") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{name}: {_fault(error)}.") from None
    except _Unfit as error:
        raise InputError(f"{name}: {error}.") from None
    _require_shallow_text(value, name)
    return value


def require_object(value: Any, name: str) -> dict[str, Any]:
    """The value, if it is a JSON object."""
    if not isinstance(value, dict):
        raise InputError(f"{name}: expected a JSON object, got a {type(value).__name__}.")
    return value


def require_fields(record: Mapping[str, Any], kinds: Mapping[str, type], name: str) -> None:
    """Refuse a record in which one of these fields is missing or of another type; a float may be a whole number."""
    for field, kind in kinds.items():
        if field not in record:
            raise InputError(f"{name}: expected the field {field}, got none.")
        value = record[field]
        fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
        if not fits or (isinstance(value, bool) and kind is not bool):
            raise InputError(f"{name}: expected a {kind.__name__} as {field}, got a {type(value).__name__}.")


class _Unfit(Exception):
    """A number or object that valid JSON has, but no file of ours."""


def _require_few_values(text: str) -> None:
    """Refuse a text with very many values, before they are made; signs inside of strings are counted too."""
    if sum(text.count(sign) for sign in ",[{") > MOST_VALUES:
        raise _Unfit(f"expected at most {MOST_VALUES:,} values, got more")


def _parse_int(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise _Unfit(f"expected numbers of at most {MOST_DIGITS} digits, got one of {len(digits)}")
    return int(digits)


def _parse_float(digits: str) -> float:
    number = float(digits)
    if len(digits) > MOST_DIGITS or not math.isfinite(number):
        raise _Unfit(f"expected finite numbers of at most {MOST_DIGITS} digits, got {digits[:20]}…")
    return number


def _refuse_constant(name: str) -> float:
    raise _Unfit(f"expected standard JSON, got {name}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _Unfit("expected each field once in an object, got one twice")
    return fields


def _require_shallow_text(value: Any, name: str) -> None:
    """Refuse deep nesting and texts that cannot be printed, without recursion."""
    level = [value]
    for _ in range(DEEPEST):
        following: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                following += [*item.keys(), *item.values()]
            elif isinstance(item, list):
                following += item
            elif isinstance(item, str) and not item.isascii():
                _require_printable(item, name)
        if not following:
            return
        level = following
    raise InputError(f"{name}: expected at most {DEEPEST} nested levels, got more.")


def _require_printable(text: str, name: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{name}: expected texts in Unicode, got half a surrogate pair.") from None


def _fault(error: json.JSONDecodeError) -> str:
    """Whether the text is truncated or not JSON at all."""
    if error.doc.lstrip()[:1] not in ("{", "["):
        return "it is not a JSON file"
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        return "the JSON is truncated"
    return f"it is not valid JSON ({error.msg.lower()} at line {error.lineno})"

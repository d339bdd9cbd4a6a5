"""What the page may ask for, every field checked before anything is computed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import UInt8

from vinlab.types import InputError

LARGEST_SIDE = 256
MOST_BACKUPS = 2000
LARGEST_BODY = 2 * 2**20


@dataclass(frozen=True)
class PlanRequest:
    """One map with a start, a goal, and the model that shall plan."""

    model: str
    obstacles: UInt8[np.ndarray, "H W"]
    start: tuple[int, int]
    goal: tuple[int, int]
    iterations: int | None
    corner_cutting: bool
    image: Any = None
    """The picture of the ground, as it came; for models that look at one."""


@dataclass(frozen=True)
class WorldRequest:
    """A random world of some size."""

    kind: str
    height: int
    width: int
    seed: int


def plan_request(fields: Any) -> PlanRequest:
    """The request in a JSON object, or a sentence that says what is wrong with it."""
    fields = _object(fields)
    height, width = _size(fields)
    cells = fields.get("cells")
    if not isinstance(cells, str) or len(cells) != height * width or set(cells) - {"0", "1"}:
        raise InputError(f"cells must be {height * width} letters 0 and 1, row by row.")
    obstacles = (np.frombuffer(cells.encode("ascii"), np.uint8) - ord("0")).reshape(height, width)
    iterations = fields.get("iterations")
    return PlanRequest(
        model=_text(fields, "model"),
        obstacles=obstacles,
        start=_free(fields, "start", obstacles),
        goal=_free(fields, "goal", obstacles),
        iterations=None if iterations is None else _whole(fields, "iterations", 1, MOST_BACKUPS),
        corner_cutting=fields.get("corner_cutting", True) is True,
        image=fields.get("image"),
    )


def world_request(fields: Any) -> WorldRequest:
    """The request in a JSON object, or a sentence that says what is wrong with it."""
    fields = _object(fields)
    kind = _text(fields, "kind")
    if kind not in ("obstacles", "maze", "terrain"):
        raise InputError("kind must be obstacles, maze or terrain.")
    height, width = _size(fields)
    return WorldRequest(kind, height, width, _whole(fields, "seed", 0, 2**32 - 1))


def _object(fields: Any) -> Mapping[str, Any]:
    if not isinstance(fields, dict):
        raise InputError("A JSON object is wanted.")
    return fields


def _text(fields: Mapping[str, Any], name: str) -> str:
    text = fields.get(name)
    if not isinstance(text, str) or len(text) > 200:
        raise InputError(f"{name} must be a short text.")
    return text


def _whole(fields: Mapping[str, Any], name: str, least: int, most: int) -> int:
    number = fields.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
        raise InputError(f"{name} must be a whole number from {least} to {most}.")
    return number


def _size(fields: Mapping[str, Any]) -> tuple[int, int]:
    return _whole(fields, "height", 1, LARGEST_SIDE), _whole(fields, "width", 1, LARGEST_SIDE)


def _free(fields: Mapping[str, Any], name: str, obstacles: np.ndarray) -> tuple[int, int]:
    place = fields.get(name)
    if not isinstance(place, list) or len(place) != 2:
        raise InputError(f"{name} must be [row, column].")
    row, col = (
        _whole({name: entry}, name, 0, side - 1) for entry, side in zip(place, obstacles.shape, strict=True)
    )
    if obstacles[row, col]:
        raise InputError(f"{name} lies on an obstacle.")
    return row, col

"""The requests of the page, every field checked before anything is computed, and the record of a world."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int, Shaped, UInt8

from vinlab.types import InputError

LARGEST_SIDE = 256
MAX_ITERATIONS = 2000
LARGEST_BODY = 2 * 2**20


@dataclass(frozen=True)
class PlanRequest:
    """A map with a start and a goal, and the model that plans."""

    model: str
    obstacles: UInt8[np.ndarray, "H W"]
    start: tuple[int, int]
    goal: tuple[int, int]
    iterations: int | None
    corner_cutting: bool
    image: Any = None
    """The unchecked image of the terrain, for models that take one."""


@dataclass(frozen=True)
class WorldRequest:
    """A random world of some size."""

    kind: str
    height: int
    width: int
    seed: int
    model: str = ""
    """The model that terrain is for; without one, for those that see grey images."""


def plan_request(fields: Any) -> PlanRequest:
    """The request in a JSON object; an InputError names the first wrong field."""
    fields = _object(fields)
    height, width = _size(fields)
    cells = fields.get("cells")
    if not isinstance(cells, str) or len(cells) != height * width or set(cells) - {"0", "1"}:
        raise InputError(f"cells: expected {height * width} characters 0 and 1, row by row, got others.")
    obstacles = (np.frombuffer(cells.encode("ascii"), np.uint8) - ord("0")).reshape(height, width)
    given = fields.get("iterations") is not None
    return PlanRequest(
        model=_text(fields, "model"),
        obstacles=obstacles,
        start=_free(fields, "start", obstacles),
        goal=_free(fields, "goal", obstacles),
        iterations=_whole(fields, "iterations", 1, MAX_ITERATIONS) if given else None,
        corner_cutting=fields.get("corner_cutting", True) is True,
        image=fields.get("image"),
    )


def world_request(fields: Any) -> WorldRequest:
    """The request in a JSON object; an InputError names the first wrong field."""
    fields = _object(fields)
    kind = _text(fields, "kind")
    if kind not in ("obstacles", "maze", "terrain"):
        raise InputError(f"kind: expected obstacles, maze or terrain, got '{kind}'.")
    height, width = _size(fields)
    model = _text(fields, "model") if "model" in fields else ""
    return WorldRequest(kind, height, width, _whole(fields, "seed", 0, 2**32 - 1), model)


def _object(fields: Any) -> Mapping[str, Any]:
    if not isinstance(fields, dict):
        raise InputError(f"expected a JSON object, got {type(fields).__name__}.")
    try:
        json.dumps(fields, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # no answer could repeat it
        raise InputError("expected texts in Unicode, got half a surrogate pair.") from None
    return fields


def _text(fields: Mapping[str, Any], name: str) -> str:
    text = fields.get(name)
    if not isinstance(text, str) or len(text) > 200:
        raise InputError(f"{name}: expected a text of at most 200 characters, got something else.")
    return text


def _whole(fields: Mapping[str, Any], name: str, least: int, most: int) -> int:
    number = fields.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not least <= number <= most:
        raise InputError(f"{name}: expected a whole number from {least} to {most}, got {str(number)[:40]}.")
    return number


def _size(fields: Mapping[str, Any]) -> tuple[int, int]:
    return _whole(fields, "height", 1, LARGEST_SIDE), _whole(fields, "width", 1, LARGEST_SIDE)


def _free(fields: Mapping[str, Any], name: str, obstacles: np.ndarray) -> tuple[int, int]:
    cell = fields.get(name)
    if not isinstance(cell, list) or len(cell) != 2:
        raise InputError(f"{name}: expected [row, column], got {str(cell)[:40]}.")
    row, col = (
        _whole({name: entry}, name, 0, side - 1) for entry, side in zip(cell, obstacles.shape, strict=True)
    )
    if obstacles[row, col]:
        raise InputError(f"{name}: expected a free cell, got an obstacle.")
    return row, col


def world_response(
    obstacles: Shaped[np.ndarray, "H W"], start: Int[np.ndarray, "2"], goal: Int[np.ndarray, "2"]
) -> dict[str, Any]:
    """A world as the page holds it."""
    height, width = obstacles.shape
    cells = (obstacles.astype(np.uint8) + ord("0")).tobytes().decode("ascii")
    return {"height": height, "width": width, "cells": cells, "start": start.tolist(), "goal": goal.tolist()}

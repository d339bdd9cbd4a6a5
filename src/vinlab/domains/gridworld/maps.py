"""Maps from files: a picture whose dark cells are blocked, or an array."""

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from vinlab.domains.gridworld.validation import require_binary, require_map
from vinlab.types import InputError

LARGEST_SIDE = 4096
"""Longer maps are refused before they fill the memory."""


@dataclass(frozen=True)
class ReadMap:
    """A map, and what was assumed to read it."""

    obstacles: UInt8[np.ndarray, "H W"]
    assumed: str


def read_map(path: Path, *, threshold: float = 0.5, index: int = 0) -> ReadMap:
    """The map of a PNG or ``.npz`` file; which of the two it is, its content says."""
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    if head.startswith(b"\x89PNG"):
        return _read_picture(path, threshold)
    if head.startswith(b"PK"):
        return _read_array(path, index)
    raise InputError(f"{path} is neither a PNG picture nor an .npz file of arrays.")


def _read_picture(path: Path, threshold: float) -> ReadMap:
    from PIL import Image, UnidentifiedImageError

    if not 0 < threshold < 1:
        raise InputError(f"threshold must lie between 0 (black) and 1 (white), but {threshold} came.")
    try:
        with Image.open(path, formats=["PNG"]) as picture:
            if max(picture.size) > LARGEST_SIDE:
                raise InputError(
                    f"{path} is {picture.size[0]} x {picture.size[1]}; {LARGEST_SIDE} is the limit."
                )
            grey = np.asarray(picture.convert("RGBA").convert("LA"), dtype=np.float64) / 255
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not a whole PNG picture: {error}.") from error
    # What is transparent shows white paper, which is free.
    brightness = grey[..., 0] * grey[..., 1] + (1 - grey[..., 1])
    obstacles = (brightness < threshold).astype(np.uint8)
    return ReadMap(obstacles, f"Read {_size(obstacles)} from a picture; darker than {threshold} is blocked.")


def _read_array(path: Path, index: int) -> ReadMap:
    try:
        with np.load(path, allow_pickle=False) as file:
            if "obstacles" not in file:
                raise InputError(
                    f"{path} must hold an array 'obstacles', but has {', '.join(file.files) or 'none'}."
                )
            array = file["obstacles"]
    except InputError:
        raise
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} is not a whole .npz file of plain arrays.") from error
    if array.ndim == 3:
        if not 0 <= index < len(array):
            raise InputError(f"index must lie in 0..{len(array) - 1}, the maps in {path}, but {index} came.")
        array = array[index]
    obstacles = require_map(require_binary(array, "obstacles"))
    return ReadMap(obstacles, f"Read {_size(obstacles)} from an array; 1 is blocked.")


def _size(obstacles: np.ndarray) -> str:
    return f"{obstacles.shape[0]} x {obstacles.shape[1]} cells, {obstacles.mean():.1%} of them blocked,"


def parse_cell(text: str, name: str) -> tuple[int, int]:
    """The cell that ``ROW,COL`` names."""
    found = re.fullmatch(r"\s*\(?\s*(-?\d+)\s*,\s*(-?\d+)\s*\)?\s*", text)
    if not found:
        raise InputError(f"{name} must be ROW,COL, two whole numbers, but '{text}' came.")
    return int(found[1]), int(found[2])

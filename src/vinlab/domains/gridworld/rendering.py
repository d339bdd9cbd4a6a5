"""A state of a grid-world as an image and as text, for ``render`` of the environments."""

import numpy as np
from jaxtyping import Int, UInt8

from vinlab.types import InputError

Cell = Int[np.ndarray, " 2"]

RENDER_MODES = ("rgb_array", "ansi")
PIXELS = 16
"""Side of a cell in the image."""

FREE, BLOCKED, GOAL, STATE = ".", "#", "G", "A"
"""The characters of the cells."""


def require_render_mode(mode: str | None) -> str | None:
    """The mode, if it is one of ours."""
    if mode is not None and mode not in RENDER_MODES:
        raise InputError(f"render_mode: expected {' or '.join(RENDER_MODES)}, got '{mode}'.")
    return mode


def render_cells(
    mode: str | None, obstacles: UInt8[np.ndarray, "H W"], state: Cell, goal: Cell
) -> np.ndarray | str | None:
    """What ``render`` gives in this mode."""
    if mode == "ansi":
        return cells_text(obstacles, state, goal)
    return cells_image(obstacles, state, goal) if mode == "rgb_array" else None


def cells_text(obstacles: UInt8[np.ndarray, "H W"], state: Cell, goal: Cell) -> str:
    """A line of characters for each row."""
    cells = np.where(obstacles != 0, BLOCKED, FREE)
    cells[tuple(goal)] = GOAL
    cells[tuple(state)] = STATE
    return "\n".join("".join(row) for row in cells.tolist()) + "\n"


def cells_image(obstacles: UInt8[np.ndarray, "H W"], state: Cell, goal: Cell) -> UInt8[np.ndarray, "h w 3"]:
    """Squares in the colours of the figures, with a disc at the state."""
    import vinlab.figures.style as style

    cells = np.where((obstacles != 0)[..., None], _rgb(style.OBSTACLE), _rgb(style.FREE))
    cells[tuple(goal)] = _rgb(style.GOAL)
    image = cells.repeat(PIXELS, axis=0).repeat(PIXELS, axis=1).astype(np.uint8)
    row, col = (int(place) * PIXELS for place in state)
    image[row : row + PIXELS, col : col + PIXELS][_disc()] = _rgb(style.PREDICTED)
    return image


def _disc() -> np.ndarray:
    places = np.arange(PIXELS) + 0.5 - PIXELS / 2
    return places[:, None] ** 2 + places**2 <= (0.36 * PIXELS) ** 2


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[first : first + 2], 16) for first in (1, 3, 5)], dtype=np.uint8)

"""How ground answers a move: all of it can be crossed, at its cost."""

import numpy as np
from jaxtyping import Int

from vinlab.types import MOVE_OFFSETS


def step(
    shape: tuple[int, int], states: Int[np.ndarray, "*S 2"], moves: Int[np.ndarray, "*S"]
) -> Int[np.ndarray, "*S 2"]:
    """The cell that each move leads to; a move off the picture changes nothing."""
    following = states + MOVE_OFFSETS[moves]
    inside = ((following >= 0) & (following < np.array(shape))).all(axis=-1, keepdims=True)
    return np.where(inside, following, states)

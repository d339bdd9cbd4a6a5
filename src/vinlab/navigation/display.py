"""The range of numbers that a colour scale of a map should span."""

import numpy as np
from jaxtyping import Num, Shaped


def display_range(field: Num[np.ndarray, "H W"], obstacles: Shaped[np.ndarray, "H W"]) -> tuple[float, float]:
    """The lower and upper end of the colour scale.

    An obstacle may cost a thousand times what a free cell does; a scale over both would show all free cells in one
    colour. So the scale extends beyond the free cells by their own range at most.
    """
    free = field[obstacles == 0]
    if not free.size:
        return float(field.min()), float(field.max())
    low, high = float(free.min()), float(free.max())
    return max(float(field.min()), 2 * low - high), min(float(field.max()), 2 * high - low)

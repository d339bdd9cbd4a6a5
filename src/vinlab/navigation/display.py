"""Numbers for the eye: which of them a scale of colours should span."""

import numpy as np
from jaxtyping import Num, Shaped


def display_range(field: Num[np.ndarray, "H W"], obstacles: Shaped[np.ndarray, "H W"]) -> tuple[float, float]:
    """The least and greatest number to tell apart on a map.

    A wall may cost a thousand times what the floor does; a scale that spanned both would show the floor in one
    colour. So it goes no further beyond the free cells than these are apart.
    """
    free = field[obstacles == 0]
    if not free.size:
        return float(field.min()), float(field.max())
    low, high = float(free.min()), float(free.max())
    return max(float(field.min()), 2 * low - high), min(float(field.max()), 2 * high - low)

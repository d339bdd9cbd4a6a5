"""The range of numbers that a colour scale of a map should span."""

import numpy as np
from jaxtyping import Num, Shaped

SMALLEST_RANGE = 0.1
"""Of the numbers of free cells, as a share of their size, that is shown as a range."""


def display_range(field: Num[np.ndarray, "H W"], obstacles: Shaped[np.ndarray, "H W"]) -> tuple[float, float]:
    """The lower and upper end of the colour scale.

    An obstacle may cost a thousand times what a free cell does; a scale over both would show all free cells in one
    colour. So the scale extends beyond the free cells by their own range at most, or where they hardly differ by their
    size, so that obstacles still differ from them.
    """
    free = field[obstacles == 0]
    if not free.size:
        return float(field.min()), float(field.max())
    low, high = float(free.min()), float(free.max())
    size = max(abs(low), abs(high))
    reach = high - low if high - low > SMALLEST_RANGE * size else size
    return max(float(field.min()), low - reach), min(float(field.max()), high + reach)

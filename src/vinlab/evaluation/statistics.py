"""Statistics over seeds and problems."""

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, stdev

from vinlab.types import InputError

_Z_95 = NormalDist().inv_cdf(0.975)


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """The mean and the sample deviation; the deviation of a single value is nan."""
    if not values:
        raise InputError("mean: expected at least one value, got none.")
    return fmean(values), stdev(values) if len(values) > 1 else math.nan


def mean_text(values: Sequence[float], *, digits: int = 3) -> str:
    """``mean ± deviation``, or the mean alone where there is one value."""
    mean, deviation = mean_and_deviation(values)
    return f"{mean:.{digits}f}" if math.isnan(deviation) else f"{mean:.{digits}f} ± {deviation:.{digits}f}"


def wilson_interval(successes: int, total: int) -> tuple[float, float]:
    """The 95 % confidence interval of a success rate (Wilson 1927)."""
    if not 0 <= successes <= total or total < 1:
        raise InputError(
            f"expected 0 to total successes of a total of at least 1, got {successes} of {total}."
        )
    rate, spread = successes / total, _Z_95**2 / total
    centre = (rate + spread / 2) / (1 + spread)
    half = math.sqrt(rate * (1 - rate) * spread + spread**2 / 4) / (1 + spread)
    # Exact at the ends, where rounding would leave 1e-17.
    return 0.0 if successes == 0 else centre - half, 1.0 if successes == total else centre + half

import math

import pytest

from vinlab.evaluation.statistics import mean_and_deviation, mean_text, wilson_interval
from vinlab.types import InputError


def test_mean_and_sample_deviation() -> None:
    assert mean_and_deviation([1.0, 2.0, 3.0]) == (2.0, 1.0)
    assert mean_text([1.0, 2.0, 3.0], digits=1) == "2.0 ± 1.0"
    assert mean_text([0.12345]) == "0.123"
    assert math.isnan(mean_and_deviation([4.0])[1])
    with pytest.raises(InputError, match="expected at least one value, got none"):
        mean_and_deviation([])


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17, Table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 1 - 0.1170, 1.0),
    ],
)
def test_the_interval_is_the_published_one(successes: int, total: int, low: float, high: float) -> None:
    assert wilson_interval(successes, total) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("successes", "total"), [(0, 0), (3, 2), (-1, 2)])
def test_impossible_counts_are_refused(successes: int, total: int) -> None:
    with pytest.raises(InputError, match="expected 0 to total successes"):
        wilson_interval(successes, total)


def test_an_interval_holds_all_that_is_possible_for_one_problem() -> None:
    low, high = wilson_interval(1, 1)
    assert (low, high) == (pytest.approx(0.2065, abs=5e-5), 1.0)
    assert wilson_interval(0, 1) == (0.0, pytest.approx(1 - low))

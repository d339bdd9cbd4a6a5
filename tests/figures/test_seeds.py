"""Curves over seeds."""

import numpy as np
import pytest

from vinlab.figures.seeds import Curve, seeds_figure
from vinlab.types import InputError


def test_the_line_is_the_mean_over_the_seeds_at_the_places_all_of_them_have():
    curve = Curve("VIN", [{1: 0.2, 2: 0.4, 3: 1.0}, {1: 0.4, 2: 0.8}])
    figure = seeds_figure([curve], across="iteration", up="success")
    (line,) = figure.axes[0].get_lines()
    np.testing.assert_allclose(line.get_xdata(), [1, 2])
    np.testing.assert_allclose(line.get_ydata(), [0.3, 0.6])
    assert figure.axes[0].get_legend().get_texts()[0].get_text() == "VIN"


def test_no_two_curves_look_alike():
    curves = [Curve(f"network {index}", [{1: 0.1, 2: 0.2}]) for index in range(10)]
    lines = seeds_figure(curves, across="x", up="y").axes[0].get_lines()
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 10
    with pytest.raises(InputError, match="at most 18 curves, got 19"):
        seeds_figure([curves[0]] * 19, across="x", up="y")


def test_no_curves_are_refused():
    with pytest.raises(InputError, match="at least one"):
        seeds_figure([], across="x", up="y")

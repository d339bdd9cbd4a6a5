"""Slopes are those of planes and cones, on posts that are not square and with gaps."""

import numpy as np
import pytest

from vinlab.domains.mars.rasters.grid import Spacing, even_spacing
from vinlab.domains.mars.rasters.slope import slope_degrees

DOWN, ALONG = 41.3, 39.2


def posts(height, width, down=DOWN, along=ALONG):
    """North-south and east-west metres of each post, from the middle."""
    rows, cols = np.mgrid[:height, :width]
    return (rows - height // 2) * down, (cols - width // 2) * along


@pytest.mark.parametrize("steep", [0.5, 10.0, 35.0])
@pytest.mark.parametrize("towards", [0.0, 30.0, 90.0, 200.0])
def test_an_inclined_plane_is_as_steep_as_it_is_everywhere(steep, towards):
    y, x = posts(40, 50)
    rise = np.tan(np.radians(steep))
    plane = rise * (np.cos(np.radians(towards)) * y + np.sin(np.radians(towards)) * x)
    slope = slope_degrees(plane, even_spacing(40, DOWN, ALONG))
    assert np.abs(slope - steep).max() < 0.01


def test_a_cone_is_as_steep_as_it_is_to_a_tenth_of_a_degree():
    y, x = posts(200, 240)
    radius = np.hypot(y, x)
    cone = -np.tan(np.radians(22.0)) * radius
    slope = slope_degrees(cone, even_spacing(200, DOWN, ALONG))
    away = radius > 12 * DOWN  # differences round the tip off
    away[[0, -1]] = away[:, [0, -1]] = False
    assert np.abs(slope[away] - 22.0).max() < 0.1


def test_the_distances_of_each_row_count():
    plane = np.tile(np.arange(10.0), (3, 1))
    slope = slope_degrees(plane, Spacing(np.ones(3), np.array([1.0, 2.0, 4.0])))
    assert np.allclose(slope[:, 5], np.degrees(np.arctan([1, 1 / 2, 1 / 4])), atol=1e-4)


@pytest.mark.parametrize("hole", [np.nan, -3.4028226550889045e38, np.inf])
def test_no_data_never_bleeds(hole):
    y, x = posts(30, 30, 1.0, 1.0)
    plane = 0.1 * x + 0.05 * y
    expected = slope_degrees(plane, even_spacing(30, 1.0, 1.0))
    plane[12:14, 20] = hole
    slope = slope_degrees(plane, even_spacing(30, 1.0, 1.0))
    gone = np.isnan(slope)
    around = np.zeros_like(gone)
    around[11:15, 20] = around[12:14, 19:22] = True
    assert np.array_equal(gone, around)
    assert np.abs(slope - expected)[~gone].max() < 1e-5


def test_a_single_post_of_no_data_has_no_slope_of_its_own():
    flat = np.zeros((5, 5))
    flat[2, 2] = np.nan
    assert np.isnan(slope_degrees(flat, even_spacing(5, 1.0, 1.0))[2, 2])

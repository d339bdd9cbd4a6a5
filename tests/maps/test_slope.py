"""Slopes cost what the curve says, exactly."""

import math
import tracemalloc

import numpy as np
import pytest
from rasterio.crs import CRS

from helpers.raster_files import write_raster
from vinlab.maps import CostOptions, GridMap, MapOptions, Relief, SlopeCurve, read_map
from vinlab.navigation.graded import cheapest_route
from vinlab.types import MOVE_COSTS, MOVE_OFFSETS, InputError

SIDE, STEEPNESS = 21, 0.25
ROWS, COLS = np.indices((SIDE, SIDE)) - SIDE // 2
CONE = -STEEPNESS * 2.0 * np.hypot(ROWS, COLS)
"""A cone whose flank falls by a quarter of the distance from its top, on cells of 2 m."""


def test_a_cone_costs_what_its_slope_says_in_every_move():
    curve = SlopeCurve(uphill=0.2, downhill=0.1, limit=40.0)
    costs = Relief(CONE, (2.0, 2.0), curve).move_costs()
    for move, (down, right) in enumerate(MOVE_OFFSETS.tolist()):
        for row, col in ((3, 4), (10, 10), (10, 15), (15, 15), (1, 19)):
            before, after = (math.hypot(row - 10 + step * down, col - 10 + step * right) for step in (0, 1))
            rise = -STEEPNESS * 2.0 * (after - before)
            degrees = math.degrees(math.atan(rise / (2.0 * math.hypot(down, right))))
            factor = 1 + (0.2 if degrees > 0 else 0.1) * abs(degrees)
            assert costs[move, row, col] == pytest.approx(MOVE_COSTS[move] * factor, rel=1e-12)


def test_straight_up_and_down_a_cone_every_move_has_the_slope_of_its_flank():
    costs = Relief(CONE, (2.0, 2.0), SlopeCurve(uphill=0.2, downhill=0.1)).move_costs()
    flank = math.degrees(math.atan(STEEPNESS))
    for move, (down, right) in enumerate(MOVE_OFFSETS.tolist()):
        for steps in range(1, 9):
            row, col = 10 + steps * down, 10 + steps * right
            assert costs[move, row, col] == pytest.approx(MOVE_COSTS[move] * (1 + 0.1 * flank), rel=1e-12)
            row, col = 10 - steps * down, 10 - steps * right
            assert costs[move, row, col] == pytest.approx(MOVE_COSTS[move] * (1 + 0.2 * flank), rel=1e-12)


def test_a_slope_of_the_limit_is_possible_and_a_steeper_one_is_not():
    heights = np.array([[0.0, math.tan(math.radians(30.0)), 2.0]])
    costs = Relief(heights).move_costs()
    assert costs[2, 0, 0] == pytest.approx(4.0)
    assert np.isinf(costs[2, 0, 1])
    assert np.isinf(costs[3, 0, 2])
    assert np.isinf(costs[0]).all()


def test_tobler_is_1_on_level_ground_and_easiest_slightly_downhill():
    curve = SlopeCurve("tobler", limit=45.0)
    easiest = math.degrees(math.atan(-0.05))
    level, down, up = curve.factor(np.array([0.0, easiest, 10.0]))
    assert level == pytest.approx(1.0)
    assert down == pytest.approx(math.exp(-3.5 * 0.05))
    assert up == pytest.approx(math.exp(3.5 * math.tan(math.radians(10.0))))


def test_a_geotiff_of_heights_takes_the_size_of_its_cells_and_one_in_degrees_is_refused(tmp_path):
    path = write_raster(tmp_path / "cone.tif", CONE.astype(np.float32), pixel=2.0)
    map = read_map(path, MapOptions(grading=CostOptions("elevation")))
    expected = Relief(CONE.astype(np.float32).astype(np.float64), (2.0, 2.0)).move_costs()
    np.testing.assert_allclose(map.relief.move_costs(), expected)
    assert "steeper than 30 degrees is impossible" in map.assumptions
    path = write_raster(tmp_path / "geo.tif", CONE.astype(np.float32), pixel=0.01, crs=CRS.from_epsg(4326))
    with pytest.raises(InputError, match="got a map in degrees; give --cell-size"):
        read_map(path, MapOptions(grading=CostOptions("elevation")))
    map = read_map(path, MapOptions(grading=CostOptions("elevation", cell_size=2.0)))
    np.testing.assert_allclose(map.relief.move_costs(), expected)


def test_an_array_of_slopes_costs_what_the_curve_says_in_every_cell(tmp_path):
    np.save(tmp_path / "slope.npy", np.array([[0.0, 10.0], [30.0, 31.0]]))
    map = read_map(tmp_path / "slope.npy", MapOptions(grading=CostOptions("slope")))
    np.testing.assert_allclose(map.costs, [[1.0, 2.0], [4.0, 1.0]])
    assert map.obstacles.tolist() == [[0, 0], [0, 1]]
    for wrong in (-1.0, 90.0):
        np.save(tmp_path / "slope.npy", np.array([[wrong]]))
        with pytest.raises(InputError, match="expected slopes of 0 to 90 degrees"):
            read_map(tmp_path / "slope.npy", MapOptions(grading=CostOptions("slope")))


def test_curves_and_heights_that_make_no_sense_are_refused():
    for wrong in (0.0, 90.0, -5.0, math.nan):
        with pytest.raises(InputError, match="expected a slope above 0 and below 90"):
            SlopeCurve(limit=wrong)
    with pytest.raises(InputError, match="uphill: expected a finite number of at least 0"):
        SlopeCurve(uphill=-1.0)
    with pytest.raises(InputError, match="elevation: expected finite heights, got nan"):
        Relief(np.array([[np.nan]]))


def test_planning_over_heights_never_holds_two_sets_of_all_moves():
    side = 300
    heights = np.random.default_rng(0).normal(size=(side, side)).cumsum(axis=0) / 20
    map = GridMap(np.zeros((side, side), np.uint8), "", relief=Relief(heights))
    cheapest_route(map, (0, 0), [(0, 1)], corner_cutting=True)  # compiles
    tracemalloc.start()
    cheapest_route(map, (0, 0), [(side - 1, side - 1)], corner_cutting=True)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 135 * side**2  # the eight costs are 64 bytes a cell


def test_cells_that_are_no_squares_make_slopes_along_their_own_sides():
    heights = np.array([[0.0, 1.0], [3.0, 7.0]])
    slopes = Relief(heights, (3.0, 4.0)).slopes()
    for move, (down, right) in enumerate(MOVE_OFFSETS.tolist()):
        for row, col in np.ndindex(2, 2):
            if not (0 <= row + down < 2 and 0 <= col + right < 2):
                assert np.isnan(slopes[move, row, col])
                continue
            rise = heights[row + down, col + right] - heights[row, col]
            run = math.hypot(3.0 * down, 4.0 * right)
            assert slopes[move, row, col] == pytest.approx(math.degrees(math.atan2(rise, run)))


def test_the_cost_of_a_slope_is_that_of_its_side_of_level_ground():
    curve = SlopeCurve(uphill=0.5, downhill=0.25, limit=20.0)
    found = curve.factor(np.array([-20.1, -20.0, -4.0, 0.0, 4.0, 20.0, 20.1]))
    assert found.tolist() == [np.inf, 6.0, 2.0, 1.0, 3.0, 11.0, np.inf]
    assert SlopeCurve(uphill=0.0, downhill=0.0).factor(np.array([-5.0, 5.0])).tolist() == [1.0, 1.0]


def test_what_a_slope_costs_is_said():
    assert SlopeCurve().words(directed=False) == (
        "a cell costs 1 + 0.1 for each degree; steeper than 30 degrees is impossible"
    )
    assert SlopeCurve(limit=20.0).words(directed=True) == (
        "a move costs its length x (1 + 0.1 for each degree uphill, or 0.05 downhill); "
        "steeper than 20 degrees is impossible"
    )
    assert SlopeCurve("tobler").words(directed=True).startswith("a move costs its length by Tobler's")


def test_elevations_may_be_scaled_and_cells_given_a_size(tmp_path):
    np.save(tmp_path / "heights.npy", np.array([[0.0, 1.0, np.nan]]))
    options = CostOptions("elevation", cost_scale=3.0, cell_size=6.0, cost_limit=27.0)
    map = read_map(tmp_path / "heights.npy", MapOptions(grading=options))
    assert map.relief.elevation.tolist() == [[0.0, 3.0, 0.0]]
    assert map.relief.cell_size == (6.0, 6.0)
    assert map.relief.curve.limit == 27.0
    assert map.obstacles.tolist() == [[0, 0, 1]]
    assert "elevations (times 3) and cells 6 x 6 units of the elevation" in map.assumptions

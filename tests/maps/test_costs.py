"""Values become costs by the stated rules, and what cannot be a cost is named."""

import numpy as np
import pytest
from PIL import Image

from helpers.raster_files import write_raster
from vinlab.maps import CostOptions, GridMap, MapOptions, SlopeCurve, grid_map, read_map
from vinlab.types import InputError


def graded(rule, **more) -> MapOptions:
    return MapOptions(grading=CostOptions(rule, **more))


def test_an_image_costs_1_where_it_is_white_and_10_where_it_is_black(tmp_path):
    shades = np.array([[255, 0, 51]], np.uint8)
    Image.fromarray(shades).save(tmp_path / "map.png")
    map = read_map(tmp_path / "map.png", graded("linear"))
    np.testing.assert_allclose(map.costs, [[1.0, 10.0, 8.2]])
    assert not map.obstacles.any()
    assert "a cell costs 1 + 9 x its darkness" in map.assumptions


def test_the_limit_of_a_linear_rule_blocks_and_bright_turns_an_image_round(tmp_path):
    shades = np.array([[255, 0, 51]], np.uint8)
    Image.fromarray(shades).save(tmp_path / "map.png")
    limited = read_map(tmp_path / "map.png", graded("linear", cost_limit=0.5))
    assert limited.obstacles.tolist() == [[0, 1, 1]]
    options = MapOptions(obstacles="bright", grading=CostOptions("linear", cost_scale=4.0))
    np.testing.assert_allclose(read_map(tmp_path / "map.png", options).costs, [[5.0, 1.0, 1.8]])


def test_the_values_of_an_array_are_its_costs_and_not_a_number_is_unknown(tmp_path):
    np.save(tmp_path / "costs.npy", np.array([[1.5, 2.0], [np.nan, 4.0]]))
    map = read_map(tmp_path / "costs.npy", graded("linear"))
    assert map.obstacles.tolist() == [[0, 0], [1, 0]]
    assert map.costs.tolist() == [[1.5, 2.0], [1.0, 4.0]]
    assert "1 unknown cells count as blocked" in map.assumptions


def test_a_geotiff_of_costs_keeps_its_coordinates(tmp_path):
    values = np.array([[1.0, 2.0], [3.0, -9999.0]], np.float32)
    path = write_raster(tmp_path / "costs.tif", values, west=100.0, north=50.0, pixel=2.0, nodata=-9999.0)
    map = read_map(path, graded("linear", cost_offset=1.0))
    assert map.costs.tolist() == [[2.0, 3.0], [4.0, 1.0]]
    assert map.obstacles.tolist() == [[0, 0], [0, 1]]
    assert map.frame.to_world(np.array([[1, 0]])).tolist() == [[101.0, 47.0]]


def test_an_archive_of_costs_blocks_what_it_says_or_what_is_infinite(tmp_path):
    costs = np.array([[1.0, 2.0], [np.inf, 0.5]])
    np.savez(tmp_path / "a.npz", costs=costs, starts=np.array([[0, 0]]), goals=np.array([[1, 1]]))
    map = read_map(tmp_path / "a.npz")
    assert map.obstacles.tolist() == [[0, 0], [1, 0]]
    assert (map.start, map.goal) == ((0, 0), (1, 1))
    for key in ("obstacles", "blocked"):
        np.savez(tmp_path / "b.npz", costs=np.ones((2, 2, 2)), **{key: np.eye(2)[None].repeat(2, 0)})
        assert read_map(tmp_path / "b.npz", MapOptions(index=1)).obstacles.tolist() == [[1, 0], [0, 1]]


def refused(tmp_path, words, options=None, **arrays):
    if "array" in arrays:
        path = tmp_path / "map.npy"
        np.save(path, arrays["array"])
    else:
        path = tmp_path / "map.npz"
        np.savez(path, **arrays)
    with pytest.raises(InputError, match=words) as error:
        read_map(path, options)
    assert str(error.value).count("\n") == 0


def test_costs_that_are_none_are_refused_with_their_place(tmp_path):
    for wrong in (np.nan, -1.0, 0.0, -np.inf):
        costs = np.ones((3, 3))
        costs[1, 2] = wrong
        refused(tmp_path, r"finite costs above zero in free cells, got .* at \(1, 2\)", costs=costs)
    refused(tmp_path, r"got -1 at \(0, 0\)", graded("linear"), array=np.array([[-1.0, 2.0]]))


def test_costs_and_blocked_cells_of_different_shapes_are_refused(tmp_path):
    refused(tmp_path, "costs and obstacles of one shape", costs=np.ones((3, 3)), obstacles=np.zeros((3, 4)))
    refused(tmp_path, "expected only 0 and 1", costs=np.ones((3, 3)), blocked=np.full((3, 3), 7))
    with pytest.raises(InputError, match=r"costs: expected costs of the shape \(2, 2\) of the map"):
        GridMap(np.zeros((2, 2), np.uint8), "", costs=np.ones((2, 3)))


def test_options_that_do_not_fit_are_refused(tmp_path):
    refused(
        tmp_path, "expected no --costs for a file that holds costs", graded("slope"), costs=np.ones((2, 2))
    )
    both = MapOptions(threshold=1.0, grading=CostOptions("linear"))
    refused(tmp_path, "expected none with --costs linear", both, array=np.ones((2, 2)))
    free = MapOptions(unknown="free", grading=CostOptions("linear"))
    refused(tmp_path, "cells without a value have no cost", free, array=np.array([[1.0, np.nan]]))
    (tmp_path / "a.map").write_text("type octile\nheight 1\nwidth 2\nmap\n..\n")
    with pytest.raises(InputError, match="A MovingAI map has no costs"):
        read_map(tmp_path / "a.map", graded("linear"))
    for name in ("cost_offset", "cost_scale", "cost_limit", "cell_size"):
        with pytest.raises(InputError, match=f"{name}: expected a finite number"):
            CostOptions("linear", **{name: float("nan")})


@pytest.mark.parametrize(
    ("rule", "bound"), [("linear", "MOST_COST_CELLS"), ("elevation", "MOST_RELIEF_CELLS")]
)
def test_a_map_with_more_costs_than_planning_has_memory_for_is_refused(rule, bound, tmp_path, monkeypatch):
    np.save(tmp_path / "a.npy", np.ones((30, 40)))
    options = MapOptions(grading=CostOptions(costs=rule))
    monkeypatch.setattr(grid_map, bound, 1200)
    assert read_map(tmp_path / "a.npy", options).obstacles.shape == (30, 40)
    monkeypatch.setattr(grid_map, bound, 1199)
    with pytest.raises(InputError, match="of at most 1,199 cells, got 30 x 40"):
        read_map(tmp_path / "a.npy", options)
    np.savez(tmp_path / "a.npz", costs=np.ones((30, 40)))
    monkeypatch.setattr(grid_map, "MOST_COST_CELLS", 1199)
    with pytest.raises(InputError, match="of at most 1,199 cells, got 30 x 40"):
        read_map(tmp_path / "a.npz")


@pytest.mark.parametrize("shape", [(4097, 1), (1, 4097)])
def test_costs_have_no_more_cells_a_side_than_any_map(tmp_path, shape):
    np.savez(tmp_path / "most.npz", costs=np.ones([min(side, 4096) for side in shape]))
    assert read_map(tmp_path / "most.npz").costs is not None
    refused(
        tmp_path, rf"expected at most 4096 cells a side, got {shape[0]} x {shape[1]}", costs=np.ones(shape)
    )


@pytest.mark.parametrize("name", ["cost_offset", "cost_scale", "cost_limit", "cell_size"])
def test_options_of_costs_are_finite_and_cells_have_a_size(name):
    for wrong in (np.inf, -np.inf, np.nan):
        with pytest.raises(InputError, match=f"{name}: expected a finite number, got"):
            CostOptions("linear", **{name: wrong})
    for wrong in (0.0, -1.0):
        with pytest.raises(InputError, match="cell_size: expected a number above 0, got"):
            CostOptions("linear", cell_size=wrong)
    assert CostOptions("slope").curve.limit == 30.0
    assert CostOptions("slope", cost_limit=7.0, uphill=3.0, downhill=2.0).curve == SlopeCurve(
        "linear", 3.0, 2.0, 7.0
    )


@pytest.mark.parametrize("relief", [True, False])
def test_a_map_with_costs_has_the_most_cells_and_no_more(monkeypatch, relief):
    monkeypatch.setattr(grid_map, "MOST_RELIEF_CELLS" if relief else "MOST_COST_CELLS", 12)
    grid_map.require_graded_size((3, 4), relief=relief)
    what = "elevations" if relief else "costs"
    with pytest.raises(InputError, match=f"expected a map with {what} of at most 12 cells, got 13 x 1"):
        grid_map.require_graded_size((13, 1), relief=relief)


def test_a_linear_cost_is_blocked_above_its_limit_and_not_at_it(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1.0, 2.0, 2.5]]))
    map = read_map(tmp_path / "a.npy", graded("linear", cost_limit=2.0, cost_offset=0.5, cost_scale=4.0))
    assert map.obstacles.tolist() == [[0, 0, 1]]
    assert map.costs.tolist() == [[4.5, 8.5, 1.0]]
    assert "a cell costs 0.5 + 4 x the value, and values above 2 are blocked" in map.assumptions
    for wrong in (0.0, -1.0, np.inf):
        np.save(tmp_path / "a.npy", np.array([[1.0, wrong]]))
        with pytest.raises(
            InputError, match=r"expected finite costs above zero in free cells, got .* at \(0, 1\)"
        ):
            read_map(tmp_path / "a.npy", graded("linear"))


def test_water_is_free_for_goals_in_it_alone():
    land, water = np.array([[0, 1, 1]], np.uint8), np.array([[1, 0, 1]], np.uint8)
    map = GridMap(land, "", water_obstacles=water)
    assert map.obstacles_for((0, 0)) is land
    assert map.obstacles_for((0, 1)) is water
    assert map.obstacles_for((0, 2)) is land
    cells = np.array([[0, 0], [0, 1], [0, 2], [0, 0], [0, 1], [0, 2]])
    goals = np.array([[0, 0]] * 3 + [[0, 1]] * 3)
    assert map.is_free(cells, goals).tolist() == [True, False, False, False, True, False]
    assert GridMap(land, "").is_free(cells[:3], goals[:3]).tolist() == [True, False, False]
    assert map.size == "1 x 3 cells, 66.7% of them blocked"
    assert not map.is_graded
    assert GridMap(land, "", costs=np.ones((1, 3))).is_graded

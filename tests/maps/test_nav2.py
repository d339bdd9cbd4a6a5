"""Nav2's costmaps are read as they are written, and written as they are read."""

import math

import numpy as np
import pytest
from PIL import Image

from vinlab.maps import CostOptions, Frame, GridMap, MapOptions, costmap_bytes, read_map, write_costmap
from vinlab.maps.costs import grade_bytes
from vinlab.maps.nav2 import bytes_of_occupancy, map_of_shades
from vinlab.types import InputError

BYTES = np.arange(256, dtype=np.uint8).reshape(16, 16)
NAV2 = MapOptions(grading=CostOptions("nav2"))
FRAME = Frame(a=0.05, b=0.0, c=-2.975, d=0.0, e=-0.05, f=2.275, unit="m")


@pytest.mark.parametrize("name", ["costs.npy", "costs.yaml"])
def test_all_bytes_are_read_as_they_were_written(tmp_path, name):
    write_costmap(tmp_path / name, BYTES, FRAME)
    map = read_map(tmp_path / name, NAV2)
    assert np.array_equal(map.obstacles, BYTES > 252)
    np.testing.assert_allclose(map.costs[BYTES <= 252], 1 + 2 * (BYTES[BYTES <= 252] / 252))
    assert np.array_equal(costmap_bytes(map), np.where(BYTES > 252, 254, BYTES))
    # What was read is written, and read again, the same.
    write_costmap(tmp_path / name, map)
    again = read_map(tmp_path / name, NAV2)
    assert np.array_equal(again.costs, map.costs)
    assert np.array_equal(again.obstacles, map.obstacles)


@pytest.mark.parametrize("heading", [0.0, 0.3, math.pi / 2])
def test_world_coordinates_survive_the_yaml(tmp_path, heading):
    along, across = 0.05 * math.cos(heading), 0.05 * math.sin(heading)
    frame = Frame(a=along, b=across, c=-3.0, d=across, e=-along, f=1.5, unit="m")
    write_costmap(tmp_path / "map.yaml", BYTES, frame)
    cells = np.array([[0, 0], [15, 3], [7, 15]])
    np.testing.assert_allclose(
        read_map(tmp_path / "map.yaml").frame.to_world(cells), frame.to_world(cells), atol=1e-10
    )


def test_a_raw_map_says_what_it_assumed_and_unknown_can_be_free(tmp_path):
    write_costmap(tmp_path / "map.yaml", BYTES)
    map = read_map(tmp_path / "map.yaml")
    assert "raw bytes of a costmap" in map.assumptions
    assert "253 (inscribed) and 254 (lethal) are blocked" in map.assumptions
    free = read_map(tmp_path / "map.yaml", MapOptions(unknown="free"))
    assert free.obstacles[15, 15] == 0
    assert free.costs[15, 15] == 1.0


def test_raw_occupancies_of_map_server_are_told_from_bytes(tmp_path):
    write_costmap(tmp_path / "map.yaml", np.array([[0, 50, 100, 255]], np.uint8))
    map = read_map(tmp_path / "map.yaml")
    assert map.obstacles.tolist() == [[0, 0, 1, 1]]
    assert map.costs[0, 1] == 1 + 2 * 127 / 252
    assert "raw occupancies of 0 to 100" in map.assumptions
    assert read_map(tmp_path / "map.yaml", NAV2).obstacles.tolist() == [[0, 0, 0, 1]]


def test_the_scale_of_a_yaml_grades_what_lies_between_its_thresholds(tmp_path):
    Image.fromarray(np.array([[255, 153, 128, 102, 0]], np.uint8)).save(tmp_path / "map.png")
    (tmp_path / "map.yaml").write_text(
        "image: map.png\nmode: scale\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\n"
        "occupied_thresh: 0.65\nfree_thresh: 0.2\n"
    )
    map = read_map(tmp_path / "map.yaml")
    assert map.obstacles.tolist() == [[0, 0, 0, 0, 1]]
    assert map.costs[0, 0] == 1.0
    # Pixel 153 is occupied by 0.4, of which (0.4 - 0.2) / 0.45 is 44 %, and that is the byte 111.
    assert map.costs[0, 1] == 1 + 2 * 111 / 252
    assert (np.diff(map.costs[0, :4]) > 0).all()
    assert map.frame.cell_size == (0.1, 0.1)


def test_the_multiplier_is_an_option_of_reading_and_writing(tmp_path):
    options = MapOptions(grading=CostOptions("nav2", cost_scale=10.0))
    write_costmap(tmp_path / "costs.npy", BYTES)
    map = read_map(tmp_path / "costs.npy", options)
    assert map.costs.max() == 11.0
    assert np.array_equal(costmap_bytes(map, options.grading), np.where(BYTES > 252, 254, BYTES))
    with pytest.raises(InputError, match="costs: expected 1 to 3, which a costmap can hold"):
        costmap_bytes(map)


@pytest.mark.parametrize(
    "wrong",
    [np.array([[300]], np.int32), np.array([[-1]], np.int8), np.array([[0.5]]), np.array([[1e9]])],
)
def test_arrays_that_are_no_bytes_are_refused(tmp_path, wrong):
    np.save(tmp_path / "costs.npy", wrong)
    with pytest.raises(InputError, match="expected the bytes of a costmap, whole numbers from 0 to 255"):
        read_map(tmp_path / "costs.npy", NAV2)


def test_files_that_hold_no_costmap_are_refused(tmp_path):
    Image.fromarray(np.full((2, 2), 5000, np.uint16)).save(tmp_path / "deep.png")
    with pytest.raises(InputError, match="expected a costmap as an image of 8 bits"):
        read_map(tmp_path / "deep.png", NAV2)
    write_costmap(tmp_path / "map.yaml", BYTES)
    with pytest.raises(InputError, match="of mode raw defines its costs"):
        read_map(tmp_path / "map.yaml", MapOptions(grading=CostOptions("slope")))
    text = (tmp_path / "map.yaml").read_text(encoding="utf-8").replace("raw", "trinary")
    (tmp_path / "map.yaml").write_text(text)
    with pytest.raises(InputError, match="of mode trinary has no costs"):
        read_map(tmp_path / "map.yaml", NAV2)
    with pytest.raises(InputError, match="expected a costmap file of type"):
        write_costmap(tmp_path / "costs.png", BYTES)
    with pytest.raises(InputError, match="square cells and y upwards"):
        write_costmap(tmp_path / "costs.yaml", BYTES, Frame(unit="m"))


@pytest.mark.parametrize(
    ("percent", "byte"), [(0, 0), (1, 2), (50, 127), (99, 251), (100, 254), (101, 255), (-1, 255)]
)
def test_an_occupancy_is_the_byte_that_nav2_makes_of_it(percent, byte):
    assert bytes_of_occupancy(np.array([[float(percent)]])).tolist() == [[byte]]


@pytest.mark.parametrize(
    ("occupied", "byte"),
    [(0.1, 0), (0.2, 0), (0.4, 127), (0.6, 251), (0.61, 254), (1.0, 254), (0.2019, 0), (0.203, 2)],
)
def test_the_scale_grows_from_one_threshold_to_the_other(occupied, byte):
    map = map_of_shades(np.array([[occupied]]), 0.2, 0.6, "shades", MapOptions())
    assert costmap_bytes(map).tolist() == [[byte]]


def test_a_multiplier_of_zero_makes_all_free_cells_alike():
    options = CostOptions("nav2", cost_scale=0.0)
    found = grade_bytes(BYTES, "a", options)
    assert (found.costs == 1.0).all()
    assert found.blocked.sum() == 2
    assert found.unknown.sum() == 1
    with pytest.raises(InputError, match="cost_scale: expected a number of at least 0 for a costmap, got -1"):
        grade_bytes(BYTES, "a", CostOptions("nav2", cost_scale=-1.0))
    for wrong in ({"cost_offset": 1.0}, {"cost_limit": 1.0}):
        with pytest.raises(InputError, match="expected no --cost-offset or --cost-limit"):
            grade_bytes(BYTES, "a", CostOptions("nav2", **wrong))
    even = GridMap(np.array([[0, 1]], np.uint8), "")
    assert costmap_bytes(even, options).tolist() == [[0, 254]]
    assert costmap_bytes(even).tolist() == [[0, 254]]


def test_cells_of_unknown_costs_may_hold_anything():
    values, unknown = np.array([[7.0, -3.0]]), np.array([[False, True]])
    found = grade_bytes(values, "a", CostOptions("nav2"), unknown=unknown)
    assert found.unknown.tolist() == [[False, True]]
    np.testing.assert_allclose(found.costs, [[1 + 14 / 252, 1.0]])

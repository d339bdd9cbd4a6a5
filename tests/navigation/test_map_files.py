"""Planning on maps from files."""

import numpy as np
import pytest

from vinlab.maps import Frame, GridMap, read_map
from vinlab.models import Model
from vinlab.navigation.map_files import MAX_CELLS, parse_position, plan_on_map
from vinlab.networks.grid.configs import VinConfig
from vinlab.networks.grid.fixed_point import FixedPointVinConfig
from vinlab.types import InputError

FREE = np.zeros((3, 3), np.uint8)


def test_positions_are_cells_or_world_coordinates():
    map = GridMap(FREE, "", frame=Frame(a=0.5, c=-1.0, e=-0.5, f=4.0, unit="m"))
    assert parse_position("1,2", "start", map, world=False) == (1, 2)
    assert parse_position("0.1,3.4", "start", map, world=True) == (1, 2)
    for text in ("1", "1.5,2", "1,2,3", "nan,1", "1e999,1"):
        with pytest.raises(InputError, match="start: expected ROW,COL"):
            parse_position(text, "start", map, world=False)
    with pytest.raises(InputError, match="finite"):
        parse_position("1e999,1", "start", map, world=True)


def test_a_map_that_is_too_large_for_a_network_is_planned_exactly():
    map = GridMap(np.zeros((513, 513), np.uint8), "")
    assert map.obstacles.size > MAX_CELLS
    model = Model("m", VinConfig(iterations=1, hidden=1).build(), 8, {})
    with pytest.raises(InputError, match="at most 262,144 cells for m, got 263,169"):
        plan_on_map(map, (0, 0), (512, 512), model=model)
    assert plan_on_map(map, (0, 0), (512, 512), model=None).cost == pytest.approx(512 * 2**0.5)
    with pytest.raises(InputError, match="names no goal"):
        plan_on_map(map, (0, 0), model=None)


def test_a_planner_to_the_fixed_point_has_no_limit_of_cells():
    map = GridMap(np.zeros((513, 513), np.uint8), "")
    route = plan_on_map(map, (0, 0), (512, 512), model=Model("m", FixedPointVinConfig().build(), 0, {}))
    assert route.reached
    assert route.iterations is None
    assert 0 < route.seconds < 60


def test_routes_stay_in_the_water_or_out_of_it(tmp_path):
    (tmp_path / "a.map").write_text("type octile\nheight 2\nwidth 5\nmap\nWW.WW\nWWWWT\n")
    map = read_map(tmp_path / "a.map")
    route = plan_on_map(map, (0, 0), (0, 3), model=None)
    assert route.path.tolist() == [[0, 0], [1, 1], [1, 2], [1, 3], [0, 3]]
    with pytest.raises(InputError, match="got the start in the water and the goal on land"):
        plan_on_map(map, (0, 0), (0, 2), model=None)
    with pytest.raises(InputError, match=r"goal \(1, 4\) lies on an obstacle"):
        plan_on_map(map, (0, 0), (1, 4), model=None)

"""Planning on maps from files."""

import numpy as np
import pytest

from vinlab.maps import Frame, GridMap
from vinlab.models import Model
from vinlab.navigation.map_files import MAX_CELLS, parse_position, plan_on_map
from vinlab.networks.grid.configs import VinConfig
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
    with pytest.raises(InputError, match="plan with --exact"):
        plan_on_map(map, (0, 0), (512, 512), model=model)
    assert plan_on_map(map, (0, 0), (512, 512), model=None).cost == pytest.approx(512 * 2**0.5)
    with pytest.raises(InputError, match="names no goal"):
        plan_on_map(map, (0, 0), model=None)

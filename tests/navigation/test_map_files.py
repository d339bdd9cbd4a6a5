"""Journeys on maps from files, and the scenarios of a benchmark."""

import numpy as np
import pytest

from vinlab.maps import Frame, GridMap, Scenarios, read_scenarios
from vinlab.models import Model
from vinlab.navigation.greedy import follow_moves
from vinlab.navigation.map_files import MAX_CELLS, parse_position, plan_on_map
from vinlab.navigation.scenarios import run_scenarios
from vinlab.networks.grid.configs import VinConfig
from vinlab.types import InputError

NORTH, SOUTH, EAST, SOUTH_EAST = 0, 1, 2, 6
FREE = np.zeros((3, 3), np.uint8)


def test_a_way_follows_the_moves_to_the_goal():
    path, reached = follow_moves(np.full((3, 3), SOUTH_EAST), FREE, (0, 0), (2, 2))
    assert reached
    assert path.tolist() == [[0, 0], [1, 1], [2, 2]]


def test_a_way_that_goes_round_or_into_a_wall_ends():
    there_and_back = np.array([[EAST, 3, 0]])
    path, reached = follow_moves(there_and_back, np.zeros((1, 3), np.uint8), (0, 0), (0, 2))
    assert not reached
    assert path.tolist() == [[0, 0], [0, 1]]
    path, reached = follow_moves(np.full((3, 3), NORTH), FREE, (1, 1), (2, 2))
    assert (path.tolist(), reached) == ([[1, 1], [0, 1]], False)


def test_corners_are_cut_only_where_that_is_allowed():
    corner = FREE.copy()
    corner[0, 1] = 1
    moves = np.full((3, 3), SOUTH_EAST)
    assert follow_moves(moves, corner, (0, 0), (2, 2))[1]
    assert not follow_moves(moves, corner, (0, 0), (2, 2), corner_cutting=False)[1]


def test_places_are_cells_or_world_coordinates():
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


def test_scenarios_in_batches_are_those_one_by_one():
    rng = np.random.default_rng(1)
    obstacles = (rng.random((80, 80)) < 0.2).astype(np.uint8)
    map = GridMap(obstacles, "", corner_cutting=False)
    ends = np.argwhere(obstacles == 0)[rng.integers(0, (obstacles == 0).sum(), (60, 2))]
    scenarios = Scenarios(map, ends[:, 0], ends[:, 1], np.zeros(60))
    model = Model("m", VinConfig(iterations=4, hidden=2).build(), 40, {})
    assert len(scenarios) * obstacles.size > MAX_CELLS
    results = run_scenarios(scenarios, model=model)
    for index in (0, 30, 59):
        start, goal = (tuple(end) for end in ends[index].tolist())
        route = plan_on_map(map, start, goal, model=model)
        assert results.reached[index] == route.reached
        assert results.optimal[index] == route.optimal_cost
        assert results.costs[index] == pytest.approx(route.cost)


@pytest.mark.parametrize(
    "name",
    [
        "den312d",
        "maze-32-32-2",
        "maze-32-32-4",
        "random-32-32-10",
        "random-32-32-20",
        "random-64-64-10",
        "room-32-32-4",
    ],
)
def test_the_exact_planner_finds_the_optimal_lengths_of_movingai(real_data, name):
    results = run_scenarios(
        read_scenarios(real_data / "maps" / "movingai" / f"{name}-random-1.scen"), model=None
    )
    assert np.abs(results.optimal - results.stated).max() < 1e-7

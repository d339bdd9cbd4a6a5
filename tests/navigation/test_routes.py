"""Routes of a model beside the shortest ones."""

import numpy as np
import pytest
import torch

import vinlab
from helpers.planners import ROOM, PerfectPlanner
from vinlab.domains.gridworld.problem import observe
from vinlab.models import Model, load
from vinlab.navigation.adaptive import with_blocked_outside
from vinlab.navigation.routes import navigate, path_cost
from vinlab.networks.grid.configs import HierarchicalVinConfig, VinConfig
from vinlab.types import InputError


def perfect(**options):
    return Model("perfect", PerfectPlanner(**options), 8, {})


def test_a_route_is_followed_to_the_goal_and_measured_beside_the_shortest():
    route = navigate(perfect(), ROOM, (0, 0), (4, 4))
    assert route.reached
    assert route.exists
    assert route.cost == pytest.approx(route.optimal_cost) == pytest.approx(6 + 2**0.5)
    assert route.path[0].tolist() == [0, 0]
    assert route.path[-1].tolist() == [4, 4]


def test_corners_may_be_forbidden():
    route = navigate(perfect(corner_cutting=False), ROOM, (0, 0), (4, 4), corner_cutting=False)
    assert route.reached
    assert route.cost == pytest.approx(8)


def test_an_unreachable_goal_is_no_error():
    route = navigate(perfect(corner_cutting=False), ROOM, (0, 0), (2, 2), corner_cutting=False)
    assert not route.reached
    assert not route.exists
    assert route.optimal_cost == float("inf")


def test_a_start_at_the_goal_has_a_path_of_one_cell():
    route = navigate(perfect(), ROOM, (0, 0), (0, 0))
    assert route.reached
    assert (route.cost, route.optimal_cost, len(route.path)) == (0.0, 0.0, 1)


def test_a_map_of_one_row_is_a_map():
    route = navigate(perfect(), [[0, 0, 0, 0]], (0, 0), (0, 3))
    assert route.reached
    assert route.cost == 3


@pytest.mark.parametrize(
    ("obstacles", "start", "goal", "sentence"),
    [
        (ROOM, (5, 0), (0, 0), r"start \(5, 0\) lies outside the map of 5 x 5"),
        (ROOM, (0, 0), (0, -1), r"goal \(0, -1\) lies outside"),
        (ROOM, (1, 1), (0, 0), r"start \(1, 1\) lies on an obstacle"),
        (ROOM, (0, 0), (1, 2), r"goal \(1, 2\) lies on an obstacle"),
        (ROOM, (0, 0, 0), (0, 0), "start: expected two whole numbers"),
        (ROOM, (0.5, 0), (0, 0), "start: expected two whole numbers"),
        ([], (0, 0), (0, 0), "at least one cell"),
        ([[0, 1], [0]], (0, 0), (0, 0), "rows of equal length"),
        ([[0, 2]], (0, 0), (0, 0), "expected only 0 .free. and 1 .blocked., got 2"),
        ([[0, float("nan")]], (0, 0), (0, 0), "got nan"),
        (np.zeros((2, 2, 2)), (0, 0), (0, 0), "two axes"),
        ([["a", "b"]], (0, 0), (0, 0), "expected numbers, got"),
    ],
)
def test_bad_input_is_named_in_one_sentence(obstacles, start, goal, sentence):
    with pytest.raises(InputError, match=sentence):
        navigate(perfect(), obstacles, start, goal)


def test_path_cost_adds_straight_and_diagonal_moves():
    assert path_cost(np.array([[0, 0], [1, 1], [1, 2]])) == pytest.approx(1 + 2**0.5)


@pytest.mark.parametrize(
    ("config", "shape", "expected"),
    [
        (VinConfig(iterations=10), (8, 8), 10),
        (VinConfig(iterations=10), (16, 12), 20),
        (VinConfig(iterations=10), (1, 3), 4),
        (HierarchicalVinConfig(iterations=(4, 6)), (16, 16), (8, 12)),
    ],
)
def test_iterations_grow_with_the_map(config, shape, expected):
    assert Model("m", config.build(), 8, {}).iterations_for(shape) == expected


@pytest.mark.parametrize("id", ["gridworld/16/vin", "grid/any"])
def test_a_map_without_a_wall_around_it_needs_none(id):
    model, rng = load(id), np.random.default_rng(0)
    obstacles = (rng.random((12, 14)) < 0.2).astype(np.uint8)
    obstacles[0, 0] = obstacles[-1, -1] = 0
    bare = navigate(model, obstacles, (0, 0), (11, 13))
    walled = navigate(model, np.pad(obstacles, 1, constant_values=1), (1, 1), (12, 14))
    assert bare.reached
    assert bare.cost == pytest.approx(bare.optimal_cost)
    assert bare.cost == pytest.approx(walled.cost)


def test_a_map_without_a_wall_around_it_is_planned_with_a_blocked_outside():
    model = Model("m", VinConfig(iterations=6, hidden=4).build(), 8, {})
    blocked = with_blocked_outside(model.network)
    assert blocked.planner.outside == "blocked"
    assert model.network.planner.outside is None  # the model itself stays as it is
    walled = np.pad(ROOM, 1, constant_values=1)
    for network, obstacles, offset in ((blocked, ROOM, 0), (model.network, walled, 1)):
        start, goal = (offset, offset), (4 + offset, 4 + offset)
        route = navigate(model, obstacles, start, goal, iterations=6)
        seen = observe(np.array([obstacles], np.uint8), np.array([goal]))
        assert route.plan is not None
        assert torch.equal(route.plan.value, network.plan(seen, iterations=6).value)


def test_the_package_offers_it():
    assert vinlab.navigate is navigate

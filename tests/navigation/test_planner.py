"""A planner with a memory gives what a new one would, after every change."""

import threading

import numpy as np
import pytest

import vinlab
from vinlab.maps import Frame, GridMap, Relief
from vinlab.models import Model
from vinlab.navigation.graded import grid_of
from vinlab.networks.grid.configs import VinConfig
from vinlab.networks.grid.fixed_point import FixedPointVinConfig, GradedVinConfig
from vinlab.planning.graded import graded_path_cost
from vinlab.types import InputError

SIDE = 24


def maps() -> dict[str, GridMap]:
    rng = np.random.default_rng(0)
    obstacles = (rng.random((SIDE, SIDE)) < 0.2).astype(np.uint8)
    obstacles[2, 3] = obstacles[20, 20] = 0
    heights = np.cumsum(rng.normal(0, 0.1, (SIDE, SIDE)), axis=1)
    return {
        "plain": GridMap(obstacles, ""),
        "costs": GridMap(obstacles, "", costs=rng.uniform(1.0, 9.0, (SIDE, SIDE))),
        "heights": GridMap(obstacles, "", relief=Relief(heights)),
    }


def models() -> dict[str, Model | None]:
    import torch

    torch.manual_seed(0)
    return {
        "exact": None,
        "any": Model("any", FixedPointVinConfig(hidden=4).build(), 8, {}),
        "costs": Model("costs", GradedVinConfig(hidden=4, width=3).build(), 8, {}),
        "each cell": Model("each cell", GradedVinConfig(hidden=4, width=1).build(), 8, {}),
    }


def new_values(kind: str, count: int, rng: np.random.Generator) -> np.ndarray:
    if kind == "plain":
        return rng.integers(0, 2, count).astype(np.float64)
    values = rng.uniform(1.0, 9.0, count) if kind == "costs" else rng.normal(0, 1, count)
    return np.where(rng.random(count) < 0.2, np.inf, values)


PAIRS = [
    ("exact", "plain"),
    ("exact", "costs"),
    ("exact", "heights"),
    ("any", "plain"),
    ("costs", "plain"),
    ("costs", "costs"),
    ("each cell", "plain"),
    ("each cell", "costs"),
]


@pytest.mark.parametrize(("model", "kind"), PAIRS)
def test_after_every_change_it_plans_what_a_new_planner_would(model, kind):
    rng = np.random.default_rng(1)
    chosen = models()[model]
    planner = vinlab.Planner(chosen, maps()[kind], corner_cutting=False)
    planner.goal([(2, 3), (20, 20)])
    for _ in range(12):
        top, left = rng.integers(0, SIDE - 5, 2)
        cells = np.argwhere(np.ones((5, 5))) + (top, left)
        cells = cells[~(cells == (2, 3)).all(axis=1) & ~(cells == (20, 20)).all(axis=1)]
        planner.update(cells, new_values(kind, len(cells), rng))
        anew = vinlab.Planner(chosen, planner.map)
        anew.goal([(2, 3), (20, 20)])
        # A network rounds in another way on a part of a map; all else is equal to the last bit.
        np.testing.assert_allclose(planner.costs, anew.costs, rtol=1e-6 if chosen else 0)


def test_the_path_of_an_exact_planner_is_the_cheapest_route():
    map = maps()["costs"]
    planner = vinlab.Planner(None, map)
    planner.goal((20, 20))
    route = vinlab.plan_on_map(map, (2, 3), (20, 20), model=None)
    assert planner.cost((2, 3)) == pytest.approx(route.cost)
    path = planner.path((2, 3))
    assert graded_path_cost(grid_of(map), path) == pytest.approx(route.cost)
    assert path[0].tolist() == [2, 3]
    assert path[-1].tolist() == [20, 20]


def test_a_planner_does_not_change_the_map_that_it_was_given():
    map = maps()["costs"]
    before = map.costs.copy(), map.obstacles.copy()
    planner = vinlab.Planner(None, map)
    planner.update([(0, 0), (1, 1)], [np.inf, 3.0])
    np.testing.assert_array_equal(map.costs, before[0])
    np.testing.assert_array_equal(map.obstacles, before[1])
    now = planner.map
    assert now.obstacles[0, 0] == 1
    assert now.costs[1, 1] == 3.0
    planner.update([(1, 1)], [5.0])
    assert now.costs[1, 1] == 3.0
    heights = maps()["heights"]
    before = heights.relief.elevation.copy()
    vinlab.Planner(None, heights).update([(1, 1)], [3.0])
    np.testing.assert_array_equal(heights.relief.elevation, before)


def test_world_coordinates_and_maps_without_them():
    frame = Frame(a=0.5, c=-1.0, e=-0.5, f=4.0, unit="m")
    planner = vinlab.Planner(None, GridMap(np.zeros((4, 4), np.uint8), "", frame=frame))
    planner.goal((0.5, 2.5), world=True)
    path = planner.path((-1.0, 4.0), world=True)
    np.testing.assert_allclose(path[[0, -1]], [[-1.0, 4.0], [0.5, 2.5]])
    plain = vinlab.Planner(None, np.zeros((4, 4)))
    with pytest.raises(InputError, match="as the map has no world coordinates"):
        plain.goal((0.0, 0.0), world=True)


def test_no_path_is_no_cell_and_a_blocked_goal_is_found_again():
    planner = vinlab.Planner(None, np.zeros((3, 5)))
    planner.goal((1, 4))
    planner.update([(0, 2), (1, 2), (2, 2)], 1)
    assert planner.path((1, 0)).shape == (0, 2)
    assert planner.cost((1, 0)) == np.inf
    planner.update([(1, 2)], [0])
    assert planner.path((1, 0)).tolist() == [[1, 0], [1, 1], [1, 2], [1, 3], [1, 4]]


def test_bad_input_is_one_sentence_and_changes_nothing():
    planner = vinlab.Planner(None, maps()["costs"])
    with pytest.raises(InputError, match="expected a goal before a path"):
        planner.path((0, 0))
    planner.goal((2, 3))
    before = planner.costs
    for cells, values, words in (
        ([(0, 0)], [-1.0], "expected finite costs above zero, or infinity"),
        ([(0, 0)], [np.nan], "expected finite costs above zero, or infinity"),
        ([(0, 0)], [1e25], "expected finite costs above zero, or infinity"),
        ([(0, 0)], [1.0, 2.0], "expected one for each of 1 cells"),
        ([(0, 99)], [1.0], "expected cells of a map of 24 x 24 cells"),
    ):
        with pytest.raises(InputError, match=words):
            planner.update(cells, values)
    np.testing.assert_array_equal(planner.costs, before)
    with pytest.raises(InputError, match="expected only 0"):
        vinlab.Planner(None, np.zeros((3, 3))).update([(0, 0)], [0.5])
    with pytest.raises(InputError, match="lies outside the map"):
        planner.goal((24, 0))
    with pytest.raises(InputError, match="expected a model that plans to the fixed point"):
        vinlab.Planner(Model("m", VinConfig(iterations=1, hidden=1).build(), 8, {}), np.zeros((3, 3)))
    with pytest.raises(InputError, match="which does not see them"):
        vinlab.Planner(models()["any"], maps()["costs"])


def test_several_threads_may_use_one_planner():
    planner = vinlab.Planner(None, maps()["costs"])
    planner.goal((2, 3))
    errors = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        try:
            for _ in range(30):
                cells = rng.integers(5, SIDE, (4, 2))
                planner.update(cells, rng.uniform(1.0, 9.0, 4))
                assert planner.path((2, 3)).tolist() == [[2, 3]]
                planner.path(tuple(rng.integers(0, SIDE, 2).tolist()))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    anew = vinlab.Planner(None, planner.map)
    anew.goal((2, 3))
    np.testing.assert_array_equal(planner.costs, anew.costs)

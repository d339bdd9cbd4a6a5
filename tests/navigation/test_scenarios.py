"""The scenarios of a benchmark."""

import numpy as np
import pytest

from vinlab.maps import GridMap, Scenarios, read_scenarios
from vinlab.models import Model
from vinlab.navigation.map_files import MAX_CELLS, plan_on_map
from vinlab.navigation.scenarios import run_scenarios
from vinlab.networks.grid.configs import VinConfig


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

"""The scenarios of a benchmark."""

import numpy as np
import pytest
import torch

from vinlab.maps import GridMap, Scenarios, read_scenarios
from vinlab.models import Model
from vinlab.navigation.map_files import MAX_CELLS, plan_on_map
from vinlab.navigation.scenarios import optimal_costs, run_scenarios
from vinlab.networks.grid.configs import VinConfig
from vinlab.networks.grid.fixed_point import FixedPointVinConfig

MODELS = {"unrolled": VinConfig(iterations=4, hidden=2), "fixed point": FixedPointVinConfig()}


def some_scenarios(*, side=80, count=60, goals=60):
    """Scenarios with random ends, of which some share their goal."""
    rng = np.random.default_rng(1)
    obstacles = (rng.random((side, side)) < 0.2).astype(np.uint8)
    starts, ends = np.argwhere(obstacles == 0)[rng.integers(0, (obstacles == 0).sum(), (2, count))]
    map = GridMap(obstacles, "", corner_cutting=False)
    return Scenarios(map, starts, ends[np.arange(count) % goals], np.ones(count), np.full(count, 1e-6))


@pytest.mark.parametrize("kind", MODELS)
def test_scenarios_in_batches_are_those_one_by_one(kind):
    scenarios = some_scenarios()
    model = Model("m", MODELS[kind].build(), 40, {})
    assert len(scenarios) * scenarios.map.obstacles.size > MAX_CELLS
    results, optimal = run_scenarios(scenarios, model=model), optimal_costs(scenarios, corner_cutting=False)
    assert results.plans == 60
    for index in (0, 30, 59):
        start, goal = (tuple(ends[index].tolist()) for ends in (scenarios.starts, scenarios.goals))
        route = plan_on_map(scenarios.map, start, goal, model=model)
        assert results.reached[index] == route.reached
        assert optimal[index] == route.optimal_cost
        assert results.costs[index] == pytest.approx(route.cost)


def test_a_map_is_looked_at_once_and_planned_once_for_each_goal(monkeypatch):
    scenarios = some_scenarios(side=30, count=40, goals=7)
    model = Model("m", FixedPointVinConfig().build(), 0, {})
    looks, goals = [], 0
    costs, search = model.network.reward.costs, model.network.planner.forward

    def look(observation):
        looks.append(tuple(observation.shape[2:]))
        return costs(observation)

    def count(problem, moves, **options):
        nonlocal goals
        goals += len(problem.terminals) if problem.terminals.shape[1:] == (30, 30) else 0
        return search(problem, moves, **options)

    monkeypatch.setattr(model.network.reward, "costs", look)
    monkeypatch.setattr(model.network.planner, "forward", count)
    results = run_scenarios(scenarios, model=model)
    assert looks.count((30, 30)) == 1
    assert goals == results.plans == 7


def test_all_scenarios_are_reported_and_those_without_a_route_counted_apart():
    scenarios = some_scenarios(side=20, count=30)
    scenarios.lengths[:5] = 0
    scenarios.goals[0] = scenarios.starts[0]
    done = []
    results = run_scenarios(scenarios, model=None, report=done.append)
    assert done[-1] == results.summary()["scenarios"] == 26
    assert results.without_route == 4


def test_a_path_in_the_water_stays_there(tmp_path):
    (tmp_path / "a.map").write_text("type octile\nheight 2\nwidth 5\nmap\nWW.WW\nW.WW.\n")
    lines = ["0 a.map 5 2 0 0 1 0 1", "0 a.map 5 2 3 0 4 0 1.00", "0 a.map 5 2 0 0 2 0 0"]
    (tmp_path / "a.scen").write_text("\n".join(["version 1", *lines]))
    for model in (None, Model("m", FixedPointVinConfig().build(), 0, {})):
        counts = run_scenarios(read_scenarios(tmp_path / "a.scen"), model=model).summary()
        assert (counts["scenarios"], counts["at_stated_length"], counts["without_route"]) == (2, 2, 1)


@pytest.mark.parametrize("kind", ["movingai", "movingai_large"])
def test_the_exact_planner_finds_the_stated_lengths_of_movingai(real_data, kind):
    for file in (real_data / "maps" / kind).glob("*.scen"):
        counts = run_scenarios(read_scenarios(file), model=None).summary()
        assert counts["at_stated_length"] == counts["scenarios"], file.name


def test_no_iterations_are_taken_by_a_planner_to_the_fixed_point():
    model = Model("m", FixedPointVinConfig().build(), 0, {})
    with pytest.raises(ValueError, match="expected no number of iterations"), torch.no_grad():
        run_scenarios(some_scenarios(side=9, count=3), model=model, iterations=5)

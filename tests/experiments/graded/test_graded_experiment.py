"""The experiment on maps with costs: its sets, its measures, and the shipped model on maps never seen."""

import json

import numpy as np
import pytest

from vinlab.domains.gridworld.graded import GradedSet, content_keys, costs_to_go
from vinlab.experiments.base import EvaluateRequest, TrainingRequest
from vinlab.experiments.graded import EXPERIMENT
from vinlab.experiments.graded.data import GradedPart, sample_sets
from vinlab.experiments.graded.evaluate import evaluate_costs, policy_costs
from vinlab.experiments.runner import train
from vinlab.maps import GridMap
from vinlab.models import load
from vinlab.navigation.graded import grid_of
from vinlab.navigation.map_files import plan_on_map
from vinlab.planning.graded import graded_path_cost
from vinlab.types import InputError

KINDS = ("noise", "patches", "cells", "costmap", "mazes")


def test_the_shipped_model_plans_the_cheapest_routes_on_maps_never_seen():
    network = load("grid/costs").network
    for kind in KINDS:
        problems = GradedSet(kind, 31).sample(6, stream=987_654)
        found = evaluate_costs(network, problems)
        assert found["success_rate"] == 1.0
        assert 1.0 - 1e-9 <= found["cost_ratio_mean"] <= 1.005
        assert 1.0 - 1e-9 <= found["cost_ratio_all_cells"] <= 1.005


def test_the_cost_of_greedy_moves_is_that_of_the_route():
    model = load("grid/costs")
    problems = GradedSet("cells", 20).sample(4, stream=11)
    for index in range(len(problems)):
        one = problems[index : index + 1]
        costs = policy_costs(model.network, one)
        start, goal = tuple(one.starts[0].tolist()), tuple(one.goals[0].tolist())
        map = GridMap(one.obstacles[0], "", costs=one.costs[0])
        route = plan_on_map(map, start, goal, model=model)
        assert route.reached
        assert route.cost == pytest.approx(costs[start], rel=1e-9)
        assert route.cost == pytest.approx(graded_path_cost(grid_of(map), route.path), rel=1e-12)
        assert costs[start] >= costs_to_go(one)[0][start] - 1e-9


def test_no_map_is_in_two_of_the_sets():
    parts = tuple(GradedPart(GradedSet(kind, 9), 5) for kind in KINDS)
    test = {key for problems in sample_sets(parts, stream=1).values() for key in content_keys(problems)}
    again = sample_sets(parts, stream=1, taken=test)
    assert test.isdisjoint(key for problems in again.values() for key in content_keys(problems))


def test_a_run_is_trained_evaluated_and_put_into_a_table(tmp_path):
    request = TrainingRequest(id="grid/costs", out=tmp_path / "run", budget="smoke")
    train(EXPERIMENT, request)
    scores = json.loads((tmp_path / "run" / "result.json").read_text(encoding="utf-8"))["scores"]
    assert {"noise 32", "mazes 31"} <= scores.keys()
    assert all(0 <= found["success_rate"] <= 1 for found in scores.values())
    with pytest.raises(InputError, match="plans until the value settles"):
        EXPERIMENT.evaluate(load(tmp_path / "run"), EvaluateRequest(iterations=3))


def test_a_network_that_goes_nowhere_reaches_nothing():
    from vinlab.networks.grid.fixed_point import GradedVinConfig

    problems = GradedSet("mazes", 15).sample(2, stream=3)
    costs = policy_costs(GradedVinConfig().build().eval(), problems[:1])
    assert costs[tuple(problems.goals[0])] == 0.0
    assert np.isinf(costs[problems.obstacles[0] == 1]).all()

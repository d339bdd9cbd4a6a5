"""Scores on terrain are those of the rollouts, by the rule for corners that was asked for."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.terrain_problems import open_terrain
from vinlab.domains.gridworld.files import write_problems as write_grid_problems
from vinlab.domains.mars.files import write_problems
from vinlab.experiments.base import EvaluateRequest
from vinlab.experiments.mars.evaluate import evaluate, evaluate_policy, success_by_length
from vinlab.models import Model
from vinlab.networks.terrain.classifier import StraightLine
from vinlab.networks.terrain.configs import TerrainVinConfig
from vinlab.types import InputError


def straight():
    return Model("mars/straight", StraightLine(), 16, {})


def test_the_straight_line_reaches_the_goal_where_nothing_is_steep():
    found = evaluate_policy(StraightLine(), open_terrain())
    assert found.scores.success_rate == 1.0
    assert found.scores.trajectory_difference == 0.0
    assert found.steps.tolist() == [11] * 6


def test_a_wall_stops_the_straight_line():
    terrain = open_terrain()
    wall = terrain.obstacles.copy()
    wall[:, 1:, 8] = True
    assert evaluate_policy(StraightLine(), replace(terrain, obstacles=wall)).scores.success_rate == 0.0


def test_problems_are_counted_once_each_by_length():
    found = success_by_length(np.array([True, False, True]), np.array([5, 6, 40]))
    assert found == {"1-5": (1.0, 1), "6-10": (0.0, 1), "11-15": (None, 0), "over 15": (1.0, 1)}


def test_the_rule_for_corners_is_honoured(tmp_path):
    """The goal of each problem is reached over a corner alone."""
    terrain = open_terrain()
    obstacles = np.ones_like(terrain.obstacles)
    obstacles[:, 2, 3] = obstacles[:, 3, 4] = False
    problems = replace(terrain, obstacles=obstacles, goals=np.tile([3, 4], (6, 1)))
    write_problems(tmp_path / "p.npz", problems)
    allowed = evaluate(straight(), EvaluateRequest(tmp_path / "p.npz"))
    assert allowed.scores["success_rate"] == 1.0
    forbidden = evaluate(straight(), EvaluateRequest(tmp_path / "p.npz", corner_cutting=False))
    assert forbidden.scores["num_unsolvable"] == 6
    assert forbidden.settings["corner_cutting"] is False


def test_k_is_that_of_the_request_or_grows_with_the_map(tmp_path):
    write_problems(tmp_path / "p.npz", open_terrain(2))
    vin = Model("mars/vin", TerrainVinConfig(iterations=4, hidden=8).build(), 8, {})
    given = evaluate(vin, EvaluateRequest(tmp_path / "p.npz", iterations=3))
    assert given.settings["iterations"] == 3
    assert evaluate(vin, EvaluateRequest(tmp_path / "p.npz")).settings["iterations"] == 8


def test_maps_without_images_are_refused(tmp_path):
    write_grid_problems(tmp_path / "p.npz", open_terrain().grid)
    with pytest.raises(
        InputError, match=r"expected problems with images of terrain, got maps without images"
    ):
        evaluate(straight(), EvaluateRequest(tmp_path / "p.npz"))

"""The scores of a policy on a set of problems."""

from dataclasses import asdict

import numpy as np
import pytest
import torch

from helpers.planners import ROOM, PerfectPlanner
from vinlab.navigation.evaluation import evaluate
from vinlab.networks.grid.configs import VinConfig
from vinlab.types import GridProblems


def test_a_perfect_policy_has_perfect_scores_and_unsolvable_problems_are_counted():
    problems = GridProblems(
        np.stack([ROOM, ROOM, ROOM]).astype(np.uint8),
        np.array([[0, 0], [4, 0], [0, 0]]),
        np.array([[4, 4], [0, 4], [2, 2]]),
    )
    scores = evaluate(PerfectPlanner(corner_cutting=False), problems, corner_cutting=False, batch=2)
    assert scores.num_problems == 3
    assert scores.num_unsolvable == 1
    assert scores.unsolvable == (2,)
    assert scores.success_rate == pytest.approx(2 / 3)
    assert scores.trajectory_difference == 0
    assert scores.optimal_action_accuracy == 1
    assert scores.prediction_loss == 0


def numbers(scores):
    return {name: number for name, number in asdict(scores).items() if name != "unsolvable"}


def test_the_batch_does_not_change_the_scores():
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    obstacles = (rng.random((7, 6, 9)) < 0.2).astype(np.uint8)
    obstacles[:, 0, 0] = obstacles[:, 5, 8] = 0
    problems = GridProblems(obstacles, np.tile([0, 0], (7, 1)), np.tile([5, 8], (7, 1)))
    network = VinConfig(iterations=5, hidden=8).build()
    whole, parts = evaluate(network, problems), evaluate(network, problems, batch=3)
    assert whole.unsolvable == parts.unsolvable
    assert numbers(whole) == pytest.approx(numbers(parts), nan_ok=True)
    assert whole.num_problems == 7

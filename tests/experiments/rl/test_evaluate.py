"""Scores of hand-made policies whose episodes are known, and one plan per problem."""

import numpy as np
import pytest
import torch

from vinlab.domains.gridworld.files import write_problems
from vinlab.domains.gridworld.problem import GridworldConfig
from vinlab.domains.holeworld.expert import solve
from vinlab.domains.holeworld.problem import sample_problems
from vinlab.experiments.base import EvaluateRequest
from vinlab.experiments.rl.data import RlData
from vinlab.experiments.rl.evaluate import (
    evaluate,
    evaluate_policy,
    run_episodes,
    success_by_difficulty,
    success_rate,
    validate,
)
from vinlab.models import load
from vinlab.types import GridProblems, InputError

EAST = 2


class Recorded:
    """A policy with given logits in every cell, which counts its plans."""

    def __init__(self, logits: np.ndarray) -> None:
        self.logits = torch.as_tensor(logits, dtype=torch.float32)
        self.plans = 0

    def plan(self, observation, *, iterations=None):
        self.plans += 1
        return self.logits

    def act(self, plan, states):
        problem = torch.arange(len(states))[:, None]
        return plan[problem, :, states[..., 0], states[..., 1]]


def always_east(problems: GridProblems) -> Recorded:
    logits = np.zeros((len(problems), 4, *problems.obstacles.shape[1:]))
    logits[:, EAST] = 100.0
    return Recorded(logits)


def expert(problems: GridProblems, sign: float = 100.0) -> Recorded:
    """Optimal moves, or with a negative sign never an optimal one."""
    return Recorded(sign * solve(problems).optimal)


def into_holes(problems: GridProblems) -> Recorded:
    """Moves into a hole beside the cell."""
    holes = np.pad(problems.obstacles, ((0, 0), (1, 1), (1, 1)), constant_values=1)
    beside = [holes[:, :-2, 1:-1], holes[:, 2:, 1:-1], holes[:, 1:-1, 2:], holes[:, 1:-1, :-2]]
    return Recorded(100.0 * np.stack(beside, axis=1))


def corridor() -> GridProblems:
    obstacles = np.ones((2, 3, 6), np.uint8)
    obstacles[:, 1, 1:5] = 0
    return GridProblems(obstacles, np.array([[1, 1], [1, 3]]), np.array([[1, 4], [1, 1]]))


def many() -> GridProblems:
    return sample_problems(GridworldConfig(size=8), 60, rng=np.random.default_rng(0))


def scores(policy, problems):
    return evaluate_policy(policy, problems, rng=np.random.default_rng(0))


def test_episodes_in_a_corridor_reach_the_goal_or_fall():
    problems = corridor()
    policy = always_east(problems)
    episodes = run_episodes(policy, policy.plan(None), problems)
    assert episodes.reached.tolist() == [True, False]
    assert episodes.fallen.tolist() == [False, True]
    assert episodes.steps.tolist() == [3, 2]
    assert episodes.states[0].tolist() == [[1, 1], [1, 2], [1, 3], [1, 4]]
    found = scores(policy, problems)
    assert found["optimal_action_accuracy"] == pytest.approx(3 / 5)
    assert (found["success_rate"], found["fallen_rate"], found["trajectory_difference"]) == (0.5, 0.5, 0.0)


def test_the_experts_moves_have_success_1_and_no_extra_steps():
    problems = many()
    found = scores(expert(problems), problems)
    assert found["success_rate"] == found["sampled_success_rate"] == found["optimal_action_accuracy"] == 1.0
    assert found["fallen_rate"] == found["trajectory_difference"] == 0.0
    assert found["num_unsolvable"] == 0


def test_a_policy_that_moves_into_holes_falls_in_every_problem():
    problems = many()
    rows, cols = problems.starts.T
    problems = problems[into_holes(problems).logits.numpy()[np.arange(60), :, rows, cols].any(axis=1)]
    assert len(problems) > 30
    found = scores(into_holes(problems), problems)
    assert found["fallen_rate"] == 1.0
    assert found["success_rate"] == found["sampled_success_rate"] == 0.0
    assert np.isnan(found["trajectory_difference"])


def test_a_policy_that_avoids_optimal_moves_has_none():
    problems = many()
    assert scores(expert(problems, sign=-100.0), problems)["optimal_action_accuracy"] == 0.0


def test_each_problem_is_planned_once_for_all_scores():
    problems = many()
    policy = expert(problems)
    scores(policy, problems)
    assert policy.plans == 1
    assert validate(problems, policy).score == success_rate(policy, problems) == 1.0
    assert policy.plans == 3


def test_a_goal_at_the_start_and_one_out_of_reach_are_counted():
    obstacles = np.array([[[0, 0, 0]], [[0, 1, 0]]], np.uint8)
    problems = GridProblems(obstacles, np.array([[0, 1], [0, 0]]), np.array([[0, 1], [0, 2]]))
    found = scores(always_east(problems), problems)
    assert (found["num_problems"], found["num_unsolvable"]) == (2, 1)
    assert (found["success_rate"], found["fallen_rate"]) == (0.5, 0.5)


def test_success_by_difficulty_goes_up_to_the_distance_between_opposite_corners():
    found = success_by_difficulty(load("rl/8/vin").network, RlData(size=8, per_difficulty=3))
    assert list(found) == [str(level) for level in range(1, 11)]
    assert found["1"] == found["2"] == 1.0


def test_a_shipped_model_keeps_its_scores():
    found = evaluate(load("rl/8/vin"), EvaluateRequest())
    assert (found.scores["num_problems"], found.scores["success_rate"]) == (1000, 0.998)
    assert found.settings == {"iterations": 10}


def test_a_model_is_evaluated_on_the_problems_of_a_file(tmp_path):
    problems = sample_problems(GridworldConfig(size=16), 20, rng=np.random.default_rng(0), difficulty=3)
    write_problems(tmp_path / "problems.npz", problems)
    found = evaluate(load("rl/8/vin"), EvaluateRequest(problems=tmp_path / "problems.npz"))
    assert (found.scores["num_problems"], found.scores["success_rate"]) == (20, 1.0)
    assert found.settings == {"iterations": 20}


@pytest.mark.parametrize("cutting", [True, False])
def test_a_rule_for_corners_is_refused(cutting):
    with pytest.raises(InputError, match="rl/8/vin does not support --corner-cutting: its four moves"):
        evaluate(load("rl/8/vin"), EvaluateRequest(corner_cutting=cutting))

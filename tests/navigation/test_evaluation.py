"""The scores of a policy on a set of problems."""

from dataclasses import asdict

import numpy as np
import pytest
import torch

from helpers.planners import ROOM, PerfectPlanner
from vinlab.domains.gridworld.expert import solve
from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems
from vinlab.models import load
from vinlab.navigation.adaptive import with_rollouts
from vinlab.navigation.evaluation import evaluate, evaluate_followed
from vinlab.navigation.routes import navigate
from vinlab.networks import Policy
from vinlab.networks.grid.configs import VinConfig
from vinlab.types import GridProblems, Plan


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


def test_a_model_is_evaluated_as_its_network_is():
    model = load("gridworld/8/vin")
    problems = sample_problems(GridworldConfig(size=8), 20, rng=np.random.default_rng(1))
    assert evaluate(model, problems) == evaluate(model.network, problems)


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


class TablePolicy(Policy):
    """Makes the move that a table names in each cell."""

    def __init__(self, moves):
        super().__init__()
        self.moves = torch.as_tensor(moves)

    def plan(self, observation, *, iterations=None):
        q = torch.nn.functional.one_hot(self.moves, 8).movedim(-1, 0)[None].float()
        return Plan(reward=observation, q=q, value=q[:, :1])

    def act(self, plan, states):
        return torch.stack([plan.q[b, :, s[:, 0], s[:, 1]].T for b, s in enumerate(states)])


N, S, E, W, NE, NW, SE, SW = range(8)


@pytest.mark.parametrize(
    ("moves", "states", "reached"),
    [
        ([[S, 0, 0], [E, N, 0], [0, 0, 0]], 4, True),  # (0, 0), (1, 0), (1, 1), (0, 1)
        ([[S, 0, 0], [SE, N, 0], [0, N, 0]], 5, False),  # by way of (2, 1)
    ],
)
def test_the_horizon_is_twice_the_states_of_the_experts_path(moves, states, reached):
    problem = GridProblems(np.zeros((1, 3, 3), np.uint8), np.array([[0, 0]]), np.array([[0, 1]]))
    policy = TablePolicy(moves)
    scores = evaluate(policy, problem)
    assert scores.success_rate == float(reached)
    plan = policy.plan(torch.zeros(1, 2, 3, 3))
    planned = with_rollouts(plan, np.array([moves]), problem, None)
    followed = evaluate_followed(planned, problem, solve(problem))
    assert followed.expert_lengths.tolist() == [2]
    assert followed.lengths.tolist() == [states]
    assert followed.reached.tolist() == [reached]


@pytest.mark.parametrize("name", ["gridworld/8/vin", "gridworld/28/vin", "grid/unrolled", "grid/any"])
def test_a_map_needs_no_wall_around_it_and_scores_and_routes_agree(name):
    model, size = load(name), 12
    walled = sample_problems(GridworldConfig(size=size + 2), 30, rng=np.random.default_rng(4))
    inside = ((walled.starts > 0) & (walled.starts < size + 1)).all(axis=1)
    walled = walled[inside]
    problems = GridProblems(
        np.ascontiguousarray(walled.obstacles[:, 1:-1, 1:-1]), walled.starts - 1, walled.goals - 1
    )
    iterations = model.iterations_for((size, size))
    scores = evaluate(model.network, problems, iterations=iterations)
    routes = [
        navigate(model, obstacles, start, goal, iterations=iterations)
        for obstacles, start, goal in zip(problems.obstacles, problems.starts, problems.goals, strict=True)
    ]
    assert scores.success_rate == pytest.approx(np.mean([route.reached for route in routes]))
    assert scores.success_rate > 0.9

"""With the parts of the cost VIN the value of a cell is its distance to the goal, however long."""

import math

import numpy as np
import pytest
import torch

from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.modules import (
    CnnReward,
    ExpCostReward,
    SoftmaxTransition,
    TemperaturePolicy,
    exit_cost_logits,
    move_kernels,
    move_logits,
)
from vinlab.networks.grid.cost_vin import CostVinConfig
from vinlab.planning import GridPlanner
from vinlab.planning.exact import cost_to_go
from vinlab.types import MOVE_COSTS, MOVE_OFFSETS

WALL = 1e4


def maze_with_costs(size: int) -> tuple[np.ndarray, np.ndarray, torch.Tensor]:
    """A perfect maze, the exact cost-to-go of every cell, and the ideal reward."""
    obstacles, goals = MazeConfig(removed_walls=0.0).draw(size, size, 1, rng=np.random.default_rng(3))
    reward = torch.full((1, 1, size, size), -1.0)
    reward[0, 0][torch.from_numpy(obstacles[0] == 1)] = -WALL
    reward[0, 0, goals[0, 0], goals[0, 1]] = 0.0
    return obstacles[0], cost_to_go(obstacles, goals)[0], reward


def ideal_transition() -> SoftmaxTransition:
    weights = move_logits(logit=30.0)
    for action, (row, col) in enumerate(MOVE_OFFSETS):
        weights[action, 0, 1 + row, 1 + col] = math.log(MOVE_COSTS[action])
    return SoftmaxTransition(transition_logits=move_logits(logit=30.0), cost_logits=weights)


def test_the_value_of_a_maze_is_minus_the_cost_to_go_however_long():
    obstacles, costs, reward = maze_with_costs(63)
    free = obstacles == 0
    assert costs[free].max() > 300
    plan = GridPlanner(iterations=1000)(reward, ideal_transition()(reward))
    # Entering the goal is free here, entering any other cell costs its length: so a constant at most is between.
    difference = plan.value[0, 0].detach().numpy()[free] + costs[free]
    away = costs[free] > 1.5
    assert difference[away].min() >= 1 - 1e-3
    assert difference[away].max() <= math.sqrt(2) + 1e-3


def test_beyond_k_steps_all_cells_have_the_same_value():
    obstacles, costs, reward = maze_with_costs(63)
    plan = GridPlanner(iterations=50)(reward, ideal_transition()(reward))
    far = (obstacles == 0) & (costs > 80)
    assert plan.value[0, 0].detach().numpy()[far] == pytest.approx(-50.0)


def test_a_discount_leaves_float32_nothing_to_compare():
    _, costs, reward = maze_with_costs(63)
    kernels = move_kernels(actions=9, std=0.0, discount=0.95)
    value = GridPlanner(iterations=1000)(reward, kernels).value[0, 0].numpy()
    far = np.isfinite(costs) & (costs > 300)
    assert len(np.unique(value[far])) < len(np.unique(costs[far].round(3)))


def test_probabilities_sum_to_one_and_weights_are_positive():
    torch.manual_seed(0)
    kernels = SoftmaxTransition(torch.randn(5, 1, 3, 3), torch.randn(5, 2, 3, 3))(torch.zeros(1))
    torch.testing.assert_close(kernels.value.sum(dim=(1, 2, 3)), torch.ones(5))
    assert (kernels.reward > 0).all()


def test_moves_lead_where_the_moves_lead_and_the_last_one_stays():
    kernels = SoftmaxTransition(move_logits(logit=8.0), move_logits(logit=8.0))(torch.zeros(1))
    for action, (row, col) in enumerate([*MOVE_OFFSETS.tolist(), (0, 0)]):
        assert kernels.value[action, 0, 1 + row, 1 + col] > 0.997


def test_the_reward_is_negative():
    torch.manual_seed(0)
    assert (ExpCostReward(CnnReward(hidden=5))(10 * torch.randn(2, 2, 6, 7)) < 0).all()


def test_only_differences_of_values_count():
    policy, attended = TemperaturePolicy(moves=3), torch.randn(2, 4, 5)
    near, far = policy(attended).softmax(-1), policy(attended - 512.0).softmax(-1)
    torch.testing.assert_close(near, far, atol=1e-4, rtol=1e-3)
    assert near.shape == (2, 4, 3)


def test_every_weight_learns():
    torch.manual_seed(0)
    network = CostVinConfig(iterations=6, hidden=4).build()
    logits, _ = network(torch.rand(2, 2, 8, 9), torch.randint(8, (2, 5, 2)))
    logits[..., 0].sum().backward()
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in network.parameters())


def test_a_move_pays_its_own_exit_cost_alone():
    moves = move_logits(logit=30.0)
    weights = exit_cost_logits(moves, 0.3).exp()
    assert weights.shape == (9, 9, 3, 3)
    torch.testing.assert_close(weights[:, :1], moves.exp())
    for action in range(9):
        expected = torch.zeros(8, 3, 3)
        if action < 8:
            expected[action, 1, 1] = 0.3
        torch.testing.assert_close(weights[action, 1:], expected)

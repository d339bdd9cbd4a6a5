"""The differentiable A* of Neural A*: it searches as A* does, and its loss has a gradient."""

from dataclasses import replace

import numpy as np
import torch

from helpers.path_datasets import paths_on
from vinlab.experiments.terrain_costs.dataset.demonstrations import PathDemonstrations
from vinlab.learners.search_loss import SearchLossConfig, search_history
from vinlab.networks.terrain.ground_vin import GuidanceVinConfig


def test_with_even_costs_the_search_goes_straight_to_the_goal():
    costs = torch.full((1, 7, 9), 0.5)
    blocked = torch.zeros(1, 7, 9, dtype=torch.bool)
    closed = search_history(costs, blocked, torch.tensor([[3, 1]]), torch.tensor([[3, 7]]), steps=60)
    assert closed[0, 3, 1:8].tolist() == [1.0] * 7
    assert closed.sum() < 12


def test_the_search_goes_around_walls_and_closes_each_cell_once():
    costs = torch.full((2, 7, 9), 0.5)
    blocked = torch.zeros(2, 7, 9, dtype=torch.bool)
    blocked[0, 1:, 4] = True
    ends = torch.tensor([[5, 1], [5, 1]]), torch.tensor([[5, 7], [5, 7]])
    closed = search_history(costs, blocked, *ends, steps=63)
    assert closed[0, 0, 4] == closed[0, 5, 7] == closed[1, 5, 7] == 1
    assert not closed[0][blocked[0]].any()
    assert closed[0].sum() > closed[1].sum()
    np.testing.assert_array_equal(np.unique(closed.numpy()), [0.0, 1.0])


def test_the_loss_moves_all_weights():
    torch.manual_seed(0)
    policy = GuidanceVinConfig(mean=(0.0, 0.0), std=(1.0, 1.0), hidden=4).build()
    straight = paths_on((8, 8)).dataset
    costs = policy.encode(PathDemonstrations(straight)[[0]][0].observations[:, :-1]).costs
    assert 0 < costs.min() < costs.max() < 1.01
    # A corner that no search with such a heuristic takes by itself.
    corner = np.array([*((0, col) for col in range(8)), *((row, 7) for row in range(1, 8))])
    bent = PathDemonstrations(replace(straight, paths=(corner,)))
    loss = SearchLossConfig(1.0).build(policy)(bent[[0]])
    loss.backward()
    assert loss > 0
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in policy.parameters())

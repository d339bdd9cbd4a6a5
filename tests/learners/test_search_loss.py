"""The differentiable A* of Neural A*: it searches as A* does, and its loss has a gradient."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from helpers.path_datasets import paths_on
from vinlab.experiments.terrain_costs.dataset.demonstrations import PathDemonstrations
from vinlab.learners.search_loss import SearchLossConfig, search_history
from vinlab.networks.terrain.ground_vin import GuidanceVinConfig
from vinlab.types import Demonstrations


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


def closed_by_plain_search(costs: np.ndarray, blocked: np.ndarray, start: tuple, goal: tuple) -> np.ndarray:
    """The cells that A* closes, cell by cell with a dictionary in place of maps."""
    away = np.abs(np.indices(costs.shape) - np.reshape(goal, (2, 1, 1)))
    ahead = away.max(axis=0) + 0.001 * np.hypot(*away)
    so_far, opened, closed = {start: 0.0}, {start}, np.zeros(costs.shape)
    while goal not in opened or min(opened, key=lambda cell: so_far[cell] + ahead[cell]) != goal:
        here = min(opened, key=lambda cell: so_far[cell] + ahead[cell])
        opened.remove(here)
        closed[here] = 1
        for row, col in np.argwhere(np.ones((3, 3))) - 1 + here:
            inside = 0 <= row < costs.shape[0] and 0 <= col < costs.shape[1]
            if inside and not blocked[row, col] and not closed[row, col]:
                through = so_far[here] + costs[row, col]
                if (row, col) not in opened or through < so_far[row, col]:
                    so_far[row, col] = through
                    opened.add((row, col))
    closed[goal] = 1
    return closed


@pytest.mark.parametrize("most", [1, 10])
def test_with_fixed_costs_it_closes_the_cells_that_plain_search_closes(most):
    """Where costs are large against the way ahead, cells are reached again by better and by worse paths."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        costs, blocked = rng.uniform(0, most, (9, 11)), rng.random((9, 11)) < 0.2
        blocked[0], blocked[:, 0], blocked[:, 10] = False, False, False
        start, goal = (8, 0), (8, 10)
        ends = torch.tensor([start]), torch.tensor([goal])
        closed = search_history(torch.tensor(costs)[None], torch.tensor(blocked)[None], *ends, steps=99)
        np.testing.assert_array_equal(closed[0].numpy(), closed_by_plain_search(costs, blocked, start, goal))


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


def test_large_costs_have_a_finite_gradient():
    costs = torch.full((1, 9, 9), 500.0, requires_grad=True)
    ends = torch.tensor([[8, 0]]), torch.tensor([[0, 8]])
    closed = search_history(costs, torch.zeros(1, 9, 9, dtype=torch.bool), *ends, steps=81)
    closed.sum().backward()
    assert closed[0, 0, 8] == 1
    assert costs.grad is not None
    assert costs.grad.isfinite().all()


def even_ground(goal: list[int]) -> torch.nn.Module:
    """A policy that gives every cell of a 7 x 9 map the same cost."""
    policy = torch.nn.Module()
    policy.encode = lambda observations: SimpleNamespace(  # type: ignore[assignment]
        costs=torch.full((len(observations), 7, 9), 0.5),
        blocked=torch.zeros(len(observations), 7, 9, dtype=torch.bool),
    )
    policy.goals = lambda observations: torch.tensor([goal] * len(observations))  # type: ignore[assignment]
    return policy


def shown_paths(*paths: list[list[int]]) -> Demonstrations:
    """Paths of at most five moves from their first cell; the goal is where the last move leads."""
    states, weights = torch.zeros(len(paths), 5, 2, dtype=torch.long), torch.zeros(len(paths), 5)
    for number, path in enumerate(paths):
        states[number, : len(path)] = torch.tensor(path)
        weights[number, : len(path)] = 1.0
    return Demonstrations(
        torch.zeros(len(paths), 2, 7, 9), states, torch.zeros(*weights.shape, 8, dtype=torch.bool), weights
    )


def test_the_loss_is_the_share_of_cells_that_differ_times_the_moves_of_the_path():
    loss = SearchLossConfig(1.0).build(even_ground([3, 5]))
    straight = [[3, 1], [3, 2], [3, 3], [3, 4]]
    around = [[3, 1], [2, 2], [1, 3], [2, 4]]
    closed = search_history(
        torch.full((1, 7, 9), 0.5),
        torch.zeros(1, 7, 9, dtype=torch.bool),
        torch.tensor([[3, 1]]),
        torch.tensor([[3, 5]]),
        steps=63,
    )[0]
    differing = []
    for path in (straight, around):
        shown = torch.zeros(7, 9)
        shown[tuple(torch.tensor([*path, [3, 5]]).T)] = 1.0
        differing.append((closed - shown).abs().mean())
    assert differing[0] < differing[1]
    for path, share in zip((straight, around), differing, strict=True):
        torch.testing.assert_close(loss([shown_paths(path)]), 4 * share)
    torch.testing.assert_close(loss([shown_paths(straight), shown_paths(around)]), 4 * sum(differing))
    torch.testing.assert_close(
        loss([shown_paths(straight, around[:2])]) - 4 * differing[0], loss([shown_paths(around[:2])])
    )


def test_a_search_has_a_share_of_the_cells_as_steps_in_training_and_all_of_them_later():
    path = shown_paths([[3, 1], [3, 2], [3, 3], [3, 4]])
    loss = SearchLossConfig(2 / 63).build(even_ground([3, 5]))
    missing = torch.tensor(3 / 63)  # of the five cells of the path two are closed in two steps
    torch.testing.assert_close(loss.train()([path]), 4 * missing)
    torch.testing.assert_close(loss.eval()([path]), torch.tensor(0.0))

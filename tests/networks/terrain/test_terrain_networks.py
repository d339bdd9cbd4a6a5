"""Policies on terrain: what is shared between goals changes nothing, and planners find the cheapest ways."""

import numpy as np
import pytest
import torch

from vinlab.domains.mars.observation import normalise, observe_terrain
from vinlab.networks.configs import network_from_plain, network_to_plain
from vinlab.networks.terrain.configs import ClassifierConfig, TerrainCnnConfig, TerrainVinConfig
from vinlab.networks.terrain.policies import (
    CELL,
    LogProbabilityCost,
    StraightLine,
    ThresholdCost,
    weighted_cost_to_go,
)
from vinlab.networks.terrain.reward import TerrainReward, mark_goals, marked_cells
from vinlab.planning.exact import cost_to_go
from vinlab.types import MOVE_COSTS

CONFIGS = [
    TerrainVinConfig(iterations=6, hidden=10),
    TerrainCnnConfig(width=8),
    TerrainVinConfig(iterations=6, hidden=10, image="deep", dropout=0.0),
    ClassifierConfig(hidden=10, image="deep"),
]


def pictures(count: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (count, 128, 128)).astype(np.uint8)


EDGES = np.array([[0, 0], [15, 15], [3, 4], [0, 7], [15, 2], [8, 15]])


def test_a_goal_changes_no_more_of_the_reward_than_its_window_and_that_rightly():
    torch.manual_seed(0)
    reward, observation = TerrainReward(hidden=20), observe_terrain(pictures(len(EDGES)), EDGES)
    marks = mark_goals(torch.from_numpy(EDGES), (16, 16))
    joined = torch.cat([reward.image(observation[:, :1]), marks], dim=1)
    plainly = reward.reward(reward.features(joined).relu())
    assert torch.allclose(reward(observation), plainly, atol=1e-4)


def test_the_gradient_of_the_window_is_that_of_the_whole_layer():
    torch.manual_seed(0)
    reward, observation = TerrainReward(hidden=20), observe_terrain(pictures(len(EDGES)), EDGES)
    weights = torch.randn(len(EDGES), 1, 16, 16)
    (reward(observation) * weights).sum().backward()
    quick = [parameter.grad.clone() for parameter in reward.parameters() if parameter.grad is not None]
    reward.zero_grad()
    marks = mark_goals(torch.from_numpy(EDGES), (16, 16))
    joined = torch.cat([reward.image(observation[:, :1]), marks], dim=1)
    (reward.reward(reward.features(joined).relu()) * weights).sum().backward()
    for one, parameter in zip(quick, reward.parameters(), strict=True):
        assert parameter.grad is not None
        assert torch.allclose(one, parameter.grad, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize(
    "config",
    [TerrainVinConfig(iterations=6, hidden=10, flip_average=True), ClassifierConfig(flip_average=True)],
)
def test_who_looks_twice_does_the_same_on_ground_that_is_turned_upside_down(config):
    torch.manual_seed(0)
    network, images = config.build().eval(), normalise(pictures(2))
    if isinstance(config, TerrainVinConfig):
        features, turned = (network.encode(one).reward[:, 0] for one in (images, images.flip(2)))
    else:
        features, turned = network.encode(images), network.encode(images.flip(2))
    assert torch.allclose(turned, features.flip(1), atol=1e-4)
    assert not torch.allclose(features, features.flip(1), atol=1e-4)


def test_the_marked_cell_is_found():
    observation = observe_terrain(pictures(len(EDGES)), EDGES)
    assert marked_cells(observation[:, 1], 16).tolist() == EDGES.tolist()


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"{type(config).__name__}-{config.image}")
def test_goals_that_share_a_look_get_what_they_would_get_alone(config):
    torch.manual_seed(0)
    network, images = config.build().eval(), pictures(2)
    goals = np.array([[[0, 0], [5, 9]], [[15, 3], [7, 7]]])
    together = network.dense_logits(normalise(images), torch.from_numpy(goals))
    cells = torch.cartesian_prod(torch.arange(16), torch.arange(16)).expand(4, -1, -1)
    observation = observe_terrain(np.repeat(images, 2, axis=0), goals.reshape(4, 2))
    alone, _ = network(observation, cells)
    assert torch.allclose(together.flatten(2).transpose(1, 2), alone, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"{type(config).__name__}-{config.image}")
def test_a_manifest_rebuilds_the_network(config):
    rebuilt = network_from_plain(network_to_plain(config))
    rebuilt.load_state_dict(config.build().state_dict())


@pytest.mark.parametrize("config", CONFIGS[:3], ids=lambda config: f"{type(config).__name__}-{config.image}")
def test_every_weight_has_a_gradient(config):
    torch.manual_seed(0)
    network = config.build()
    logits = network.dense_logits(normalise(pictures(2)), torch.tensor([[[3, 3]], [[9, 12]]]))
    logits.log_softmax(dim=1)[:, 0].sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in network.parameters())


def test_cheapest_ways_equal_the_exact_planner_on_walls():
    rng = np.random.default_rng(0)
    walls = (rng.random((20, 9, 7)) < 0.3).astype(np.uint8)
    goals = np.stack([rng.integers(0, 9, 20), rng.integers(0, 7, 20)], axis=-1)
    walls[np.arange(20), goals[:, 0], goals[:, 1]] = 0
    exact = cost_to_go(walls, goals)
    through = weighted_cost_to_go(1e5 * torch.from_numpy(walls).float(), torch.from_numpy(goals)).amin(dim=1)
    known = np.isfinite(exact) & (exact > 0)
    assert np.allclose(through.numpy()[known], exact[known], atol=1e-3)
    assert (through.numpy()[~np.isfinite(exact) & (walls == 0)] > 1e4).all()


def test_caution_prices_cells_by_their_chance_to_be_blocked():
    logits = torch.tensor([[[-2.0, 0.0, 2.0]]])
    assert (ThresholdCost(0.6)(logits) > 0).flatten().tolist() == [False, False, True]
    assert torch.allclose(LogProbabilityCost(3.0)(logits), -3.0 * torch.log(1 - logits.sigmoid()))


def test_the_straight_line_ignores_the_picture():
    goals = torch.tensor([[[0, 0]]])
    dark, light = (
        StraightLine().dense_logits(normalise(pictures(2)[one : one + 1]), goals) for one in (0, 1)
    )
    assert torch.equal(dark, light)
    assert -dark.amax(dim=1)[0, 15, 15].item() == pytest.approx(15 * MOVE_COSTS[-1], rel=1e-4)
    assert CELL == 8

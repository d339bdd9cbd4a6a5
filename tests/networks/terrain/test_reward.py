"""The reward of terrain: goals change no more than their window, and a flip changes nothing where it is averaged."""

import numpy as np
import torch

from helpers.terrain_problems import noise_images
from vinlab.domains.mars.problem import normalise, observe
from vinlab.networks.terrain.configs import TerrainVinConfig
from vinlab.networks.terrain.reward import TerrainReward, mark_goals, marked_cells

EDGES = np.array([[0, 0], [15, 15], [3, 4], [0, 7], [15, 2], [8, 15]])


def test_a_goal_changes_no_more_of_the_reward_than_its_window_and_that_rightly():
    torch.manual_seed(0)
    reward, observation = TerrainReward(hidden=20), observe(noise_images(len(EDGES)), EDGES)
    marks = mark_goals(torch.from_numpy(EDGES), (16, 16))
    joined = torch.cat([reward.image(observation[:, :1]), marks], dim=1)
    plainly = reward.reward(reward.features(joined).relu())
    assert torch.allclose(reward(observation), plainly, atol=1e-4)


def test_the_gradient_of_the_window_is_that_of_the_whole_layer():
    torch.manual_seed(0)
    reward, observation = TerrainReward(hidden=20), observe(noise_images(len(EDGES)), EDGES)
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


def test_a_flip_average_is_the_same_on_flipped_terrain():
    torch.manual_seed(0)
    images = normalise(noise_images(2))
    network = TerrainVinConfig(iterations=6, hidden=10, flip_average=True).build().eval()
    features, flipped = (network.encode(one).reward[:, 0] for one in (images, images.flip(2)))
    assert torch.allclose(flipped, features.flip(1), atol=1e-4)
    assert not torch.allclose(features, features.flip(1), atol=1e-4)


def test_the_marked_cell_is_found():
    observation = observe(noise_images(len(EDGES)), EDGES)
    assert marked_cells(observation[:, 1]).tolist() == EDGES.tolist()

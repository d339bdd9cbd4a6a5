"""Policies on terrain: goals that share an encoding change nothing, and manifests rebuild the networks."""

import numpy as np
import pytest
import torch

from helpers.terrain_problems import noise_images
from vinlab.domains.mars.problem import normalise, observe
from vinlab.networks.configs import network_config
from vinlab.networks.terrain.configs import ClassifierConfig, TerrainCnnConfig, TerrainVinConfig
from vinlab.recording.serialization import to_plain

CONFIGS = [
    TerrainVinConfig(iterations=6, hidden=10),
    TerrainCnnConfig(width=8),
    TerrainVinConfig(iterations=6, hidden=10, image="deep", dropout=0.0),
    ClassifierConfig(hidden=10, image="deep"),
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"{type(config).__name__}-{config.image}")
def test_goals_that_share_an_encoding_get_what_they_would_get_alone(config):
    torch.manual_seed(0)
    network, images = config.build().eval(), noise_images(2)
    goals = np.array([[[0, 0], [5, 9]], [[15, 3], [7, 7]]])
    together = network.dense_logits(normalise(images), torch.from_numpy(goals))
    cells = torch.cartesian_prod(torch.arange(16), torch.arange(16)).expand(4, -1, -1)
    observation = observe(np.repeat(images, 2, axis=0), goals.reshape(4, 2))
    alone, _ = network(observation, cells)
    assert torch.allclose(together.flatten(2).transpose(1, 2), alone, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"{type(config).__name__}-{config.image}")
def test_a_manifest_rebuilds_the_network(config):
    rebuilt = network_config(to_plain(config))
    assert rebuilt == config
    weights = config.build().state_dict()
    network = rebuilt.build()
    network.load_state_dict(weights)
    assert all(tensor.equal(weights[name]) for name, tensor in network.state_dict().items())


@pytest.mark.parametrize("config", CONFIGS[:3], ids=lambda config: f"{type(config).__name__}-{config.image}")
def test_every_weight_has_a_gradient(config):
    torch.manual_seed(0)
    network = config.build()
    logits = network.dense_logits(normalise(noise_images(2)), torch.tensor([[[3, 3]], [[9, 12]]]))
    logits.log_softmax(dim=1)[:, 0].sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in network.parameters())

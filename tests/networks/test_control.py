"""The two policies of the control experiment: one plan per domain, equal inputs, every weight learns."""

import pytest
import torch

from vinlab.modules import move_kernels
from vinlab.networks.configs import network_config
from vinlab.networks.control import ControlCnnConfig, ControlVinConfig, state_features
from vinlab.recording.serialization import to_plain

CONFIGS = [ControlVinConfig(iterations=6, features=8, hidden=16), ControlCnnConfig(features=4, hidden=16)]


@pytest.fixture(params=CONFIGS, ids=lambda config: type(config).__name__)
def network(request):
    torch.manual_seed(0)
    return request.param.build()


def observations(count=3):
    return torch.rand(count, 2, 16, 16)


def test_one_plan_serves_all_states(network):
    images, states = observations(), torch.rand(3, 5, 4) - 0.5
    plan = network.plan(images)
    together = network.act(plan, states)
    assert together.shape == (3, 5, 2)
    for index in range(5):
        torch.testing.assert_close(network.act(plan, states[:, index : index + 1])[:, 0], together[:, index])
    torch.testing.assert_close(network(images, states)[0], together)


def test_every_weight_has_a_gradient(network):
    forces, _ = network(observations(), torch.rand(3, 9, 4) * 2 - 1)
    (forces**2).sum().backward()
    for name, weight in network.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().sum() > 0, name


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: type(config).__name__)
def test_a_manifest_can_hold_the_settings(config):
    rebuilt = network_config(to_plain(config)).build()
    assert {name: weight.shape for name, weight in rebuilt.state_dict().items()} == {
        name: weight.shape for name, weight in config.build().state_dict().items()
    }


def test_both_networks_see_the_same_numbers_of_a_state():
    states = torch.tensor([[[0.03, -0.5, 0.2, -0.1]]])
    features = state_features(states, 16, 16)
    torch.testing.assert_close(features[..., :4], states)
    torch.testing.assert_close(features[..., 4:], torch.tensor([[[-0.26, -0.5]]]))


def test_a_vin_that_knows_the_goal_is_pulled_along_its_value():
    """Kernels preset to moves: with a reward at the goal alone the value falls off with the distance to it."""
    network = ControlVinConfig(iterations=40, features=2).build()
    with torch.no_grad():
        network.reward.features.weight.zero_()
        network.reward.features.bias.zero_()
        network.reward.features.weight[0, 1, 1, 1] = 1.0
        network.reward.reward.weight.zero_()
        network.reward.reward.weight[0, 0, 1, 1] = 1.0
        moves = move_kernels(actions=len(network.transition.reward), std=0.0)
        network.transition.reward.copy_(moves.reward)
        network.transition.value.copy_(moves.value)
    image = torch.zeros(1, 2, 16, 16)
    image[0, 1, 3, 4] = 10.0
    value = network.plan(image).value[0, 0].detach()
    rows, cols = torch.meshgrid(torch.arange(16), torch.arange(16), indexing="ij")
    steps = torch.maximum((rows - 3).abs(), (cols - 4).abs())
    nearness = torch.stack([value[steps == distance].mean() for distance in range(1, 12)])
    assert (nearness.diff() < 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_fresh_vin_wants_the_goal_whatever_the_seed(seed):
    torch.manual_seed(seed)
    image = torch.zeros(1, 2, 16, 16)
    image[0, 1, 5, 9] = 10.0
    reward = ControlVinConfig().build().plan(image).reward[0, 0]
    assert reward.min() >= 0
    assert reward[4:7, 8:11].mean() > 2 * reward[0:3, 0:3].mean()

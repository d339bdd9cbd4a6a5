import pytest
import torch
from torch import nn
from torch.nn import functional

from vinlab.modules.attention import gather_states
from vinlab.networks.configs import network_config
from vinlab.networks.grid.cnn import CnnConfig, unique_states
from vinlab.networks.grid.fcn import FcnConfig
from vinlab.recording.serialization import to_plain
from vinlab.types import InputError


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def dense_features(network, observations):
    """The FCN's third layer in every cell, by plain convolutions."""
    for layer in (network.span, network.second, network.third):
        observations = layer(observations).relu()
    return observations


def with_noise(network):
    """Weights of a size at which every layer matters."""
    for parameter in network.parameters():
        nn.init.normal_(parameter, std=0.1)
    return network


def some_maps(count, size):
    observations = torch.zeros(count, 2, size, size)
    observations[:, 0] = (torch.rand(count, size, size) < 0.3).float()
    observations[torch.arange(count), 1, torch.randint(size, (count,)), torch.randint(size, (count,))] = 10.0
    return observations


def every_cell(count, size):
    cells = torch.cartesian_prod(torch.arange(size), torch.arange(size))
    return cells[None].expand(count, -1, -1)


@pytest.mark.parametrize("size", [4, 8, 16, 20, 28])
def test_the_windows_of_a_cnn_give_what_the_plain_pass_gives(size):
    network = with_noise(CnnConfig(size=size, filters=(3, 4, 5, 4, 3)).build())
    observations = some_maps(2, size)
    unique = unique_states(every_cell(2, size), size)
    plan = network.plan(observations)
    found = network.patch_features(plan, unique.owner, unique.places)
    here = functional.one_hot(torch.arange(2 * size**2) % size**2, size**2).float().view(-1, 1, size, size)
    plain = network.images(torch.cat([observations[unique.owner], here], dim=1))[-1]
    torch.testing.assert_close(found, plain)
    torch.testing.assert_close(network.patch_features_reference(plan, unique.owner, unique.places), plain)


def test_so_do_their_gradients():
    network = with_noise(CnnConfig(size=12, filters=(3, 4, 5, 4, 3)).build())
    unique = unique_states(torch.randint(12, (2, 9, 2)), 12)
    plan = network.plan(some_maps(2, 12))
    gradients = []
    for patch_features in (network.patch_features, network.patch_features_reference):
        total = patch_features(plan, unique.owner, unique.places).square().sum()
        gradients.append(torch.autograd.grad(total, list(network.filters.parameters()), retain_graph=True))
    torch.testing.assert_close(gradients[0], gradients[1])


def test_the_cnn_has_the_layers_of_the_paper():
    network = CnnConfig(size=28).build()
    images = network.images(torch.zeros(1, 3, 28, 28))
    assert [tuple(image.shape[1:]) for image in images] == [
        (3, 28, 28),
        (50, 28, 28),
        (50, 14, 14),
        (50, 14, 14),
        (100, 14, 14),
        (100, 7, 7),
        (100, 7, 7),
        (100, 7, 7),
    ]
    assert network.moves.in_features == 4900


@pytest.mark.parametrize("size", [3, 8, 13])
def test_the_fcn_reads_what_plain_convolutions_give_everywhere(size):
    network = with_noise(FcnConfig(size=size, filters=(7, 6, 5)).build())
    observations, states = some_maps(2, size), every_cell(2, size)
    expected = network.policy(gather_states(dense_features(network, observations), states))
    torch.testing.assert_close(network(observations, states)[0], expected, rtol=1e-4, atol=1e-5)


def test_the_fcn_has_the_layers_of_the_paper():
    network = FcnConfig(size=8).build()
    assert network.span.weight.shape == (150, 2, 15, 15)
    assert network.second.weight.shape == (150, 150, 1, 1)
    assert network.third.weight.shape == (10, 150, 1, 1)
    assert dense_features(network, torch.zeros(1, 2, 8, 8)).shape == (1, 10, 8, 8)


def test_a_state_that_is_asked_for_often_is_looked_at_once():
    states = torch.tensor([[[1, 2], [1, 2], [0, 3]], [[1, 2], [3, 3], [3, 3]]])
    unique = unique_states(states, 4)
    assert unique.owner.tolist() == [0, 0, 1, 1]
    assert unique.places.tolist() == [[0, 3], [1, 2], [1, 2], [3, 3]]
    assert torch.equal(unique.spread(unique.places.float()), states.float())


@pytest.mark.parametrize("config", [CnnConfig(size=8), FcnConfig(size=8)], ids=lambda one: type(one).__name__)
def test_a_manifest_can_hold_a_baseline_and_maps_of_another_size_are_refused(config):
    network = network_config(to_plain(config)).build()
    assert network(some_maps(1, 8), torch.zeros(1, 1, 2, dtype=torch.int64))[0].shape == (1, 1, 8)
    with pytest.raises(InputError, match="side 8"):
        network.plan(some_maps(1, 12))


def test_a_cnn_refuses_a_side_that_cannot_be_pooled():
    with pytest.raises(InputError, match="multiple of 4"):
        CnnConfig(size=10).build()

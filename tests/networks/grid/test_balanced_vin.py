"""The bonus of planner actions that rarely win: when it is given, and that a trained network has none."""

import torch

from vinlab.networks.configs import network_config
from vinlab.networks.grid.authors_weights import draw_authors_weights
from vinlab.networks.grid.balanced_vin import Balance, BalancedVinConfig, with_bonus
from vinlab.networks.grid.configs import AuthorsVinConfig
from vinlab.planning import SharedKernels
from vinlab.planning.bellman import value_iteration
from vinlab.recording.serialization import to_plain


def some_maps():
    torch.manual_seed(1)
    observation = torch.zeros(6, 2, 8, 8)
    observation[:, 0] = torch.rand(6, 8, 8) < 0.2
    observation[:, 1, 3, 4] = 10.0
    return observation


def built(first=0, last=100):
    torch.manual_seed(0)
    balance = Balance(first=first, last=last)
    return BalancedVinConfig(iterations=4, balance=balance, hidden=8, std=0.1).build()


def winning_shares(network, observation):
    q = network.plan(observation).q + network.bonus[:, None, None]
    return (
        torch.bincount(q.argmax(dim=1)[observation[:, 0] == 0], minlength=10) / (observation[:, 0] == 0).sum()
    )


def test_without_a_bonus_it_is_the_authors_network():
    balanced, plain = built(), AuthorsVinConfig(iterations=4, hidden=8).build()
    plain.load_state_dict({name: entry for name, entry in balanced.state_dict().items() if "." in name})
    expected = plain.plan(some_maps()).q
    torch.testing.assert_close(balanced.eval().plan(some_maps()).q, expected)
    torch.testing.assert_close(balanced.train().plan(some_maps()).q, expected)
    assert sum(p.numel() for p in balanced.parameters()) == sum(p.numel() for p in plain.parameters())


def test_a_bonus_is_added_to_an_actions_q_in_every_backup():
    torch.manual_seed(0)
    kernels = SharedKernels(torch.randn(3, 1, 3, 3), torch.randn(3, 1, 3, 3) * 0.3)
    reward, bonus = torch.randn(2, 1, 5, 5), torch.tensor([0.0, 0.7, 2.0])
    both = torch.cat([reward, torch.ones(2, 1, 5, 5)], dim=1)
    q, value = value_iteration(both, with_bonus(kernels, bonus), 1)
    first = kernels.reward_term(reward, 0) + bonus[:, None, None]
    torch.testing.assert_close(value, first.max(dim=1, keepdim=True).values)
    torch.testing.assert_close(q, first + kernels.value_term(value, 1))


def test_actions_that_never_win_come_to_win():
    network, observation = built(last=10_000).train(), some_maps()
    before = winning_shares(network.eval(), observation)
    network.train()
    for _ in range(200):
        network.plan(observation)
    assert (before < 0.02).any()
    assert winning_shares(network, observation).min() > 0.015
    assert network.bonus.min() >= 0
    assert network.bonus.min() < network.bonus.max()


def test_the_bonus_fades_and_is_never_there_in_evaluation():
    network, observation = built(first=5, last=50), some_maps()
    plain = network.eval().plan(observation).q
    network.train()
    for plans in range(1, 60):
        network.plan(observation)
        assert bool(network.bonus.any()) == (5 < plans < 50)
    torch.testing.assert_close(network.plan(observation).q, plain)
    network = built(last=10_000).train()
    for _ in range(20):
        network.plan(observation)
    assert network.bonus.any()
    torch.testing.assert_close(network.eval().plan(observation).q, plain)


def test_a_manifest_can_name_it():
    config = BalancedVinConfig(iterations=4, balance=Balance(first=3, last=7))
    assert network_config(to_plain(config) | {"kind": config.kind}) == config


def test_it_can_start_with_the_authors_noise():
    import numpy as np

    network = built()
    draw_authors_weights(network, np.random.RandomState(0))
    assert float(network.reward.features.weight.detach().std()) < 0.02

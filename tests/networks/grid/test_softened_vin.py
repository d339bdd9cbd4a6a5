"""The maximum that hardens in training: its limits, its gradient, and that evaluation has a hard one."""

import pytest
import torch

from vinlab.networks.configs import network_config
from vinlab.networks.grid.configs import AuthorsVinConfig
from vinlab.networks.grid.softened_vin import SoftenedVinConfig, Softening, soft_value_iteration
from vinlab.planning import SharedKernels
from vinlab.planning.bellman import value_iteration
from vinlab.recording.serialization import to_plain


def some_problem():
    torch.manual_seed(0)
    kernels = SharedKernels(torch.randn(4, 1, 3, 3), torch.randn(4, 1, 3, 3) * 0.3)
    return torch.randn(2, 1, 5, 6), kernels


def test_at_a_low_temperature_it_is_value_iteration():
    reward, kernels = some_problem()
    plan = soft_value_iteration(reward, kernels, 5, 1e-5)
    q, value = value_iteration(reward, kernels, 5)
    torch.testing.assert_close(plan.q, q, rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(plan.value, value, rtol=1e-3, atol=1e-3)


def test_at_a_high_temperature_the_value_is_the_mean_over_the_actions():
    reward, kernels = some_problem()
    plan = soft_value_iteration(reward, kernels, 1, 1e6)
    expected = kernels.reward_term(reward, 0).mean(dim=1, keepdim=True)
    torch.testing.assert_close(plan.value, expected, rtol=1e-4, atol=1e-5)


def test_the_temperature_is_relative():
    reward, kernels = some_problem()
    soft, larger = (soft_value_iteration(reward * scale, kernels, 4, 0.7) for scale in (1.0, 1000.0))
    torch.testing.assert_close(soft.q * 1000, larger.q, rtol=1e-3, atol=1e-2)


def test_every_action_learns_while_the_maximum_is_soft():
    reward, kernels = some_problem()
    value = torch.full_like(kernels.value, 0.05).requires_grad_()
    better = torch.tensor([0.0, 0.0, 0.0, 1.0])[:, None, None, None]
    one_wins = SharedKernels(kernels.reward * 0.1 + better, value)
    for plan_of, learning in (
        (lambda: soft_value_iteration(reward.abs(), one_wins, 3, 1.0).value, 4),
        (lambda: value_iteration(reward.abs(), one_wins, 3)[1], 1),
    ):
        (gradient,) = torch.autograd.grad(plan_of().sum(), value)
        assert int((gradient.abs().amax(dim=(1, 2, 3)) > 0).sum()) == learning


def test_training_begins_soft_and_evaluation_is_hard():
    config = SoftenedVinConfig(iterations=3, softening=Softening(updates=4), hidden=5, std=0.3)
    torch.manual_seed(0)
    network, plain = config.build(), AuthorsVinConfig(iterations=3, hidden=5).build()
    plain.load_state_dict({name: entry for name, entry in network.state_dict().items() if name != "updates"})
    observation = torch.rand(2, 2, 6, 6)
    expected = plain.plan(observation).q
    torch.testing.assert_close(network.eval().plan(observation).q, expected)
    network.train()
    errors = [float((network.plan(observation).q - expected).abs().max().detach()) for _ in range(6)]
    assert errors[0] > errors[3] > 0
    assert max(errors[4:]) < 1e-5
    assert int(network.updates) == 4


def test_the_temperature_falls_by_a_factor():
    softening = Softening(updates=10)
    falling = [softening.temperature(update) for update in range(11)]
    assert falling[0] == 3.0
    assert falling[10] == pytest.approx(0.003)
    assert falling[1] / falling[0] == pytest.approx(falling[6] / falling[5])


def test_a_manifest_can_name_it():
    config = SoftenedVinConfig(iterations=4, softening=Softening(updates=7))
    assert network_config(to_plain(config) | {"kind": config.kind}) == config

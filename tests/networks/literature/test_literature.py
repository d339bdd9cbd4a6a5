"""Networks of the literature equal independent recomputations of their papers' equations, cell by cell."""

import numpy as np
import pytest
import torch

from vinlab.learners.losses import DeepSupervisionLoss, ScaledLoss, set_nll
from vinlab.networks.configs import network_config
from vinlab.networks.literature.dynamic import DynamicTransitionVinConfig
from vinlab.networks.literature.equivariant import TURNS, EquivariantVinConfig
from vinlab.networks.literature.gated import (
    GatedPlannerConfig,
    UpdateWeights,
    gated_updates,
    reference_updates,
)
from vinlab.networks.literature.implicit import implicit_value_iteration
from vinlab.networks.literature.propagation import max_propagate, propagate
from vinlab.networks.literature.resnets import RecurrentResNetConfig
from vinlab.planning.bellman import SharedKernels, value_iteration
from vinlab.recording.serialization import to_plain
from vinlab.types import InputError, TimedDemonstrations

KINDS = (
    "plain-vin",
    "gated-planner",
    "dynamic-transition-vin",
    "value-propagation",
    "implicit-vin",
    "equivariant-vin",
    "reactive-resnet",
    "recurrent-resnet",
)


def observation(batch=2, side=6):
    image = torch.zeros(batch, 2, side, side)
    image[:, 0] = (torch.rand(batch, side, side) < 0.3).float()
    image[:, 1, 2, 3] = 10.0
    return image


@pytest.mark.parametrize("kind", KINDS)
def test_every_network_is_a_policy_for_any_size_whose_weights_all_learn(kind):
    config = network_config({"kind": kind})
    assert network_config({**to_plain(config)}) == config
    network = config.build()
    states = torch.tensor([[[0, 0, 0], [2, 5, 0]], [[1, 4, 0], [5, 5, 0]]])
    logits, plan = network(observation(), states)
    assert logits.shape == (2, 2, 4)
    assert torch.equal(logits[1, 0], plan.logits[1, 0, :, 1, 4])
    logits.square().sum().backward()
    still = [name for name, weight in network.named_parameters() if weight.grad is None]
    assert still == []
    with torch.no_grad():
        assert network.plan(observation(1, 9)).logits.shape == (1, 1, 4, 9, 9)


def test_the_plain_vin_gives_the_q_of_value_iteration():
    network = network_config({"kind": "plain-vin", "iterations": 5, "hidden": 4}).build()
    image = observation(1)
    kernels = network.transition(image)
    assert kernels.value.argmax().item() % 9 in (1, 3, 5, 7)  # a neighbour by a straight move
    expected, _ = value_iteration(network.reward(image), kernels, 5)
    torch.testing.assert_close(network.plan(image).logits[:, 0], expected)


def test_the_gated_planner_by_hand():
    network = GatedPlannerConfig(iterations=3, hidden=5, width=3).build()
    image = observation(1, 4)
    found = network.plan(image).logits[0, 0].detach().numpy()
    weights = {name: weight.detach().double().numpy() for name, weight in network.named_parameters()}

    def convolve(picture, name, bias=True):
        kernel = weights[f"{name}.weight"]
        reach = kernel.shape[-1] // 2
        padded = np.pad(picture, ((0, 0), (reach, reach), (reach, reach)))
        out = np.zeros((len(kernel), *picture.shape[1:]))
        for row, col in np.ndindex(*picture.shape[1:]):
            patch = padded[:, row : row + kernel.shape[-1], col : col + kernel.shape[-1]]
            out[:, row, col] = (kernel * patch).sum(axis=(1, 2, 3))
        return out + weights[f"{name}.bias"][:, None, None] if bias else out

    def sigmoid(numbers):
        return 1 / (1 + np.exp(-numbers))

    features = convolve(image[0].double().numpy(), "features")
    hidden, cell = convolve(features, "first_hidden"), convolve(features, "first_cell")
    for _ in range(2):
        read = convolve(hidden, "neighbourhood")
        gates = np.einsum("gx,xhw->ghw", weights["update.weight_ih"], read)
        gates += np.einsum("gd,dhw->ghw", weights["update.weight_hh"], hidden)
        gates += (weights["update.bias_ih"] + weights["update.bias_hh"])[:, None, None]
        enter, forget, change, leave = np.split(gates, 4)
        cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(change)
        hidden = sigmoid(leave) * np.tanh(cell)
    np.testing.assert_allclose(found, convolve(hidden, "policy", bias=False), rtol=1e-4, atol=1e-5)


def test_the_cells_of_a_fresh_gated_planner_remember():
    network = GatedPlannerConfig(iterations=8, hidden=16, width=3).build()
    enter, forget, _, _ = (network.update.bias_ih + network.update.bias_hh).sigmoid().chunk(4)
    assert forget.mean() > 0.7 > 0.6 > enter.mean()


@pytest.mark.parametrize(("units", "width", "updates"), [(3, 1, 2), (4, 5, 3), (2, 3, 1)])
def test_compiled_gated_updates_equal_the_plain_equations_and_their_gradients(units, width, updates):
    hidden, cell = torch.randn(2, 2, units, 4, 7)
    weights = [
        torch.randn(shape) / 2
        for shape in ((1, units, width, width), (1,), (4 * units, 1), (4 * units, units), (4 * units,))
    ]
    inputs = [tensor.requires_grad_() for tensor in (hidden.clone(), cell.clone(), *weights)]
    compiled, plain = (
        function(*inputs[:2], UpdateWeights(*inputs[2:]), updates)
        for function in (gated_updates, reference_updates)
    )
    assert type(compiled.grad_fn).__name__ == "FusedUpdatesBackward"
    torch.testing.assert_close(compiled, plain)
    towards = torch.randn_like(plain)
    for found, expected in zip(
        torch.autograd.grad(compiled, inputs, towards),
        torch.autograd.grad(plain, inputs, towards),
        strict=True,
    ):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_gated_updates_can_be_differentiated_twice():
    inputs = [torch.randn(shape) / 2 for shape in ((1, 2, 3, 3), (1, 2, 3, 3), (1, 2, 3, 3), (1,))]
    inputs += [torch.randn(shape) / 2 for shape in ((8, 1), (8, 2), (8,))]
    inputs = [tensor.requires_grad_() for tensor in inputs]

    def second(function):
        found = function(*inputs[:2], UpdateWeights(*inputs[2:]), 2)
        (first,) = torch.autograd.grad(found.square().sum(), inputs[0], create_graph=True)
        return torch.autograd.grad(first.square().sum(), inputs)

    for found, expected in zip(second(gated_updates), second(reference_updates), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def neighbours(row, col, side, straight):
    steps = [
        (down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if not straight or down * right == 0
    ]
    near = [(row + down, col + right) for down, right in steps]
    return [(y, x) for y, x in near if 0 <= y < side and 0 <= x < side]


def test_a_fresh_vprop_spreads_values_that_are_small():
    network = network_config({"kind": "value-propagation", "rule": "vprop", "hidden": 8}).build()
    spread, inward, outward = network.embedding(torch.zeros(1, 2, 5, 5)).sigmoid().split(1, dim=1)
    assert spread.min() > 0.8
    assert max(inward.max(), outward.max()) < 0.2


@pytest.mark.parametrize("straight", [False, True])
def test_value_propagation_by_hand(straight):
    side, (inward, outward, p) = 5, torch.rand(3, 1, 1, 5, 5)
    value, most = np.zeros((side, side)), inward[0, 0].double().numpy()
    rewards, out, share = (part[0, 0].double().numpy() for part in (inward, outward, p))
    for _ in range(4):
        value = np.array(
            [
                [
                    max(
                        value[row, col],
                        *(
                            share[row, col] * value[near] + rewards[near] - out[row, col]
                            for near in neighbours(row, col, side, straight)
                        ),
                    )
                    for col in range(side)
                ]
                for row in range(side)
            ]
        )
        most = np.array(
            [
                [
                    max(
                        most[row, col],
                        *(
                            rewards[row, col] + share[row, col] * (most[near] - rewards[row, col])
                            for near in neighbours(row, col, side, straight)
                        ),
                    )
                    for col in range(side)
                ]
                for row in range(side)
            ]
        )
    np.testing.assert_allclose(
        propagate(inward, outward, p, 4, straight=straight)[0, 0].numpy(), value, rtol=1e-5
    )
    np.testing.assert_allclose(max_propagate(inward, p, 4, straight=straight)[0, 0].numpy(), most, rtol=1e-5)


def test_the_implicit_gradient_is_that_of_many_unrolled_backups():
    reward = torch.randn(2, 1, 5, 4, dtype=torch.float64, requires_grad=True)
    kernels = SharedKernels(
        torch.randn(3, 1, 3, 3, dtype=torch.float64, requires_grad=True),
        (torch.rand(3, 1, 3, 3, dtype=torch.float64) / 12).requires_grad_(),
    )
    found = implicit_value_iteration(reward, kernels, 400)
    unrolled = value_iteration(reward, kernels, 200)
    weights = [torch.randn_like(part) for part in unrolled]
    inputs = (reward, kernels.reward, kernels.value)
    for mine, other in zip(
        (*found, *torch.autograd.grad(found, inputs, weights)),
        (*unrolled, *torch.autograd.grad(unrolled, inputs, weights)),
        strict=True,
    ):
        torch.testing.assert_close(mine, other, rtol=1e-8, atol=1e-8)


def test_turning_the_map_turns_the_equivariant_policy():
    network = EquivariantVinConfig(iterations=5, hidden=4).build()
    image = observation(1)
    logits = network.plan(image).logits[0, 0]
    turned = network.plan(torch.rot90(image, 1, (2, 3))).logits[0, 0]
    for move, turn in enumerate(TURNS):  # after a quarter turn north has become west, and so on
        after = TURNS.index((turn + 1) % 4)
        torch.testing.assert_close(turned[after], torch.rot90(logits[move], 1, (0, 1)), rtol=1e-4, atol=1e-4)
    mirrored = network.plan(image.flip(3)).logits[0, 0]
    torch.testing.assert_close(mirrored[[0, 1, 3, 2]], logits.flip(2), rtol=1e-4, atol=1e-4)


def test_the_kernels_of_a_dynamic_transition_are_probabilities_and_its_depths_are_plans():
    network = DynamicTransitionVinConfig(iterations=6, hidden=8).build()
    image, states = observation(), torch.zeros(2, 3, 3, dtype=torch.int64)
    kernels = network.transition(image).value
    torch.testing.assert_close(kernels.sum(dim=(2, 3, 4)), torch.ones(2, 4, 6, 6))
    logits, depths = network.logits_by_depth(image, states, 3)
    assert depths.tolist() == [3, 6]
    for depth, found in zip(depths.tolist(), logits, strict=True):
        torch.testing.assert_close(found, network(image, states, iterations=depth)[0], rtol=1e-4, atol=1e-4)


def test_deep_supervision_reads_only_depths_that_can_have_arrived():
    network = DynamicTransitionVinConfig(iterations=6, hidden=8).build()
    image, states = observation(1), torch.tensor([[[0, 1, 0], [5, 5, 0]]])
    moves = torch.tensor([[[True, False, False, False], [False, True, True, False]]])
    weights, distances = torch.tensor([[1.0, 2.0]]), torch.tensor([[3, 5]])
    found = DeepSupervisionLoss(network, every=3)(
        TimedDemonstrations(image, states, moves, weights, distances)
    )
    early, late = (set_nll(network(image, states, iterations=depth)[0], moves)[0] for depth in (3, 6))
    expected = (early[0] + late[0]) / 2 + 2 * late[1]
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_the_scaled_loss_is_a_mean_over_temperatures():
    network = RecurrentResNetConfig(iterations=2, hidden=4).build()
    image, states = observation(1), torch.tensor([[[0, 1, 0]]])
    moves = torch.tensor([[[True, False, False, False]]])
    batch = TimedDemonstrations(image, states, moves, torch.ones(1, 1), torch.ones(1, 1, dtype=torch.int64))
    logits = network(image, states)[0]
    expected = (set_nll(logits, moves) + set_nll(0.1 * logits, moves)).sum() / 2
    torch.testing.assert_close(ScaledLoss(network, (1.0, 0.1))(batch), expected)


def test_more_iterations_are_for_networks_that_iterate():
    network = network_config({"kind": "reactive-resnet"}).build()
    with pytest.raises(InputError, match="expected no number of iterations for this network, got 3"):
        network.plan(observation(), iterations=3)
    with pytest.raises(InputError, match="motion: expected four for this network, got 'eight'"):
        EquivariantVinConfig(motion="eight").build()

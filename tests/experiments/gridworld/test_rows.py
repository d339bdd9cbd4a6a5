"""The authors' batches and initial weights, against a small recomputation."""

import dataclasses

import numpy as np
import pytest
import torch
import torch.nn.functional as functional

from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.gridworld import EXPERIMENT
from vinlab.experiments.gridworld.data import GridworldData, make_sets
from vinlab.experiments.gridworld.rows import begin_as_authors, pack_rows
from vinlab.experiments.runner import train
from vinlab.learners.imitation import ImitationConfig, imitate
from vinlab.learners.optimizers import Stage
from vinlab.networks.grid.configs import (
    AuthorsHierarchicalVinConfig,
    AuthorsUntiedVinConfig,
    AuthorsVinConfig,
)
from vinlab.types import Demonstrations


def some_demonstrations(counts, moves=8):
    """Maps with so many states each; state k of a map is cell (k, map) and its label is k modulo 8."""
    longest = max(counts)
    states = torch.stack(
        torch.meshgrid(torch.arange(longest), torch.arange(len(counts)), indexing="ij"), dim=-1
    ).transpose(0, 1)
    labels = functional.one_hot(torch.arange(longest) % moves, moves).bool().expand(len(counts), -1, -1)
    weights = (torch.arange(longest) < torch.tensor(counts)[:, None]).float()
    return Demonstrations(torch.rand(len(counts), 2, 40, 5), states, labels, weights)


@pytest.mark.parametrize(("count", "rows"), [(10, 1), (1, 1), (9, 2), (18, 2), (19, 3), (20, 2), (0, 0)])
def test_rows_hold_every_state_once_and_the_last_one_as_filler(count, rows):
    packed = pack_rows(some_demonstrations([count, 10]), 10, rng=np.random.default_rng(0))
    found = packed.states[packed.owners == 0][..., 0].flatten().bincount(minlength=count)
    assert (packed.owners == 0).sum() == rows
    if count:
        assert found[:-1].tolist() == [1] * (count - 1)
        assert found[-1] == 1 + 10 * rows - count
    assert (packed.states[packed.owners == 0][..., 1] == 0).all()
    chosen = packed[torch.tensor([len(packed) - 1])]
    assert torch.equal(chosen.observations[0], packed.observations[1])
    assert torch.equal(chosen.moves[0].int().argmax(dim=1), chosen.states[0, :, 0] % 8)


def test_states_of_a_map_are_shuffled_over_its_rows():
    packed = pack_rows(some_demonstrations([40]), 10, rng=np.random.default_rng(0))
    assert any(row.sort().values.tolist() != row.tolist() for row in packed.states[..., 0])
    assert packed.states[0, :, 0].max() >= 10


def test_our_rows_of_the_authors_maps_are_as_many_as_theirs(real_data):
    data = GridworldData(size=8, attempts=5000, targets="trajectories", rows=10)
    sets = make_sets(data, seed=0, source=real_data / "gridworld_authors")
    own = pack_rows(sets.demonstrations, 10, rng=np.random.default_rng(0))
    assert sets.rows is not None
    assert len(sets.rows) == int(6 / 7 * len(own))
    for rows in (own.rows(slice(len(sets.rows))), sets.rows):
        assert len(rows.owners.unique()) == sets.training_maps

    def states_of(rows, problem):
        return sorted(rows.states[rows.owners == problem].flatten(0, 1).tolist())

    for problem in (0, 5, 100):
        assert states_of(own, problem) == states_of(sets.rows, problem)


def test_seed_0_draws_what_the_authors_script_draws():
    script = np.random.RandomState(0)
    shapes = (150,), (150, 2, 3, 3), (1, 150, 1, 1), (10, 1, 3, 3), (10, 1, 3, 3), (10, 8)
    bias, first, reward, kernels, values, policy = (script.randn(*shape) * 0.01 for shape in shapes)
    expected = script.permutation(100)
    network = AuthorsVinConfig(iterations=3).build()
    order = begin_as_authors(network, 100, 12, seed=0)
    assert order(0).tolist() == order(5).tolist() == expected[:96].tolist()
    image = np.random.default_rng(1).random((2, 6, 6))
    by_hand = plan_by_hand(image, bias, first, reward, kernels, values, iterations=3)
    with torch.no_grad():
        logits, plan = network(torch.from_numpy(image).float()[None], torch.tensor([[[2, 4]]]))
    np.testing.assert_allclose(plan.q[0].numpy(), by_hand, rtol=1e-3, atol=1e-10)
    np.testing.assert_allclose(logits[0, 0].numpy(), by_hand[:, 2, 4] @ policy, rtol=1e-3, atol=1e-10)


def plan_by_hand(image, bias, first, reward, kernels, values, *, iterations):
    """The network of the authors' code, with convolutions that flip their kernels, as Theano's do."""
    from scipy.signal import convolve2d

    def convolve(channels, weights):
        return np.stack(
            [
                sum(
                    convolve2d(channel, kernel, mode="same")
                    for channel, kernel in zip(channels, of, strict=True)
                )
                for of in weights
            ]
        )

    hidden = convolve(image, first) + bias[:, None, None]
    rewards = convolve(hidden, reward)
    q = convolve(rewards, kernels)
    for _ in range(iterations):
        q = convolve(rewards, kernels) + convolve(q.max(axis=0, keepdims=True), values)
    return q


def test_training_is_the_authors_rmsprop_on_batches_of_rows():
    counts = [7, 12, 30, 9]
    rows = pack_rows(some_demonstrations(counts), 10, rng=np.random.default_rng(3))
    config = ImitationConfig(
        stages=(Stage(2, 0.01), Stage(1, 0.005)),
        optimiser="rmsprop",
        batch_problems=3,
        clip=None,
        keep="last",
    )
    network = AuthorsVinConfig(iterations=2, hidden=4).build()
    imitate(network, rows, config, seed=0, order=begin_as_authors(network, len(rows), 3, seed=0))
    twin = AuthorsVinConfig(iterations=2, hidden=4).build()
    order = begin_as_authors(twin, len(rows), 3, seed=0)(0)
    for rate, epochs in ((0.01, 2), (0.005, 1)):
        squares = [torch.zeros_like(parameter) for parameter in twin.parameters()]
        for start in [start for _ in range(epochs) for start in range(0, len(order), 3)]:
            step_by_hand(twin, rows, order[start : start + 3], squares, rate)
    for found, expected in zip(network.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-7)


def step_by_hand(network, rows, chosen, squares, rate):
    """The mean cross-entropy of all states of the rows, and one step of RMSProp."""
    losses = []
    for row in chosen:
        logits, _ = network(rows.observations[rows.owners[row]][None], rows.states[row][None])
        losses += [functional.cross_entropy(logits[0], rows.moves[row].int().argmax(dim=1))]
    gradients = torch.autograd.grad(torch.stack(losses).mean(), list(network.parameters()))
    with torch.no_grad():
        for parameter, gradient, square in zip(network.parameters(), gradients, squares, strict=True):
            square.copy_(0.9 * square + 0.1 * gradient**2)
            parameter -= rate * gradient / (square + 1e-6).sqrt()


def test_untied_and_hierarchical_networks_draw_in_the_same_manner():
    untied = AuthorsUntiedVinConfig(iterations=3, hidden=4).build()
    begin_as_authors(untied, 12, 12, seed=5)
    generator = np.random.RandomState(5)
    generator.randn(4 + 4 * 18 + 4)
    kernels = generator.randn(4, 10, 1, 3, 3) * 0.01
    values = generator.randn(3, 10, 1, 3, 3) * 0.01
    np.testing.assert_allclose(untied.transition.reward.detach().numpy(), kernels[..., ::-1, ::-1], rtol=1e-5)
    np.testing.assert_allclose(
        untied.transition.value.detach()[1:].numpy(), values[..., ::-1, ::-1], rtol=1e-5
    )
    assert not untied.transition.value[0].any()

    both = AuthorsHierarchicalVinConfig(iterations=(2, 2), hidden=4).build()
    begin_as_authors(both, 12, 12, seed=5)
    generator = np.random.RandomState(5)
    coarse = 4 + 4 * 18 + 4 + 2 * 90
    generator.randn(coarse)
    np.testing.assert_allclose(
        both.reward.levels[1].features.bias.detach().numpy(), generator.randn(4) * 0.01, rtol=1e-5
    )
    total = sum(parameter.numel() for parameter in both.parameters())
    assert total == 2 * (4 + 4 * 18 + 4) + 90 * 2 + 90 * 3 + 80


def test_the_last_seventh_of_the_rows_is_not_read_and_the_last_weights_are_kept(tmp_path):
    config = EXPERIMENT.settings["gridworld/8/vin"].configure("smoke", "paper")
    assert dataclasses.asdict(config.learning) | {"stages": None} == {
        "stages": None,
        "optimiser": "rmsprop",
        "batch_problems": 12,
        "clip": None,
        "keep": "last",
    }
    request = TrainingRequest(id="gridworld/8/vin", out=tmp_path / "run", budget="smoke", recipe="paper")
    sets = EXPERIMENT.make_data(config, request)
    everything = pack_rows(sets.demonstrations, 10, rng=np.random.default_rng(0))
    assert len(sets.training) == int(6 / 7 * len(everything))
    run = train(EXPERIMENT, request)
    assert run.result["best_epoch"] == config.learning.epochs
    assert run.result["training_states"] == 10 * len(sets.training)

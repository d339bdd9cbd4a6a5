"""The regression recovers a linear teacher, weighs errors by precision, and resumes to the same weights."""

import numpy as np
import pytest
import torch
from torch import nn

from vinlab.learners.callbacks import Validation
from vinlab.learners.optimizers import Stage
from vinlab.learners.regression import RegressionConfig, RegressionLoss, regress
from vinlab.types import ContinuousDemonstrations, InputError


class Linear(nn.Module):
    """A policy that reads the state alone."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, observations, states):
        return self.layer(states), None


def demonstrations(problems=8, states=30):
    generator = torch.Generator().manual_seed(0)
    seen = torch.randn(problems, states, 4, generator=generator)
    matrix = torch.randn(4, 2, generator=generator)
    precisions = torch.eye(2).expand(problems, states, 2, 2).contiguous()
    shown = ContinuousDemonstrations(torch.zeros(problems, 2, 4, 4), seen, seen @ matrix, precisions)
    return shown, matrix


def policy():
    torch.manual_seed(0)
    return Linear()


STAGE = Stage(60, 0.05, "one-cycle")
CONFIG = RegressionConfig((STAGE,), batch_problems=4, states_per_problem=16, validate_every=10)


class Memory:
    """Keeps checkpoints as a run does, and stops the work at one of them if asked."""

    def __init__(self, stop_at=None):
        self.kept, self.lines, self.stop_at = None, [], stop_at

    def log(self, metrics):
        self.lines.append(dict(metrics))

    def save_checkpoint(self, tensors, state):
        self.kept = {name: tensor.clone() for name, tensor in tensors.items()}, dict(state)
        if state["epoch"] == self.stop_at:
            raise KeyboardInterrupt

    def load_checkpoint(self):
        return self.kept


def negate(batch, rng):
    """An augmentation that draws a random number."""
    sign = 1.0 if rng.integers(2) else -1.0
    return ContinuousDemonstrations(
        batch.observations, sign * batch.states, sign * batch.actions, batch.precisions
    )


def test_the_weights_are_those_of_a_plain_loop():
    """Written out: the stream of a seed and epoch gives the order, then states and augmentation of each batch."""
    shown, _ = demonstrations(problems=10)
    expected, found = policy(), policy()
    optimiser = torch.optim.Adam(expected.parameters())
    for epoch in range(6):
        rng = np.random.default_rng([7, epoch])
        batches = torch.as_tensor(rng.permutation(10)).split(4)
        for update, problems in enumerate(batches):
            optimiser.param_groups[0]["lr"] = Stage(6, 0.05, "one-cycle").rate_at((epoch + update / 3) / 6)
            states = torch.as_tensor(rng.integers(30, size=(len(problems), 16)))
            batch = negate(shown.pick(problems, states), rng)
            error = expected.layer(batch.states) - batch.actions
            optimiser.zero_grad()
            torch.einsum("bsi,bsij,bsj->bs", error, batch.precisions, error).mean().backward()
            nn.utils.clip_grad_norm_(expected.parameters(), 1.0)
            optimiser.step()
    config = RegressionConfig((Stage(6, 0.05, "one-cycle"),), batch_problems=4, states_per_problem=16)
    regress(found, shown, config, seed=7, augment=negate)
    torch.testing.assert_close(found.layer.weight, expected.layer.weight, rtol=1e-6, atol=1e-7)
    torch.testing.assert_close(found.layer.bias, expected.layer.bias, rtol=1e-6, atol=1e-7)


def test_the_regression_recovers_a_linear_teacher():
    shown, matrix = demonstrations()
    network = policy()
    regress(network, shown, CONFIG, seed=0)
    np.testing.assert_allclose(network.layer.weight.detach().T, matrix, atol=0.04)


def test_errors_count_by_the_precision_of_their_direction():
    shown, _ = demonstrations(1, 1)
    precision = torch.tensor([[4.0, 1.0], [1.0, 2.0]])
    network, error = policy(), torch.tensor([1.0, -2.0])
    actions = network.layer(shown.states).detach() - error
    batch = ContinuousDemonstrations(shown.observations, shown.states, actions, precision[None, None])
    found = RegressionLoss(network)(batch)
    assert found.item() == pytest.approx(float(error @ precision @ error), rel=1e-5)


def test_states_without_weight_change_nothing():
    shown, _ = demonstrations()
    silent = ContinuousDemonstrations(
        shown.observations, shown.states, shown.actions, torch.zeros_like(shown.precisions)
    )
    network, before = policy(), policy()
    regress(network, silent, CONFIG, seed=0)
    assert torch.equal(network.layer.weight, before.layer.weight)


def test_the_weights_that_do_best_in_validation_are_kept():
    shown, _ = demonstrations()
    network, memory, seen = policy(), Memory(), []

    def validate(module):
        seen.append(module.layer.weight.detach().clone())
        return Validation(score=-abs(len(seen) - 3.0), metrics={"validations": float(len(seen))})

    best = regress(network, shown, CONFIG, seed=0, validate=validate, record=memory)
    assert len(seen) == 6
    assert best.epoch == 29  # counted from 0
    assert torch.equal(network.layer.weight, seen[2])
    assert [line["epoch"] for line in memory.lines if "validations" in line] == [10, 20, 30, 40, 50, 60]


@pytest.mark.parametrize("stop_at", [30, 33])
def test_a_killed_regression_resumes_to_the_same_weights(stop_at):
    shown, _ = demonstrations()
    whole, parted = policy(), policy()
    score = lambda module: Validation(module.layer.weight.sum().item(), {})  # noqa: E731
    regress(whole, shown, CONFIG, seed=0, validate=score)
    memory = Memory(stop_at=stop_at)
    with pytest.raises(KeyboardInterrupt):
        regress(parted, shown, CONFIG, seed=0, validate=score, record=memory)
    memory.stop_at = None
    parted = policy()
    regress(parted, shown, CONFIG, seed=0, validate=score, record=memory)
    assert torch.equal(whole.layer.weight, parted.layer.weight)


def test_no_demonstrations_and_infinite_losses_are_refused():
    shown, _ = demonstrations()
    none = torch.zeros(0, dtype=torch.long)
    with pytest.raises(InputError, match="expected demonstrations of at least one problem, got none"):
        regress(policy(), shown.pick(none, none[:, None]), CONFIG, seed=0)
    shown.actions[:] = torch.nan
    with pytest.raises(InputError, match="nan"):
        regress(policy(), shown, CONFIG, seed=0)

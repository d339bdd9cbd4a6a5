"""The supervised fit: it learns what can be learned, by the teachers' weights, and resumes to the same weights."""

import numpy as np
import pytest
import torch
from torch import nn

from vinlab.learners.callbacks import Validation
from vinlab.learners.optimizers import Stage
from vinlab.learners.regression import ControlDemonstrations, ControlFitConfig, fit_controls, weighted_error
from vinlab.types import InputError


class Linear(nn.Module):
    """A policy that sees the state alone."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, observations, states):
        return self.layer(states), None


def lessons(domains=8, states=30):
    generator = torch.Generator().manual_seed(0)
    seen = torch.randn(domains, states, 4, generator=generator)
    matrix = torch.randn(4, 2, generator=generator)
    precisions = torch.eye(2).expand(domains, states, 2, 2).contiguous()
    return ControlDemonstrations(torch.zeros(domains, 2, 4, 4), seen, seen @ matrix, precisions), matrix


def policy():
    torch.manual_seed(0)
    return Linear()


CONFIG = ControlFitConfig(
    Stage(60, 0.05, "one-cycle"), batch_domains=4, states_per_domain=16, validate_every=10
)


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


def test_the_fit_recovers_a_linear_teacher():
    shown, matrix = lessons()
    network = policy()
    fit_controls(network, shown, CONFIG, seed=0)
    np.testing.assert_allclose(network.layer.weight.detach().T, matrix, atol=0.04)


def test_errors_count_by_the_precision_of_their_direction():
    shown, _ = lessons(1, 1)
    precision = torch.tensor([[4.0, 1.0], [1.0, 2.0]])
    shown = ControlDemonstrations(shown.observations, shown.states, shown.controls, precision[None, None])
    error = torch.tensor([1.0, -2.0])
    found = weighted_error(shown.controls + error, shown)
    assert found.item() == pytest.approx(float(error @ precision @ error), rel=1e-5)


def test_states_without_weight_teach_nothing():
    shown, _ = lessons()
    silent = ControlDemonstrations(
        shown.observations, shown.states, shown.controls, torch.zeros_like(shown.precisions)
    )
    network, before = policy(), policy()
    fit_controls(network, silent, CONFIG, seed=0)
    assert torch.equal(network.layer.weight, before.layer.weight)


def test_the_weights_that_do_best_in_validation_are_kept():
    shown, _ = lessons()
    network, seen = policy(), []

    def validate(module):
        seen.append(module.layer.weight.detach().clone())
        return Validation(score=-abs(len(seen) - 3.0), metrics={"looks": float(len(seen))})

    best = fit_controls(network, shown, CONFIG, seed=0, validate=validate)
    assert len(seen) == 6
    assert best.epoch == 30
    assert torch.equal(network.layer.weight, seen[2])


def test_a_killed_fit_resumes_to_the_same_weights():
    shown, _ = lessons()
    whole, parted = policy(), policy()
    score = lambda module: Validation(module.layer.weight.sum().item(), {})  # noqa: E731
    fit_controls(whole, shown, CONFIG, seed=0, validate=score)
    memory = Memory(stop_at=30)
    with pytest.raises(KeyboardInterrupt):
        fit_controls(parted, shown, CONFIG, seed=0, validate=score, record=memory)
    memory.stop_at = None
    parted = policy()
    fit_controls(parted, shown, CONFIG, seed=0, validate=score, record=memory)
    assert torch.equal(whole.layer.weight, parted.layer.weight)


def test_empty_lessons_and_infinite_losses_are_refused():
    shown, _ = lessons()
    none = torch.zeros(0, dtype=torch.long)
    with pytest.raises(InputError, match="at least one domain"):
        fit_controls(policy(), shown.pick(none, none[:, None]), CONFIG, seed=0)
    shown.controls[0, 0] = torch.nan
    shown.controls[:] = torch.nan
    with pytest.raises(InputError, match="became nan"):
        fit_controls(policy(), shown, CONFIG, seed=0)

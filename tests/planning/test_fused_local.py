"""The compiled backups with kernels of the cell equal the reference, gradients too."""

import pytest
import torch

from vinlab.planning import GridPlanner, LocalKernels, SharedKernels
from vinlab.planning.bellman import value_iteration
from vinlab.planning.fused.function import MAX_ACTIONS
from vinlab.planning.fused.local_function import is_locally_fusible


def problem(batch=3, rows=5, cols=7, *, actions=4, rewards=2, width=3):
    reward = torch.randn(batch, rewards, rows, cols, requires_grad=True)
    kernels = LocalKernels(
        reward=torch.randn(batch, actions, rewards, width, width, rows, cols, requires_grad=True),
        value=(0.3 * torch.randn(batch, actions, 1, width, width, rows, cols)).requires_grad_(),
    )
    return reward, kernels


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize(
    ("width", "iterations", "sides"), [(3, 1, (5, 7)), (3, 6, (8, 3)), (5, 4, (6, 9)), (1, 3, (1, 1))]
)
def test_the_compiled_backups_and_gradients_are_the_references(width, iterations, sides, initial, batch):
    reward, kernels = problem(batch, rows=sides[0], cols=sides[1], width=width)
    first = torch.randn(batch, 1, *sides, requires_grad=True) if initial else None
    plan = GridPlanner(iterations=iterations)(reward, kernels, initial_value=first)
    q, value = value_iteration(reward, kernels, iterations, initial_value=first)
    torch.testing.assert_close(plan.q, q, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(plan.value, value, rtol=1e-4, atol=1e-4)
    weights = torch.randn_like(q), torch.randn_like(value)
    inputs = [reward, kernels.reward, kernels.value, *([first] if initial else [])]
    ours = torch.autograd.grad((plan.q, plan.value), inputs, weights)
    theirs = torch.autograd.grad((q, value), inputs, weights)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-3, atol=1e-3)


def test_a_compiled_gradient_can_be_differentiated_again():
    reward, kernels = problem(1, 2, 3)
    value = GridPlanner(iterations=3)(reward, kernels).value
    (gradient,) = torch.autograd.grad(value.square().sum(), kernels.value, create_graph=True)
    expected = value_iteration(reward, kernels, 3)[1]
    (first,) = torch.autograd.grad(expected.square().sum(), kernels.value, create_graph=True)
    second = torch.autograd.grad(gradient.sum(), reward)[0]
    torch.testing.assert_close(second, torch.autograd.grad(first.sum(), reward)[0], rtol=1e-3, atol=1e-3)


def test_only_what_the_compiled_backups_compute_is_given_to_them():
    reward, kernels = problem()
    assert is_locally_fusible(reward, kernels, None)
    assert is_locally_fusible(reward, kernels, reward[:, :1])
    double = LocalKernels(kernels.reward.double(), kernels.value.double())
    blocked = LocalKernels(kernels.reward, kernels.value, "blocked")
    shared = SharedKernels(torch.ones(4, 2, 3, 3), torch.ones(4, 1, 3, 3))
    for others in (
        (reward, blocked, None),
        (reward, shared, None),
        (reward, double, None),
        (reward.double(), double, None),
        (reward, kernels, reward[:, :1].double()),
        (reward[:0], kernels, None),
    ):
        assert not is_locally_fusible(*others)


@pytest.mark.parametrize(("actions", "fits"), [(1, True), (MAX_ACTIONS, True), (MAX_ACTIONS + 1, False)])
def test_the_number_of_actions_is_bounded_by_the_byte_that_keeps_the_best(actions, fits):
    reward, kernels = problem(1, 2, 2, actions=actions, rewards=1, width=1)
    assert is_locally_fusible(reward, kernels, None) == fits
    plan, (q, value) = GridPlanner(iterations=2)(reward, kernels), value_iteration(reward, kernels, 2)
    torch.testing.assert_close(plan.q, q)
    torch.testing.assert_close(plan.value, value)

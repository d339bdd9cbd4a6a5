"""A planner that leaves out actions in training: which, how many, and that evaluation has all of them."""

import pytest
import torch

from vinlab.planning import GridPlanner, SharedKernels, UntiedKernels
from vinlab.planning.action_dropout import ActionDropoutPlanner
from vinlab.types import InputError


def some_problem(actions=10):
    torch.manual_seed(0)
    kernels = SharedKernels(torch.randn(actions, 1, 3, 3), torch.randn(actions, 1, 3, 3) * 0.3)
    return torch.randn(2, 1, 5, 6), kernels


def test_evaluation_plans_with_all_actions():
    reward, kernels = some_problem()
    planner = ActionDropoutPlanner(iterations=4, dropped=6.0, updates=100).eval()
    expected = GridPlanner(iterations=4)(reward, kernels)
    torch.testing.assert_close(planner(reward, kernels).q, expected.q)
    assert int(planner.updates_done) == 0


def test_the_plan_is_that_of_the_kept_actions_and_q_has_all_of_them():
    reward, kernels = some_problem()
    planner = ActionDropoutPlanner(iterations=4, dropped=6.0, updates=100).train()
    kept = planner.kept_actions(0, 10)
    some = SharedKernels(kernels.reward[kept], kernels.value[kept])
    expected = GridPlanner(iterations=4)(reward, some)
    plan = planner(reward, kernels)
    torch.testing.assert_close(plan.value, expected.value)
    torch.testing.assert_close(plan.q[:, kept], expected.q, rtol=1e-4, atol=1e-4)
    assert plan.q.shape[1] == 10


def test_fewer_actions_are_left_out_from_update_to_update_and_none_in_the_end():
    planner = ActionDropoutPlanner(iterations=2, dropped=4.0, updates=1000)
    left_out = torch.tensor([10 - len(planner.kept_actions(update, 10)) for update in range(1000)]).float()
    parts = left_out.reshape(4, 250).mean(dim=1)
    torch.testing.assert_close(parts, torch.tensor([3.5, 2.5, 1.5, 0.5]), atol=0.1, rtol=0.0)
    reward, kernels = some_problem()
    planner.train().updates_done.fill_(1000)
    torch.testing.assert_close(planner(reward, kernels).q, GridPlanner(iterations=2)(reward, kernels).q)
    assert int(planner.updates_done) == 1000


def test_every_action_is_left_out_equally_often():
    planner = ActionDropoutPlanner(iterations=2, dropped=4.0, updates=100_000)
    kept = torch.cat([planner.kept_actions(update, 10) for update in range(2000)])
    shares = torch.bincount(kept, minlength=10) / 2000
    torch.testing.assert_close(shares, torch.full((10,), 0.6), atol=0.05, rtol=0.0)


def test_an_action_that_never_wins_learns_from_the_plan_when_the_winner_is_left_out():
    reward, kernels = some_problem(actions=2)
    better = torch.tensor([5.0, 0.0])[:, None, None, None]
    value = torch.full_like(kernels.value, 0.05).requires_grad_()
    one_wins = SharedKernels(kernels.reward.abs() * 0.1 + better, value)
    for planner, learns in (
        (GridPlanner(iterations=3), False),
        (ActionDropoutPlanner(iterations=3, dropped=1.0, updates=10**9).train(), True),
    ):
        plans = [planner(reward.abs(), one_wins).value.sum() for _ in range(8)]
        (gradient,) = torch.autograd.grad(sum(plans), value)
        assert bool(gradient[1].abs().max() > 0) is learns


def test_at_least_one_action_is_kept():
    assert len(ActionDropoutPlanner(iterations=1, dropped=50.0, updates=10).kept_actions(0, 3)) == 1


def test_other_kernels_and_negative_numbers_are_refused():
    reward, _ = some_problem()
    untied = UntiedKernels(torch.randn(3, 4, 1, 3, 3), torch.randn(3, 4, 1, 3, 3))
    with pytest.raises(InputError, match="transition: expected SharedKernels, got UntiedKernels"):
        ActionDropoutPlanner(iterations=2, dropped=1.0, updates=5).train()(reward, untied)
    with pytest.raises(InputError, match=r"expected at least 0, got -1\.0 and 5"):
        ActionDropoutPlanner(iterations=2, dropped=-1.0, updates=5)

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

from vinlab.planning import GridPlanner, LocalKernels, SharedKernels, UntiedKernels
from vinlab.planning.bellman import convolve, maximise
from vinlab.planning.grid import values_by_iteration
from vinlab.types import InputError


def kernels(actions=3, rewards=1, width=3, dtype=torch.float64):
    return SharedKernels(
        reward=torch.randn(actions, rewards, width, width, dtype=dtype),
        value=0.3 * torch.randn(actions, 1, width, width, dtype=dtype),
    )


def stacked_by_hand(reward, transition, iterations):
    """Section 3.1 to the letter: stack reward and value, convolve, take the maximum, K times; then read q once."""
    weights = torch.cat([transition.reward, transition.value], dim=1)
    value = torch.zeros_like(reward[:, :1])
    for _ in range(iterations):
        value = maximise(convolve(torch.cat([reward, value], dim=1), weights))
    return convolve(torch.cat([reward, value], dim=1), weights), value


@settings(max_examples=25, deadline=None)
@given(
    batch=some.integers(1, 4),
    rows=some.integers(1, 9),
    cols=some.integers(1, 9),
    rewards=some.integers(1, 3),
    actions=some.integers(1, 5),
    width=some.sampled_from([1, 3, 5]),
    iterations=some.integers(1, 6),
)
def test_the_plan_is_the_papers_recurrence(batch, rows, cols, rewards, actions, width, iterations):
    torch.manual_seed(0)
    reward = torch.randn(batch, rewards, rows, cols, dtype=torch.float64)
    transition = kernels(actions, rewards, width)
    q, value = stacked_by_hand(reward, transition, iterations)
    plan = GridPlanner(iterations=iterations)(reward, transition)
    torch.testing.assert_close(plan.q, q)
    torch.testing.assert_close(plan.value, value)


def test_iterations_counts_maximisations_and_not_the_last_read():
    reward = torch.zeros(1, 1, 1, 5, dtype=torch.float64)
    reward[0, 0, 0, 0] = 1.0
    to_the_west = SharedKernels(
        reward=torch.zeros(1, 1, 3, 3).double(), value=torch.zeros(1, 1, 3, 3).double()
    )
    to_the_west.reward[0, 0, 1, 1] = 1.0
    to_the_west.value[0, 0, 1, 0] = 1.0
    plan = GridPlanner(iterations=3)(reward, to_the_west)
    assert plan.value[0, 0, 0].tolist() == [1, 1, 1, 0, 0]
    assert plan.q[0, 0, 0].tolist() == [1, 1, 1, 1, 0]


def test_untied_kernels_that_are_equal_plan_like_shared_ones():
    torch.manual_seed(1)
    reward, shared = torch.randn(2, 2, 5, 4, dtype=torch.float64), kernels(rewards=2)
    untied = UntiedKernels(
        reward=shared.reward.expand(4, -1, -1, -1, -1), value=shared.value.expand(4, -1, -1, -1, -1)
    )
    planner = GridPlanner(iterations=3)
    torch.testing.assert_close(planner(reward, untied).q, planner(reward, shared).q)


def test_local_kernels_that_are_equal_everywhere_plan_like_shared_ones():
    torch.manual_seed(2)
    reward, shared = torch.randn(2, 2, 5, 4, dtype=torch.float64), kernels(rewards=2)
    spread = [k[None, ..., None, None].expand(2, -1, -1, -1, -1, 5, 4) for k in (shared.reward, shared.value)]
    planner = GridPlanner(iterations=3)
    torch.testing.assert_close(planner(reward, LocalKernels(*spread)).q, planner(reward, shared).q)


def test_each_problem_may_have_kernels_of_its_own():
    torch.manual_seed(3)
    reward = torch.randn(2, 1, 4, 4, dtype=torch.float64)
    sets = [kernels(), kernels()]
    local = LocalKernels(
        *(
            torch.stack([getattr(k, name)[..., None, None].expand(-1, -1, -1, -1, 4, 4) for k in sets])
            for name in ("reward", "value")
        )
    )
    planner = GridPlanner(iterations=2)
    together = planner(reward, local).q
    alone = torch.cat([planner(reward[i : i + 1], sets[i]).q for i in range(2)])
    torch.testing.assert_close(together, alone)


@pytest.mark.parametrize("kind", [SharedKernels, UntiedKernels, LocalKernels])
def test_gradients_equal_finite_differences_twice(kind):
    torch.manual_seed(4)
    # Small, because the finite differences go through every entry twice.
    reward = torch.randn(1, 2, 2, 3, dtype=torch.float64, requires_grad=True)
    shape = {SharedKernels: lambda k: k, UntiedKernels: lambda k: torch.randn(3, *k.shape).double() * 0.3}
    shape[LocalKernels] = lambda k: torch.randn(1, *k.shape, 2, 3).double() * 0.3
    start = kernels(actions=2, rewards=2)
    weights = [shape[kind](k).requires_grad_() for k in (start.reward, start.value)]

    def plan(reward, reward_kernels, value_kernels):
        found = GridPlanner(iterations=2)(reward, kind(reward_kernels, value_kernels))
        return found.q, found.value

    assert torch.autograd.gradcheck(plan, (reward, *weights))
    assert torch.autograd.gradgradcheck(plan, (reward, *weights))


def test_the_last_value_by_iteration_is_that_of_the_plan():
    torch.manual_seed(5)
    reward, transition = torch.randn(2, 1, 6, 7), kernels(dtype=torch.float32)
    watched = values_by_iteration(reward, transition, 5)
    assert watched.shape == (5, 2, 1, 6, 7)
    torch.testing.assert_close(watched[-1], GridPlanner(iterations=5)(reward, transition).value)


@pytest.mark.parametrize(
    ("reward", "transition", "iterations", "sentence"),
    [
        (torch.zeros(1, 1, 3, 3), kernels(dtype=torch.float32), 0, "iterations: expected at least 1, got 0"),
        (
            torch.zeros(1, 2, 3, 3),
            kernels(dtype=torch.float32),
            2,
            "expected kernels for 2 channels, got kernels for 1",
        ),
        (torch.zeros(1, 1, 3, 3), kernels(width=2, dtype=torch.float32), 2, "odd width, got width 2"),
        (
            torch.zeros(1, 1, 3, 3),
            UntiedKernels(torch.zeros(3, 2, 1, 3, 3), torch.zeros(3, 2, 1, 3, 3)),
            3,
            "expected 4 sets of untied kernels for 3 iterations, got 3",
        ),
    ],
)
def test_what_does_not_fit_is_named(reward, transition, iterations, sentence):
    with pytest.raises(InputError, match=sentence):
        GridPlanner(iterations=iterations)(reward, transition)

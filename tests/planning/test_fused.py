"""The compiled kernels equal the reference: values, gradients and second derivatives."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from vinlab.planning.bellman import (
    LocalKernels,
    SharedKernels,
    UntiedKernels,
    require_initial_value,
    value_iteration,
)
from vinlab.planning.fused import fused_value_iteration, is_fusible
from vinlab.planning.fused.layout import frame_of
from vinlab.planning.fused.threads import shares_of
from vinlab.types import InputError


def inputs(batch, rows, cols, *, actions=4, channels=1, width=3, untied=0, seed=0, dtype=torch.float32):
    """Reward and kernels that leave values finite; ``untied`` is the number of layers, 0 if shared."""
    source = torch.Generator().manual_seed(seed)
    layers = (untied,) if untied else ()

    def draw(*shape, scale=1.0):
        noise = torch.randn(*shape, generator=source, dtype=torch.float64) * scale
        return noise.to(dtype).requires_grad_()

    reward = draw(batch, channels, rows, cols)
    reward_kernels = draw(*layers, actions, channels, width, width)
    value_kernels = draw(*layers, actions, 1, width, width, scale=0.5 / width)
    return reward, (UntiedKernels if untied else SharedKernels)(reward_kernels, value_kernels)


def results(plan, reward, transition, iterations):
    """q, value and the three gradients of a weighted sum of both."""
    q, value = plan(reward, transition, iterations)
    source = torch.Generator().manual_seed(99)
    weights = [torch.randn(part.shape, generator=source).to(part) for part in (q, value)]
    gradients = torch.autograd.grad((q, value), (reward, transition.reward, transition.value), weights)
    return q.detach(), value.detach(), gradients


def assert_close(ours, theirs, tolerance):
    """Equal up to a share of the largest entry."""
    assert ours.shape == theirs.shape
    scale = max(1e-6, theirs.abs().max().item()) if theirs.numel() else 1.0
    torch.testing.assert_close(ours, theirs, rtol=0, atol=tolerance * scale)


def assert_equal_to_reference(reward, transition, iterations):
    q, value, gradients = results(fused_value_iteration, reward, transition, iterations)
    true_q, true_value, true_gradients = results(value_iteration, reward, transition, iterations)
    assert_close(q, true_q, 1e-5)
    assert_close(value, true_value, 1e-5)
    for ours, theirs in zip(gradients, true_gradients, strict=True):
        assert_close(ours, theirs, 1e-4)


@pytest.mark.parametrize("untied", [False, True])
@pytest.mark.parametrize("width", [1, 3, 5])
@pytest.mark.parametrize(
    ("batch", "rows", "cols", "actions", "channels"),
    [
        (1, 1, 1, 1, 1),
        (3, 1, 9, 3, 2),
        (5, 9, 1, 12, 1),
        (17, 8, 8, 10, 3),
        (2, 7, 13, 5, 1),
        (1, 64, 48, 4, 1),
    ],
)
def test_equals_the_reference(batch, rows, cols, actions, channels, width, untied):
    iterations = 5
    reward, transition = inputs(
        batch, rows, cols, actions=actions, channels=channels, width=width, untied=untied and iterations + 1
    )
    assert_equal_to_reference(reward, transition, iterations)


@settings(max_examples=25, deadline=None)
@given(
    batch=st.integers(1, 40),
    rows=st.integers(1, 20),
    cols=st.integers(1, 20),
    actions=st.integers(1, 12),
    channels=st.integers(1, 3),
    width=st.sampled_from([1, 3, 5, 7]),
    iterations=st.integers(1, 8),
    untied=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_equals_the_reference_for_any_size(
    batch, rows, cols, actions, channels, width, iterations, untied, seed
):
    reward, transition = inputs(
        batch,
        rows,
        cols,
        actions=actions,
        channels=channels,
        width=width,
        untied=untied and iterations + 1,
        seed=seed,
    )
    # in float64 the reference has no ties of its own making; a winner by less than float error may differ
    exact = [part.detach().double() for part in (reward, transition.reward, transition.value)]
    true_q, true_value = value_iteration(exact[0], type(transition)(*exact[1:]), iterations)
    q, value = fused_value_iteration(reward, transition, iterations)
    assert_close(q.detach(), true_q.float(), 1e-5)
    assert_close(value.detach(), true_value.float(), 1e-5)


def test_equals_the_reference_at_full_depth():
    reward, transition = inputs(20, 28, 28, actions=10)
    assert_equal_to_reference(reward, transition, 36)


def test_inputs_may_be_strided():
    reward, transition = inputs(4, 9, 6)
    strided = SharedKernels(
        transition.reward.detach().transpose(-1, -2).requires_grad_(),
        transition.value.detach().expand(4, 1, 3, 3).transpose(-1, -2).requires_grad_(),
    )
    turned = reward.detach().permute(0, 1, 3, 2).requires_grad_()
    assert not turned.is_contiguous()
    assert_equal_to_reference(turned, strided, 4)


def test_a_gradient_may_be_strided_or_missing():
    reward, transition = inputs(3, 5, 5)
    q, _ = fused_value_iteration(reward, transition, 3)
    (ours,) = torch.autograd.grad(q.sum(), reward)
    (theirs,) = torch.autograd.grad(value_iteration(reward, transition, 3)[0].sum(), reward)
    assert_close(ours, theirs, 1e-4)


@pytest.mark.parametrize("differentiated", [0, 1, 2])
def test_only_some_inputs_need_a_gradient(differentiated):
    reward, transition = inputs(3, 6, 5, channels=2)
    parts = [part.detach() for part in (reward, transition.reward, transition.value)]
    parts[differentiated].requires_grad_()
    for create_graph in (False, True):
        found = []
        for plan in (fused_value_iteration, value_iteration):
            q, value = plan(parts[0], SharedKernels(*parts[1:]), 4)
            loss = (q**2).sum() + value.sum()
            found.append(
                torch.autograd.grad(loss, parts[differentiated], create_graph=create_graph)[0].detach()
            )
        assert_close(*found, 1e-4)


@pytest.mark.parametrize("untied", [0, 5])
def test_second_derivative_equals_the_reference(untied):
    products = []
    for plan in (fused_value_iteration, value_iteration):
        reward, transition = inputs(3, 6, 7, channels=2, untied=untied)
        parts = (reward, transition.reward, transition.value)
        q, value = plan(reward, transition, 4)
        gradients = torch.autograd.grad((q**2).sum() + (value**3).sum(), parts, create_graph=True)
        products.append(torch.autograd.grad(sum((part**2).sum() for part in gradients), parts))
    for ours, theirs in zip(*products, strict=True):
        assert theirs.abs().max() > 0
        assert_close(ours, theirs, 1e-4)


def test_the_gradient_goes_to_the_first_of_equal_actions():
    reward, transition = inputs(2, 5, 5, actions=3)
    same = SharedKernels(
        transition.reward.detach()[:1].expand(3, 1, 3, 3).clone().requires_grad_(),
        transition.value.detach()[:1].expand(3, 1, 3, 3).clone().requires_grad_(),
    )
    _, value = fused_value_iteration(reward, same, 4)
    value.sum().backward()
    assert same.value.grad is not None
    assert same.value.grad[0].abs().max() > 0
    assert same.value.grad[1:].abs().max() == 0


def test_untied_kernels_of_the_first_step_see_no_value():
    reward, transition = inputs(2, 5, 5, untied=4)
    _, _, gradients = results(fused_value_iteration, reward, transition, 3)
    assert gradients[2][0].abs().max() == 0
    assert gradients[2][1:].abs().amax(dim=(1, 2, 3, 4)).min() > 0


def test_threads_do_not_change_a_bit():
    reward, transition = inputs(37, 16, 16, actions=10)
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append(results(fused_value_iteration, reward, transition, 20))
    finally:
        torch.set_num_threads(before)
    for q, value, gradients in found[1:]:
        assert torch.equal(q, found[0][0])
        assert torch.equal(value, found[0][1])
        assert all(torch.equal(*pair) for pair in zip(gradients, found[0][2], strict=True))


def test_many_callers_at_once_do_not_disturb_each_other():
    problems = [inputs(9, 12, 12, seed=seed) for seed in range(6)]
    alone = [results(fused_value_iteration, *problem, 20) for problem in problems]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda problem: results(fused_value_iteration, *problem, 20), problems))
    for (q, _, gradients), (true_q, _, true_gradients) in zip(together, alone, strict=True):
        assert torch.equal(q, true_q)
        assert all(torch.equal(*pair) for pair in zip(gradients, true_gradients, strict=True))


@pytest.mark.parametrize("problems", [1, 2, 31, 32, 33, 128, 1000])
def test_shares_cover_every_problem_once(problems):
    covered = [problem for first, last in shares_of(problems) for problem in range(first, last)]
    assert covered == list(range(problems))


def test_without_a_gradient_nothing_is_kept_and_nothing_changes():
    reward, transition = inputs(5, 7, 7)
    with torch.no_grad():
        q, value = fused_value_iteration(reward, transition, 6)
    assert not q.requires_grad
    assert torch.equal(q, fused_value_iteration(reward, transition, 6)[0])
    assert torch.equal(value, fused_value_iteration(reward, transition, 6)[1])


def test_backward_keeps_at_most_six_bytes_per_cell_and_backup():
    reward, transition = inputs(4, 28, 28, actions=10)
    sizes = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda kept: sizes.append(kept.nbytes) or kept, lambda kept: kept
    ):
        fused_value_iteration(reward, transition, 36)
    assert sum(sizes) <= 6 * reward.numel() * 36


@pytest.mark.parametrize("rows", [1, 5, 28])
@pytest.mark.parametrize("width", [1, 3, 5])
def test_a_frame_holds_every_neighbourhood(rows, width):
    frame = frame_of(rows, 7, width)
    last = frame.origin + (rows - 1) * frame.stride + 6
    reach = (width // 2) * (frame.stride + 1)
    assert frame.origin - reach == 0
    assert last + reach < frame.size
    assert frame.span % 8 == 0
    assert last < frame.origin + frame.span


@pytest.mark.parametrize("place", ["reward", "reward kernels", "value kernels"])
@pytest.mark.parametrize("poison", [float("nan"), float("inf")])
def test_nan_is_never_hidden(place, poison):
    reward, transition = inputs(2, 5, 5)
    parts = {"reward": reward, "reward kernels": transition.reward, "value kernels": transition.value}
    parts[place].data.view(-1)[-1] = poison
    q, value = fused_value_iteration(reward, transition, 8)
    true_q, true_value = value_iteration(reward, transition, 8)
    assert torch.equal(q.isfinite(), true_q.isfinite())
    assert torch.equal(value.isfinite(), true_value.isfinite())
    assert not q.isfinite().all()


def test_an_empty_batch_gives_empty_results():
    reward, transition = inputs(0, 5, 4)
    q, value, gradients = results(fused_value_iteration, reward, transition, 3)
    assert q.shape == (0, 4, 5, 4)
    assert value.shape == (0, 1, 5, 4)
    assert gradients[1].abs().max() == 0


def test_is_fusible_tells_what_is_supported():
    reward, transition = inputs(2, 5, 5)
    assert is_fusible(reward, transition)
    assert is_fusible(*inputs(2, 5, 5, untied=3))
    assert is_fusible(*inputs(2, 5, 5, actions=255))
    assert not is_fusible(*inputs(2, 5, 5, actions=256))
    assert not is_fusible(*inputs(2, 5, 5, width=2))
    assert not is_fusible(*inputs(2, 5, 5, dtype=torch.float64))
    assert not is_fusible(reward.to("meta"), transition)
    local = LocalKernels(torch.zeros(2, 4, 1, 3, 3, 5, 5), torch.zeros(2, 4, 1, 3, 3, 5, 5))
    assert not is_fusible(reward, local)


def test_what_is_not_supported_the_reference_computes():
    reward, transition = inputs(2, 4, 4, actions=300)
    assert_equal_to_reference(reward, transition, 2)
    reward, transition = inputs(2, 4, 4, actions=255)
    assert_equal_to_reference(reward, transition, 2)


def test_needs_a_maximisation():
    with pytest.raises(InputError, match="iterations"):
        fused_value_iteration(*inputs(2, 4, 4), 0)


def test_numba_is_not_imported_until_it_is_needed():
    code = "import sys, vinlab.planning.fused; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("untied", [False, True])
@pytest.mark.parametrize("width", [3, 5])
@pytest.mark.parametrize("iterations", [1, 4])
def test_an_initial_value_is_backed_up_as_the_reference_does(iterations, width, untied):
    reward, transition = inputs(3, 6, 11, width=width, untied=untied and iterations + 1)
    initial_value = torch.randn(3, 1, 6, 11, generator=torch.Generator().manual_seed(1)).requires_grad_()
    found = []
    for plan in (fused_value_iteration, value_iteration):
        q, value = plan(reward, transition, iterations, initial_value=initial_value)
        leaves = (reward, transition.reward, transition.value, initial_value)
        found.append((q, value, *torch.autograd.grad(q.square().sum() + value.sum(), leaves)))
    for ours, theirs in zip(*found, strict=True):
        assert_close(ours.detach(), theirs.detach(), 1e-4)


def test_an_initial_value_continues_a_plan():
    reward, transition = inputs(2, 9, 9)
    _, value = fused_value_iteration(reward, transition, 5)
    q, _ = fused_value_iteration(reward, transition, 3, initial_value=value)
    assert_close(q, fused_value_iteration(reward, transition, 8)[0], 1e-5)


def test_second_derivatives_reach_an_initial_value():
    reward, transition = inputs(1, 4, 5)
    initial_value = torch.randn(1, 1, 4, 5, generator=torch.Generator().manual_seed(1)).requires_grad_()
    found = []
    for plan in (fused_value_iteration, value_iteration):
        q, _ = plan(reward, transition, 2, initial_value=initial_value)
        (slope,) = torch.autograd.grad(q.pow(3).sum(), initial_value, create_graph=True)
        found.append(torch.autograd.grad(slope.square().sum(), (initial_value, transition.value)))
    for ours, theirs in zip(*found, strict=True):
        assert_close(ours, theirs, 1e-4)


def test_an_initial_value_of_another_shape_is_refused():
    with pytest.raises(
        InputError, match=r"initial_value: expected the shape \(2, 1, 4, 5\), got \(2, 1, 5, 4\)"
    ):
        require_initial_value(torch.zeros(2, 1, 5, 4), torch.zeros(2, 3, 4, 5))


@pytest.mark.parametrize("width", [1, 3, 5])
@pytest.mark.parametrize("action", [0, 1, 2])
def test_a_q_that_is_no_number_is_never_hidden_by_the_others(width, action):
    reward, transition = inputs(1, 6, 9, actions=3, width=width)
    kernels = transition.reward.detach().clone()
    kernels[:] = 0.0
    kernels[action, 0, width // 2, width // 2] = 1.0
    poisoned = reward.detach().clone()
    poisoned[0, 0, 2, 4] = float("nan")
    own = SharedKernels(kernels, transition.value.detach())
    q, value = fused_value_iteration(poisoned, own, 4)
    true_q, true_value = value_iteration(poisoned, own, 4)
    assert torch.equal(q.isnan(), true_q.isnan())
    assert torch.equal(value.isnan(), true_value.isnan())
    assert value[0, 0, 2, 4].isnan()

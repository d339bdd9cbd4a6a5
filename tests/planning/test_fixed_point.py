"""Planning to the fixed point of uncertain transitions equals exact value iteration, its gradient the true one."""

import warnings

import numpy as np
import pytest
import torch

import vinlab
from helpers.reference_plans import reference_fixed_point
from vinlab.modules.transition import SoftmaxTransition, move_kernels, move_logits
from vinlab.planning import policy_iteration
from vinlab.planning.bellman import LocalKernels, SharedKernels, UntiedKernels
from vinlab.planning.costs import UNREACHABLE, CostMap, MoveTable, terminals_at
from vinlab.planning.exact import exact_value_iteration
from vinlab.planning.fixed_point import FixedPointPlanner, TerminalReward
from vinlab.planning.policy_iteration import UncertainProblem
from vinlab.planning.settled import require_probabilities
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.types import InputError

plan = FixedPointPlanner(tolerance=1e-12)


def kernels(logit=2.0, *, noise=0.3, seed=0, dtype=torch.float64, channels=1):
    """Nine actions that mostly lead where they should, and cost what the cell there costs."""
    source = torch.Generator().manual_seed(seed)
    chances = move_logits(logit=logit)
    chances = chances + noise * torch.randn(chances.shape, generator=source)
    weights = move_logits(logit=4.0).expand(-1, channels, -1, -1)
    part = SoftmaxTransition(chances.to(dtype), weights.to(dtype))
    return part(torch.zeros(1))


def problem(batch, rows, cols, *, goals=1, seed=0, dtype=torch.float64, channels=1):
    source = torch.Generator().manual_seed(seed)
    reward = -torch.randn(batch, channels, rows, cols, generator=source, dtype=torch.float64).mul(0.5).exp()
    cells = torch.stack([torch.randint(side, (batch, goals), generator=source) for side in (rows, cols)], -1)
    return TerminalReward(reward.to(dtype), terminals_at(cells, rows, cols))


def by_the_book(uncertain, index):
    """Value iteration with a full matrix: terminal cells absorb, what leaves the map stays."""
    rows, cols = uncertain.terminals.shape[1:]
    count = rows * cols
    actions = len(uncertain.share[0])
    matrix = np.zeros((actions, count, count))
    reward = uncertain.share[index].detach().flatten(1).numpy().copy()
    chances = uncertain.probabilities.detach().flatten(1).numpy()
    for cell in range(count):
        row, col = divmod(cell, cols)
        for action in range(actions):
            for (down, right), chance in zip(uncertain.offsets.tolist(), chances[action], strict=True):
                inside = 0 <= row + down < rows and 0 <= col + right < cols
                matrix[action, cell, (row + down) * cols + col + right if inside else cell] += chance
            down, right = uncertain.moves.offsets[action].tolist()
            if not (0 <= row + down < rows and 0 <= col + right < cols):
                reward[action, cell] = -1e4
    ends = uncertain.terminals[index].flatten().numpy()
    reward[:, ends], matrix[:, ends] = 0.0, np.eye(count)[ends]
    return exact_value_iteration(reward, matrix, discount=1.0, tolerance=1e-12).reshape(rows, cols)


@pytest.mark.parametrize("logit", [1.0, 2.0, 6.0])
@pytest.mark.parametrize(
    ("batch", "rows", "cols", "goals"), [(1, 1, 1, 1), (2, 1, 7, 1), (3, 6, 4, 2), (1, 9, 8, 1)]
)
def test_the_value_is_that_of_exact_value_iteration(batch, rows, cols, goals, logit):
    task, transition = problem(batch, rows, cols, goals=goals), kernels(logit)
    found = plan(task, transition)
    uncertain = UncertainProblem(transition.reward_term(task.reward, 0), transition.value, task.terminals)
    true = np.stack([by_the_book(uncertain, index) for index in range(batch)])
    np.testing.assert_allclose(found.value[:, 0].detach().numpy(), true, rtol=1e-7, atol=1e-7)
    best = found.q.max(dim=1, keepdim=True).values.masked_fill(task.terminals[:, None], 0.0)
    torch.testing.assert_close(found.value, best)


def test_move_logits_make_it_a_shortest_path():
    task, transition = problem(5, 9, 12, goals=2), kernels(60.0, noise=0.0)
    shortest = ShortestPathPlanner()(
        CostMap(-transition.reward_term(task.reward, 0), task.terminals),
        MoveTable.of(offsets_of(transition)),
    )
    found = plan(task, transition)
    torch.testing.assert_close(found.value, shortest.value)
    torch.testing.assert_close(found.q, shortest.q)


def offsets_of(transition):
    return UncertainProblem(
        torch.zeros(1, 9, 1, 1), transition.value, torch.ones(1, 1, 1) > 0
    ).moves.offsets.tolist()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sweeps_equal_policy_iteration_with_their_gradients(dtype):
    task, transition = problem(4, 7, 9, goals=2, dtype=dtype, channels=2), kernels(dtype=dtype, channels=2)
    share = transition.reward_term(task.reward, 0).detach().requires_grad_()
    chances = transition.value.detach().requires_grad_()
    uncertain = UncertainProblem(share, chances, task.terminals)
    compiled = FixedPointPlanner(tolerance=1e-12)._settle(uncertain)
    dense = reference_fixed_point(uncertain)
    weights = [torch.randn_like(part) for part in compiled]
    tolerance = {"rtol": 1e-4, "atol": 1e-3} if dtype == torch.float32 else {"rtol": 1e-8, "atol": 1e-8}
    for ours, theirs in zip(compiled, dense, strict=True):
        torch.testing.assert_close(ours, theirs, **tolerance)
    found = [torch.autograd.grad(results, (share, chances), weights) for results in (compiled, dense)]
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, **tolerance)


def test_the_gradient_is_that_of_backups_until_they_settle():
    task, transition = problem(1, 4, 5), kernels(3.0)
    reward = task.reward.clone().requires_grad_()
    chances = transition.value.detach().requires_grad_()
    own = SharedKernels(transition.reward.detach(), chances, "blocked")
    uncertain = UncertainProblem(own.reward_term(reward, 0), chances, task.terminals)
    q, value = unrolled(uncertain, 150)
    found = plan(TerminalReward(reward, task.terminals), own)
    torch.testing.assert_close(found.value, value)
    weights = torch.randn_like(q), torch.randn_like(value)
    ours = torch.autograd.grad((found.q, found.value), (reward, chances), weights)
    theirs = torch.autograd.grad((q, value), (reward, chances), weights)
    for pair in zip(ours, theirs, strict=True):
        torch.testing.assert_close(*pair, rtol=1e-6, atol=1e-6)


def unrolled(uncertain, iterations):
    """K backups, each kept for the gradient."""
    rows, cols = uncertain.terminals.shape[1:]
    here = torch.arange(rows * cols)
    row, col = here // cols, here % cols

    def shifted(offsets):
        to_row, to_col = row + offsets[:, :1], col + offsets[:, 1:]
        inside = (to_row >= 0) & (to_row < rows) & (to_col >= 0) & (to_col < cols)
        return (to_row * cols + to_col).where(inside, here), inside

    around, _ = shifted(torch.as_tensor(uncertain.offsets))
    _, possible = shifted(torch.as_tensor(uncertain.moves.offsets))
    value = torch.zeros(len(uncertain.share), rows * cols, dtype=torch.float64)

    def read_q(value):
        onwards = torch.einsum("ak,bkn->ban", uncertain.probabilities.flatten(1), value[:, around])
        return (uncertain.share.flatten(2) + onwards).where(possible, UNREACHABLE)

    for _ in range(iterations):
        value = read_q(value).max(dim=1).values.masked_fill(uncertain.terminals.flatten(1), 0.0)
    return read_q(value).view_as(uncertain.share), value.view(-1, 1, rows, cols)


def test_gradients_equal_finite_differences_twice():
    task, transition = problem(1, 1, 3), kernels(2.5)

    def results(reward, logits):
        chances = logits.flatten(1).softmax(dim=1).view_as(logits)
        found = plan(
            TerminalReward(-reward.exp(), task.terminals), SharedKernels(east_and_west.reward, chances)
        )
        return found.q.clamp(min=-1e3), found.value.square()

    east_and_west = SharedKernels(transition.reward.detach()[2:4], transition.value.detach()[2:4])
    inputs = (task.reward.neg().log().requires_grad_(), east_and_west.value.log().requires_grad_())
    assert torch.autograd.gradcheck(results, inputs, atol=1e-4)
    assert torch.autograd.gradgradcheck(results, inputs, atol=1e-3, rtol=1e-2)


def test_threads_do_not_change_a_bit():
    task, transition = problem(35, 9, 8), kernels()
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            reward, chances = task.reward.clone().requires_grad_(), transition.value.detach().requires_grad_()
            own = SharedKernels(transition.reward.detach(), chances, "blocked")
            planned = plan(TerminalReward(reward, task.terminals), own)
            gradients = torch.autograd.grad(planned.q.sum() + planned.value.sum(), (reward, chances))
            found.append((planned.q, planned.value, *gradients))
    finally:
        torch.set_num_threads(before)
    for others in found[1:]:
        assert all(torch.equal(*pair) for pair in zip(others, found[0], strict=True))


def test_it_says_when_the_value_has_not_settled():
    task, transition = problem(1, 9, 9), kernels(1.0)
    with pytest.warns(
        RuntimeWarning, match=r"the value has not settled after 1 sweeps: expected .* at most 1e-12, got"
    ):
        FixedPointPlanner(tolerance=1e-12, max_sweeps=1)(task, transition)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan(task, transition)


@pytest.mark.parametrize(
    ("transition", "sentence"),
    [
        (move_kernels(actions=9), r"expected value kernels that are probabilities .* .GridPlanner."),
        (
            UntiedKernels(torch.ones(2, 8, 1, 3, 3), torch.ones(2, 8, 1, 3, 3)),
            r"got UntiedKernels; .* .GridPlanner.",
        ),
        (
            LocalKernels(torch.ones(1, 8, 1, 3, 3, 4, 4), torch.ones(1, 8, 1, 3, 3, 4, 4)),
            r"got LocalKernels; .* .GridPlanner.",
        ),
    ],
)
def test_kernels_without_a_fixed_point_are_refused(transition, sentence):
    with pytest.raises(InputError, match=sentence):
        plan(problem(1, 4, 4, dtype=torch.float32), transition)


def test_bad_input_is_named():
    task, transition = problem(2, 4, 4), kernels()
    with pytest.raises(InputError, match="expected no number of iterations"):
        plan(task, transition, iterations=3)
    with pytest.raises(InputError, match="expected costs above zero, got -"):
        plan(TerminalReward(-task.reward, task.terminals), transition)
    with pytest.raises(InputError, match="expected finite costs, got nan"):
        plan(TerminalReward(task.reward * float("nan"), task.terminals), transition)
    with pytest.raises(InputError, match="at least one goal"):
        plan(TerminalReward(task.reward, torch.zeros_like(task.terminals)), transition)
    with pytest.raises(InputError, match="expected a tolerance above zero and at least one sweep, got 0"):
        FixedPointPlanner(tolerance=0.0)


def test_a_vin_with_uncertain_moves_plans_and_learns():
    logits = move_logits(logit=6.0)
    network = vinlab.ValueIterationNetwork(
        reward=vinlab.WithTerminals(vinlab.ExpCostReward(vinlab.CnnReward(hidden=4))),
        transition=SoftmaxTransition(logits, logits),
        planner=FixedPointPlanner(),
        attention=vinlab.StateAttention(),
        policy=vinlab.TemperaturePolicy(),
    )
    for weight in network.reward.parameters():
        torch.nn.init.zeros_(weight)  # every cell costs 1
    observation = torch.zeros(1, 2, 5, 6)
    observation[0, 1, 2, 4] = 10.0
    states = torch.tensor([[[2, 3], [1, 4]]])  # beside the goal
    logits, plan = network(observation, states)
    assert plan.value[0, 0, 2, 4] == 0
    assert logits[0].argmax(dim=-1).tolist() == [2, 1]  # east, south
    logits.logsumexp(dim=-1).sum().backward()
    assert all(weight.grad is not None and weight.grad.isfinite().all() for weight in network.parameters())


def test_a_probability_may_be_zero_but_not_below_it():
    chances = torch.zeros(2, 1, 3, 3, dtype=torch.float64)
    chances[0, 0, 1, 2] = chances[1, 0, 1, 0] = 1.0
    require_probabilities(chances)
    chances[0, 0, 1, 2], chances[0, 0, 0, 0] = 1.001, -0.001
    with pytest.raises(InputError, match=r"got a sum of 1 and a least entry of -0\.001"):
        require_probabilities(chances)


def test_the_probabilities_of_an_action_may_miss_one_by_rounding_alone():
    chances = torch.full((2, 1, 3, 3), 1 / 9, dtype=torch.float64)
    require_probabilities(chances * (1 + 0.9e-4))
    for factor in (1 + 1.1e-4, 1 - 1.1e-4):
        chances[1] = factor / 9
        with pytest.raises(InputError, match=f"got a sum of {factor:.6g}"):
            require_probabilities(chances)


def test_the_dense_equations_are_for_small_maps(monkeypatch):
    monkeypatch.setattr(policy_iteration, "MOST_CELLS", 12)
    transition = kernels()
    for rows, cols in ((3, 4), (12, 1)):
        reference_fixed_point(
            UncertainProblem(-torch.ones(1, 9, rows, cols).double(), *ending(transition, rows, cols))
        )
    for rows, cols in ((3, 5), (13, 1), (1, 13)):
        problem = UncertainProblem(-torch.ones(1, 9, rows, cols).double(), *ending(transition, rows, cols))
        with pytest.raises(InputError, match=f"expected at most 12 cells .*, got {rows * cols}"):
            reference_fixed_point(problem)


def ending(transition, rows, cols):
    return transition.value.detach(), terminals_at(np.array([[[0, 0]]]), rows, cols)


def test_it_says_when_the_gradient_has_not_settled():
    task, transition = problem(2, 7, 7), kernels(1.0)
    reward = task.reward.clone().requires_grad_()

    def gradient(scale, planner):
        value = planner(TerminalReward(reward, task.terminals), transition).value
        return torch.autograd.grad(scale * value.sum(), reward)[0]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settled = gradient(1.0, plan)
        # How near it is to its end is a share of the largest gradient, whatever its size.
        torch.testing.assert_close(gradient(1e-9, plan), 1e-9 * settled)
        assert not gradient(0.0, plan).any()
    hasty = FixedPointPlanner(tolerance=1e-12, max_sweeps=1)
    with pytest.warns(RuntimeWarning, match="the gradient has not settled after 1 sweeps"):
        gradient(1.0, hasty)


def test_cells_without_a_path_are_unreachable_and_have_no_gradient():
    """East and south alone: what lies beyond the goal cannot reach it, and what would lead there stays."""
    chances = torch.zeros(2, 1, 3, 3, dtype=torch.float64)
    chances[0, 0, 1, 2], chances[0, 0, 1, 1], chances[0, 0, 2, 1] = 0.7, 0.1, 0.2
    chances[1, 0, 2, 1], chances[1, 0, 1, 2], chances[1, 0, 0, 1] = 0.8, 0.15, 0.05
    chances.requires_grad_()
    share = -torch.rand(1, 2, 4, 5, dtype=torch.float64).add(0.5)
    uncertain = UncertainProblem(share.requires_grad_(), chances, terminals_at(np.array([[[2, 3]]]), 4, 5))
    compiled, dense = plan._settle(uncertain), reference_fixed_point(uncertain)
    reached = torch.zeros(4, 5, dtype=torch.bool)
    reached[:3, :4] = True
    assert torch.equal(compiled[1][0, 0] == UNREACHABLE, ~reached)
    assert (compiled[0][0][:, ~reached] == UNREACHABLE).all()
    weights = [torch.randn_like(part) for part in compiled]
    found = [torch.autograd.grad(results, (share, chances), weights) for results in (compiled, dense)]
    for ours, theirs in zip((*compiled, *found[0]), (*dense, *found[1]), strict=True):
        torch.testing.assert_close(ours, theirs)
    assert not found[0][0][0][:, ~reached].any()

"""The planners inside other people's PyTorch: transforms, other defaults, autocast."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.func import grad, jacfwd, jacrev, vmap

import vinlab
from vinlab.modules import SoftmaxTransition, move_logits
from vinlab.planning import GraphPlanner, GraphTransition, GridPlanner, SharedKernels
from vinlab.planning.costs import CostMap, terminals_at
from vinlab.planning.fixed_point import FixedPointPlanner, TerminalReward
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.types import InputError


def noise(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float32)


KERNELS = SharedKernels(noise(4, 1, 3, 3, seed=1), noise(4, 1, 3, 3, seed=2) / 6)
EDGES = GraphTransition(
    torch.tensor([0, 0, 1, 2, 3]), torch.tensor([1, 2, 3, 3, 0]), torch.tensor([0.9, 0.8, 0.7, 0.6, 0.5]), 4
)
GOALS = terminals_at(torch.tensor([[[3, 3]]]), 4, 5)
PROBABILITIES = SoftmaxTransition(move_logits(logit=3.0), move_logits(logit=3.0))(noise(1))
MOVES = SharedKernels(PROBABILITIES.reward.detach(), PROBABILITIES.value.detach())
ONES = torch.ones(1, 8, 4, 5)


def on_grid(x):
    return GridPlanner(iterations=5)(x.view(1, 1, 4, 5), KERNELS).q


def on_graph(x):
    return GraphPlanner(iterations=4)(x[:4][None], EDGES).q


def by_search(x):
    costs = x.exp().view(1, 1, 4, 5) * ONES
    return ShortestPathPlanner()(CostMap(costs, GOALS)).value.clamp(min=-1e3)


def uncertain(x):
    return FixedPointPlanner(tolerance=1e-9)(TerminalReward(-x.exp().view(1, 1, 4, 5), GOALS), MOVES).value


PLANNERS = [on_grid, on_graph, by_search, uncertain]
INPUT, OTHER = noise(20, seed=7), noise(20, seed=8)


def plain_gradient(plan, x):
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad(plan(leaf).square().sum(), leaf)[0]


@pytest.mark.parametrize("plan", PLANNERS)
def test_every_transform_gives_what_autograd_gives(plan):
    expected = plain_gradient(plan, INPUT)
    close = {"rtol": 1e-3, "atol": 1e-3}
    torch.testing.assert_close(grad(lambda x: plan(x).square().sum())(INPUT), expected, **close)
    both = torch.stack([INPUT, OTHER])
    torch.testing.assert_close(vmap(plan)(both), torch.stack([plan(INPUT), plan(OTHER)]), **close)
    per_sample = vmap(grad(lambda x: plan(x).square().sum()))(both)
    torch.testing.assert_close(per_sample[1], plain_gradient(plan, OTHER), **close)
    backward, forward = jacrev(plan)(INPUT), jacfwd(plan)(INPUT)
    torch.testing.assert_close(backward, forward, **close)
    torch.testing.assert_close(torch.einsum("...x,...->x", backward, 2 * plan(INPUT)), expected, **close)


@pytest.mark.parametrize("plan", PLANNERS)
def test_forward_mode_keeps_the_tangent(plan):
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(INPUT, OTHER)
        tangent = torch.autograd.forward_ad.unpack_dual(plan(dual).square().sum()).tangent
    assert tangent is not None
    torch.testing.assert_close(tangent, plain_gradient(plan, INPUT) @ OTHER, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("plan", PLANNERS)
def test_gradients_may_come_in_batches(plan):
    leaf = INPUT.clone().requires_grad_()
    result = plan(leaf).flatten()
    together = torch.autograd.grad(
        result, leaf, torch.eye(len(result)), is_grads_batched=True, retain_graph=True
    )[0]
    (last,) = torch.autograd.grad(result[-1], leaf)
    torch.testing.assert_close(together[-1], last, rtol=1e-4, atol=1e-4)


TRACE = """
import sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
import torch
from test_transforms import INPUT, OTHER, PLANNERS
for plan in PLANNERS:
    traced = torch.jit.trace(plan, INPUT, check_trace=False)
    torch.testing.assert_close(traced(OTHER), plan(OTHER), rtol=1e-4, atol=1e-4)
"""


def test_a_trace_plans_anew_for_other_inputs():
    # In a process of its own: while it traces, PyTorch gives tensors as shapes, which checks of types refuse.
    command = [sys.executable, "-c", TRACE, str(Path(__file__).parent)]
    environment = {**os.environ, "PYTHONPATH": str(Path(vinlab.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("plan", PLANNERS)
def test_other_defaults_of_pytorch_change_nothing(plan):
    expected, slope = plan(INPUT), plain_gradient(plan, INPUT)
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.equal(plan(INPUT), expected)
        assert torch.equal(plain_gradient(plan, INPUT), slope)
    finally:
        torch.set_default_dtype(torch.float32)
    with torch.device("meta"):
        assert torch.equal(plan(INPUT), expected)
        assert torch.equal(plain_gradient(plan, INPUT), slope)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("plan", PLANNERS)
def test_autocast_does_not_reach_the_planner(plan, dtype):
    expected = plan(INPUT)
    with torch.autocast("cpu", dtype=dtype):
        assert torch.equal(plan(INPUT), expected)


def test_rewards_that_autocast_made_are_planned_in_full_precision():
    reward = noise(1, 1, 4, 5).bfloat16()
    plan = GridPlanner(iterations=5)(reward, KERNELS)
    assert plan.q.dtype == torch.float32
    assert torch.equal(plan.q, GridPlanner(iterations=5)(reward.float(), KERNELS).q)


@pytest.mark.parametrize("wrong", [2.0, 2.5, True, "3", None, torch.tensor(1.5)])
def test_k_is_a_whole_number(wrong):
    from vinlab.planning.bellman import require_iterations

    with pytest.raises(InputError, match="iterations: expected a whole number"):
        require_iterations(wrong)
    require_iterations(torch.tensor(3))


def test_kernels_of_another_type_are_refused():
    double = SharedKernels(KERNELS.reward.double(), KERNELS.value.double())
    with pytest.raises(InputError, match=r"reward_kernels: expected torch.float32 on cpu as the reward"):
        GridPlanner(iterations=2)(noise(1, 1, 4, 5), double)

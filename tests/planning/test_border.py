"""What lies beyond the edge of a map: zero as in the paper, or blocked; the same in every planner and kernel."""

import numpy as np
import pytest
import torch

from vinlab.modules import SoftmaxTransition, move_logits
from vinlab.planning import GridPlanner, HierarchicalPlanner, LocalKernels, SharedKernels, UntiedKernels
from vinlab.planning.bellman import value_iteration
from vinlab.planning.fused import fused_value_iteration
from vinlab.planning.grid import with_outside
from vinlab.types import MOVE_OFFSETS, InputError


def noise(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def by_hand(image, kernel):
    """Each cell's neighbourhood, with the cell itself in place of what lies beyond the edge."""
    (actions, _, width, _), (rows, cols) = kernel.shape, image.shape[1:]
    found = torch.zeros(actions, rows, cols, dtype=image.dtype)
    for row, col in np.ndindex(rows, cols):
        for down, right in np.ndindex(width, width):
            y, x = row + down - width // 2, col + right - width // 2
            inside = 0 <= y < rows and 0 <= x < cols
            read = image[:, y, x] if inside else image[:, row, col]
            found[:, row, col] += kernel[:, :, down, right] @ read
    return found


@pytest.mark.parametrize("width", [1, 3, 5])
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 4), (4, 3)])
def test_a_blocked_cell_reads_itself_beyond_the_edge(rows, cols, width):
    image, kernel = noise(2, 3, rows, cols), noise(4, 3, width, width, seed=1)
    shared = SharedKernels(kernel, kernel[:, :1], "blocked")
    local = kernel[None, ..., None, None].expand(2, -1, -1, -1, -1, rows, cols)
    for term in (
        shared.reward_term(image, 0),
        LocalKernels(local, local[:, :, :1], "blocked").reward_term(image, 0),
        UntiedKernels(kernel[None], kernel[None, :, :1], "blocked").reward_term(image, 0),
    ):
        torch.testing.assert_close(term, torch.stack([by_hand(one, kernel) for one in image]))


@pytest.mark.parametrize("untied", [False, True])
@pytest.mark.parametrize(
    ("rows", "cols", "width"), [(1, 1, 3), (1, 7, 3), (6, 9, 3), (17, 8, 3), (5, 6, 5), (2, 3, 7)]
)
def test_the_compiled_kernels_block_as_the_reference_does(rows, cols, width, untied):
    layers, iterations = (5,) if untied else (), 4
    parts = [
        noise(3, 2, rows, cols, dtype=torch.float32),
        noise(*layers, 5, 2, width, width, seed=1, dtype=torch.float32),
        noise(*layers, 5, 1, width, width, seed=2, dtype=torch.float32) / (2 * width),
        noise(3, 1, rows, cols, seed=3, dtype=torch.float32),
    ]
    found = []
    for plan in (fused_value_iteration, value_iteration):
        reward, *kernels, initial = leaves = [part.clone().requires_grad_() for part in parts]
        kind = UntiedKernels if untied else SharedKernels
        q, value = plan(reward, kind(*kernels, "blocked"), iterations, initial_value=initial)
        found.append((q, value, *torch.autograd.grad((q.sin() * 2).sum() + value.square().sum(), leaves)))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4 * float(theirs.abs().max()))


def test_with_costs_leaving_the_map_is_never_best_unless_it_is_free():
    reward = -torch.ones(1, 1, 5, 5)
    reward[0, 0, 4, 4] = 0.0  # the goal: staying there is free
    logits = move_logits(logit=20.0)
    transition = SoftmaxTransition(logits, logits)(reward)
    assert transition.outside == "blocked"
    planner = GridPlanner(iterations=12)
    blocked, free = planner(reward, transition), planner.with_outside("zero")(reward, transition)
    assert MOVE_OFFSETS[int(blocked.q[0, :, 0, 0].argmax())].tolist() == [1, 1]
    assert MOVE_OFFSETS[int(free.q[0, :8, 0, 0].argmax())].min() == -1
    torch.testing.assert_close(blocked.value[0, 0, 0, 0], torch.tensor(-3.0), rtol=0, atol=1e-4)


def test_the_planner_states_its_rule_and_refuses_others():
    kernels = SharedKernels(torch.zeros(1, 1, 3, 3), torch.zeros(1, 1, 3, 3))
    assert with_outside(kernels, None).outside == "zero"
    assert with_outside(kernels, "blocked").outside == "blocked"
    assert "outside='blocked'" in repr(GridPlanner(iterations=2, outside="blocked"))
    planner = HierarchicalPlanner(iterations=(2, 3), outside="zero").with_outside("blocked")
    assert planner.outside == "blocked"
    assert planner.iterations == (2, 3)
    with pytest.raises(InputError, match="outside: expected 'zero' or 'blocked', got 'wall'"):
        GridPlanner.__init__.__wrapped__(GridPlanner(iterations=1), iterations=1, outside="wall")


def test_a_transition_with_a_rule_of_its_own_keeps_it():
    class Own:
        def reward_term(self, reward, step):
            return reward

        def value_term(self, value, step):
            return value

    assert GridPlanner(iterations=2)(torch.ones(1, 1, 3, 3), Own()).value.eq(2).all()
    with pytest.raises(InputError, match="has its own rule"):
        GridPlanner(iterations=2, outside="blocked")(torch.ones(1, 1, 3, 3), Own())

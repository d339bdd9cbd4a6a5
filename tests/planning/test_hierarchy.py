import pytest
import torch

from vinlab.planning import (
    GridPlanner,
    HierarchicalPlanner,
    SharedKernels,
    coarse_as_initial_value,
    coarse_as_reward,
)
from vinlab.planning.hierarchy import downsample_max, upsample_linear, upsample_nearest
from vinlab.types import InputError


def kernels(rewards, dtype=torch.float64):
    return SharedKernels(
        torch.randn(3, rewards, 3, 3, dtype=dtype), 0.3 * torch.randn(3, 1, 3, 3, dtype=dtype)
    )


@pytest.mark.parametrize(("rows", "cols", "factor"), [(8, 8, 2), (9, 7, 2), (9, 10, 4), (5, 1, 3), (1, 1, 2)])
def test_a_cell_takes_the_value_of_the_coarse_cell_it_lies_in(rows, cols, factor):
    fine = torch.arange(rows * cols, dtype=torch.float64).view(1, 1, rows, cols)
    coarse = downsample_max(fine, factor)
    back = upsample_nearest(coarse, (rows, cols), factor)
    for row in range(rows):
        for col in range(cols):
            assert back[0, 0, row, col] == coarse[0, 0, row // factor, col // factor]
            block = fine[0, 0, row // factor * factor :, col // factor * factor :][:factor, :factor]
            assert back[0, 0, row, col] == block.max()


def test_levels_are_grid_planners_joined_by_one_more_reward_channel():
    torch.manual_seed(0)
    rewards = [torch.randn(2, 1, size, size, dtype=torch.float64) for size in (2, 4, 7)]
    transitions = [kernels(1), kernels(2), kernels(2)]
    plan = HierarchicalPlanner(iterations=(2, 3, 4))(rewards, transitions)
    coarsest = GridPlanner(iterations=2)(rewards[0], transitions[0])
    signal = torch.cat([rewards[1], upsample_nearest(coarsest.value, (4, 4), 2)], dim=1)
    middle = GridPlanner(iterations=3)(signal, transitions[1])
    signal = torch.cat([rewards[2], upsample_nearest(middle.value, (7, 7), 2)], dim=1)
    finest = GridPlanner(iterations=4)(signal, transitions[2])
    torch.testing.assert_close(plan.q, finest.q)
    assert plan.coarser is not None
    torch.testing.assert_close(plan.coarser.value, middle.value)
    assert plan.coarser.coarser is not None
    torch.testing.assert_close(plan.coarser.coarser.value, coarsest.value)


def test_a_coarse_value_that_is_a_plane_stays_one():
    rows, cols = torch.meshgrid(torch.arange(4.0), torch.arange(5.0), indexing="ij")
    fine = upsample_linear((2 * rows + 3 * cols)[None, None], (7, 10), 2)[0, 0]
    inside = fine[1:-1, 1:-1]
    torch.testing.assert_close(inside.diff(dim=0), torch.full((4, 8), 1.0))
    torch.testing.assert_close(inside.diff(dim=1), torch.full((5, 7), 1.5))
    # The centre of the first coarse cell lies between its four fine ones.
    assert fine[1, 1] == pytest.approx(0.25 * 2 + 0.25 * 3)


def test_a_finer_level_can_begin_with_the_value_of_the_coarser_one():
    torch.manual_seed(0)
    rewards = [torch.randn(2, 1, size, size, dtype=torch.float64) for size in (3, 5)]
    transitions = [kernels(1), kernels(1)]
    plan = HierarchicalPlanner(iterations=(2, 3), combine=coarse_as_initial_value)(rewards, transitions)
    coarse = GridPlanner(iterations=2)(rewards[0], transitions[0])
    initial_value = 2 * upsample_linear(coarse.value, (5, 5), 2)
    torch.testing.assert_close(
        plan.q, GridPlanner(iterations=3)(rewards[1], transitions[1], initial_value=initial_value).q
    )


@pytest.mark.parametrize(("combine", "channels"), [(coarse_as_reward, 2), (coarse_as_initial_value, 1)])
def test_gradients_equal_finite_differences_twice(combine, channels):
    torch.manual_seed(1)
    rewards = [torch.randn(1, 1, size, size, dtype=torch.float64, requires_grad=True) for size in (2, 3)]
    sets = [kernels(1), kernels(channels)]
    weights = [k.requires_grad_() for s in sets for k in (s.reward, s.value)]

    def plan(coarse, fine, *weights):
        transitions = [SharedKernels(*weights[:2]), SharedKernels(*weights[2:])]
        planner = HierarchicalPlanner(iterations=(2, 2), combine=combine)
        return planner([coarse, fine], transitions).q

    assert torch.autograd.gradcheck(plan, (*rewards, *weights))
    assert torch.autograd.gradgradcheck(plan, (*rewards, *weights))


def test_one_number_of_iterations_is_that_of_every_level():
    rewards = [torch.rand(1, 1, 2, 2), torch.rand(1, 1, 4, 4)]
    sets = [kernels(1, torch.float32), kernels(2, torch.float32)]
    planner = HierarchicalPlanner(iterations=(1, 2))
    one, each = (planner(rewards, sets, iterations=count).value for count in (3, (3, 3)))
    assert torch.equal(one, each)


def test_what_does_not_fit_is_named():
    with pytest.raises(InputError, match="expected K of at least one level"):
        HierarchicalPlanner(iterations=())
    with pytest.raises(InputError, match="factor: expected at least 1"):
        HierarchicalPlanner(iterations=(1,), factor=0)
    planner = HierarchicalPlanner(iterations=(1, 1))
    rewards = [torch.zeros(1, 1, 3, 3), torch.zeros(1, 1, 4, 4)]
    sets = [kernels(1, torch.float32), kernels(2, torch.float32)]
    with pytest.raises(InputError, match="transitions: expected one for each of 2 levels, got 1"):
        planner(rewards, sets[:1])
    with pytest.raises(InputError, match=r"expected a coarse value of \(2, 2\) cells .* got \(3, 3\) cells"):
        planner(rewards, sets)

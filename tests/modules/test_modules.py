"""One contract for all parts: shapes, gradients against finite differences, and what each part is for."""

import pytest
import torch

from vinlab.modules import (
    CnnReward,
    FixedTransition,
    HierarchicalReward,
    LinearPolicy,
    LinearReward,
    PooledLinearReward,
    SharedTransition,
    StateAttention,
    UntiedTransition,
    move_kernels,
    random_kernels,
)
from vinlab.planning import GridPlanner
from vinlab.types import MOVE_NAMES, MOVE_OFFSETS, InputError, Plan

REWARDS = [
    CnnReward(hidden=4),
    CnnReward(hidden=4, rewards=2, width=5),
    LinearReward(hidden=4),
    PooledLinearReward(hidden=4),
    HierarchicalReward([CnnReward(hidden=3, downsample=2), CnnReward(hidden=3)]),
]
TRANSITIONS = [
    SharedTransition(random_kernels(actions=3, std=0.3)),
    SharedTransition(move_kernels()),
    UntiedTransition([random_kernels(actions=3, std=0.3) for _ in range(3)]),
]


def check_twice(module, function, *inputs):
    module.double()
    names, weights = zip(*module.named_parameters(), strict=True)

    def of(*arguments):
        own = dict(zip(names, arguments[len(inputs) :], strict=True))
        return torch.func.functional_call(module, own, function(*arguments[: len(inputs)]))

    leaves = (*inputs, *(w.detach().clone().requires_grad_() for w in weights))
    assert torch.autograd.gradcheck(lambda *a: flat(of(*a)), leaves)
    assert torch.autograd.gradgradcheck(lambda *a: flat(of(*a)), leaves)


def flat(found):
    if isinstance(found, torch.Tensor):
        return found
    if isinstance(found, list):
        return tuple(found)
    return GridPlanner(iterations=2)(torch.ones(1, 1, 3, 2).double() + torch.rand(3, 2).double() * 0, found).q


@pytest.mark.parametrize("reward", REWARDS, ids=lambda part: type(part).__name__)
def test_rewards_have_right_gradients(reward):
    torch.manual_seed(0)
    check_twice(reward, lambda image: (image,), torch.randn(2, 2, 3, 4).double().requires_grad_())


@pytest.mark.parametrize("transition", TRANSITIONS, ids=lambda part: type(part).__name__)
def test_transitions_have_right_gradients(transition):
    torch.manual_seed(0)
    check_twice(transition, lambda: (torch.zeros(1, 2, 3, 2).double(),))


def test_the_policy_has_right_gradients():
    torch.manual_seed(0)
    attended = torch.randn(2, 3, 4).double().requires_grad_()
    check_twice(LinearPolicy(actions=4, moves=3), lambda values: (values,), attended)


def test_attention_has_right_gradients():
    torch.manual_seed(0)
    q = torch.randn(2, 3, 4, 5).double().requires_grad_()
    states = torch.tensor([[[0, 0], [3, 4]], [[1, 2], [1, 2]]])

    def attend(q):
        return StateAttention()(Plan(reward=q[:, :1], q=q, value=q[:, :1]), states)

    assert torch.autograd.gradcheck(attend, (q,))
    assert torch.autograd.gradgradcheck(attend, (q,))


def test_attention_reads_the_rows_and_columns_it_was_asked_for():
    q = torch.randn(2, 3, 4, 5)
    states = torch.tensor([[[0, 1], [3, 4]], [[2, 0], [1, 3]]])
    read = StateAttention()(Plan(reward=q[:, :1], q=q, value=q[:, :1]), states)
    for problem in range(2):
        for place in range(2):
            row, col = states[problem, place]
            assert torch.equal(read[problem, place], q[problem, :, row, col])


def test_move_kernels_weigh_the_cells_that_the_moves_lead_to():
    kernels = move_kernels(discount=0.9, std=0.0)
    for action, (row, col) in enumerate(MOVE_OFFSETS):
        assert kernels.value[action, 0, 1 + row, 1 + col] == pytest.approx(0.9)
        assert kernels.value[action].sum() == pytest.approx(0.9)
    assert kernels.value[len(MOVE_NAMES) :].abs().sum() == 0


def test_move_kernels_need_room_for_the_moves():
    with pytest.raises(InputError, match="got 4 actions and width 3"):
        move_kernels(actions=4)


def test_extra_reward_channels_have_the_given_weight():
    kernels = move_kernels(rewards=3, std=0.0, extra_reward_weight=0.3)
    assert torch.equal(kernels.reward[:, 1], 0.3 * kernels.reward[:, 0])
    assert torch.equal(kernels.reward[:, 2], 0.3 * kernels.reward[:, 0])
    assert float(kernels.reward[0].sum()) == pytest.approx(1.6)


def test_fixed_kernels_are_not_learned():
    assert not list(FixedTransition(move_kernels()).parameters())


def test_the_linear_reward_is_its_two_layers_with_their_gradients():
    torch.manual_seed(0)
    part = LinearReward(hidden=5, rewards=2)
    observation = torch.randn(3, 2, 6, 7)
    found, plain = part(observation), part.reward(part.features(observation))
    torch.testing.assert_close(found, plain)
    gradients = [torch.autograd.grad(one.square().sum(), list(part.parameters())) for one in (found, plain)]
    torch.testing.assert_close(gradients[0], gradients[1])


def test_the_linear_reward_adds_up():
    torch.manual_seed(0)
    part = LinearReward(hidden=5)
    one, two = torch.randn(2, 1, 2, 6, 6)
    nothing = part(torch.zeros(1, 2, 6, 6))
    torch.testing.assert_close(part(one + two) + nothing, part(one) + part(two), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("state", [(-1, 0), (0, -1), (4, 0), (0, 5), (3, 9)])
def test_states_outside_the_map_are_refused(state):
    plan = Plan(torch.zeros(1, 1, 4, 5), torch.zeros(1, 3, 4, 5), torch.zeros(1, 1, 4, 5))
    assert StateAttention()(plan, torch.tensor([[[3, 4], [0, 0]]])).shape == (1, 2, 3)
    with pytest.raises(InputError, match=r"states: expected cells of a map of 4 x 5 cells, got"):
        StateAttention()(plan, torch.tensor([[[0, 0], state]]))


def test_autocast_does_not_round_the_values_that_a_policy_reads():
    policy, values = LinearPolicy(actions=3, moves=3), torch.tensor([[[1000.0, 1000.5, 999.5]]])
    with torch.no_grad():
        policy.moves.weight.copy_(torch.eye(3))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert torch.equal(policy(values), values)


def test_a_pooled_reward_is_the_linear_one_of_the_largest_features_of_each_block():
    torch.manual_seed(0)
    part, observation = PooledLinearReward(hidden=3), torch.rand(1, 2, 4, 5)
    features = part.features(observation)
    expected = torch.einsum("h,h->", features[0, :, 2:4, 2:4].amax(dim=(1, 2)), part.reward.weight.flatten())
    found = part(observation)
    assert found.shape == (1, 1, 2, 3)
    torch.testing.assert_close(found[0, 0, 1, 1], expected)

"""The parts for continuous states: the patch of the value around a position, and three layers."""

import numpy as np
import pytest
import torch

from vinlab.modules import MlpPolicy, PatchAttention
from vinlab.modules.attention import cell_and_offset
from vinlab.types import Plan


def plan_with(value):
    return Plan(reward=value, q=value, value=value)


def test_a_position_lies_in_its_cell_with_an_offset_from_its_centre():
    positions = torch.tensor([[[-1.0, -1.0], [0.01, 0.99], [1.0, 1.0], [-0.9375, 0.0625]]])
    cells, offsets = cell_and_offset(positions, 16, 16)
    assert cells.tolist() == [[[0, 0], [8, 15], [15, 15], [0, 8]]]
    np.testing.assert_allclose(offsets[0, 0], [-0.5, -0.5])
    np.testing.assert_allclose(offsets[0, 3], [0.0, 0.0], atol=1e-5)


def test_the_patch_is_the_value_around_the_cell():
    value = torch.randn(2, 1, 16, 16)
    states = torch.rand(2, 7, 4) * 1.4 - 0.7
    attention = PatchAttention()
    found = attention(plan_with(value), states)
    cells, _ = cell_and_offset(states[..., :2], 16, 16)
    for problem in range(2):
        for index, (row, col) in enumerate(cells[problem].tolist()):
            patch = value[problem, 0, row - 2 : row + 3, col - 2 : col + 3].flatten()
            torch.testing.assert_close(found[problem, index], attention.norm(patch))


def test_beyond_the_map_the_edge_is_repeated():
    value = torch.arange(16.0).view(1, 1, 1, 16).expand(1, 1, 16, 16).contiguous()
    found = PatchAttention()(plan_with(value), torch.tensor([[[0.0, -1.0, 0.0, 0.0]]])).view(5, 5)
    torch.testing.assert_close(found[:, 0], found[:, 2])
    assert (found[:, 3] > found[:, 2]).all()


@pytest.mark.parametrize("scale", [0.1, 50.0])
def test_only_differences_of_value_count(scale):
    value, states = torch.randn(1, 1, 16, 16), torch.rand(1, 5, 4) - 0.5
    attention = PatchAttention()
    expected = attention(plan_with(value), states)
    found = attention(plan_with(scale * value + 7), states)
    torch.testing.assert_close(found, expected, atol=2e-2, rtol=1e-2)


def test_the_gradient_reaches_the_value():
    value = torch.randn(1, 1, 6, 6, dtype=torch.float64, requires_grad=True)
    states = torch.rand(1, 3, 4, dtype=torch.float64) * 2 - 1
    attention = PatchAttention().double()
    assert torch.autograd.gradcheck(lambda image: attention(plan_with(image), states), (value,))


def test_the_policy_has_three_layers_and_two_outputs():
    policy = MlpPolicy(inputs=31, hidden=8)
    assert policy(torch.randn(2, 5, 31)).shape == (2, 5, 2)
    assert sum(isinstance(layer, torch.nn.Linear) for layer in policy.layers) == 3

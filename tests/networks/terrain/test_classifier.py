"""The classifier's planner: costs of cells, and the straight line that ignores them."""

import pytest
import torch

from helpers.terrain_problems import noise_images
from vinlab.domains.mars.problem import normalise
from vinlab.networks.terrain.classifier import LogProbabilityCost, StraightLine, ThresholdCost
from vinlab.networks.terrain.configs import ClassifierConfig
from vinlab.types import MOVE_COSTS


def test_a_flip_average_is_the_same_on_flipped_terrain():
    torch.manual_seed(0)
    images, network = normalise(noise_images(2)), ClassifierConfig(flip_average=True).build().eval()
    costs, flipped = network.encode(images), network.encode(images.flip(2))
    assert torch.allclose(flipped, costs.flip(1), atol=1e-4)
    assert not torch.allclose(costs, costs.flip(1), atol=1e-4)


def test_costs_grow_with_the_probability_to_be_blocked():
    logits = torch.tensor([[[-2.0, 0.0, 2.0]]])
    assert (ThresholdCost(0.6)(logits) > 0).flatten().tolist() == [False, False, True]
    assert torch.allclose(LogProbabilityCost(3.0)(logits), -3.0 * torch.log(1 - logits.sigmoid()))


def test_the_straight_line_ignores_the_image():
    goals = torch.tensor([[[0, 0]]])
    dark, light = (
        StraightLine().dense_logits(normalise(noise_images(2)[one : one + 1]), goals) for one in (0, 1)
    )
    assert torch.equal(dark, light)
    assert -dark.amax(dim=1)[0, 15, 15].item() == pytest.approx(15 * MOVE_COSTS[-1], rel=1e-4)

"""Losses of demonstrated paths: what they are worth on paths whose probability is known."""

import numpy as np
import pytest
import torch

from helpers.path_datasets import paths_on
from vinlab.experiments.terrain_costs.dataset.demonstrations import PathDemonstrations
from vinlab.experiments.terrain_costs.dataset.record import PathDataset
from vinlab.learners.path_losses import MaxEntropyConfig, PathImitationConfig, SlipConfig
from vinlab.networks.terrain.ground_rivals import GroundCnnConfig
from vinlab.networks.terrain.ground_vin import GroundVinConfig
from vinlab.types import Demonstrations, InputError


def vin():
    torch.manual_seed(0)
    return GroundVinConfig(mean=(0.0, 0.0), std=(1.0, 1.0), hidden=4).build()


@pytest.mark.parametrize("config", [PathImitationConfig(), SlipConfig(), MaxEntropyConfig()])
def test_a_loss_adds_up_over_paths_on_images_of_any_size_and_moves_all_weights(config):
    paths, policy = paths_on((4, 6), (3, 5), (4, 6)), vin()
    loss = config.build(policy)
    together = loss(paths[[0, 1, 2]])
    apart = sum(loss(paths[[number]]).item() for number in range(3))
    assert together.item() == pytest.approx(apart, rel=1e-4, abs=1e-4)
    assert len(paths[[0, 1, 2]]) == 2
    together.backward()
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in policy.parameters())


def test_the_probabilities_of_all_paths_add_up_to_one():
    policy = vin()
    image = np.zeros((2, 1, 3), np.float32)
    blocked = (np.zeros((1, 3), bool),)
    total = 0.0
    # On three cells in a row every path from the left to the right turns back some number of times.
    for turns in range(30):
        cells = [0, *[1, 0] * turns, 1, 2]
        path = np.stack([np.zeros(len(cells), int), np.array(cells)], axis=-1)
        one = PathDemonstrations(PathDataset("", (image,), blocked, (path,), np.array([0])))
        total += np.exp(-MaxEntropyConfig().build(policy)(one[[0]]).item())
    assert total == pytest.approx(1.0, abs=1e-5)


def test_a_slip_costs_no_more_than_a_random_move():
    policy = vin()
    away = np.array([[1, 2], [1, 1], [1, 2], [1, 3], [1, 4]])
    image, blocked = np.zeros((2, 3, 5), np.float32), np.zeros((3, 5), bool)
    paths = PathDemonstrations(PathDataset("", (image,), (blocked,), (away,), np.array([0])))
    with torch.no_grad():
        policy.reward.log_cost.bias.fill_(4.0)
    strict = PathImitationConfig().build(policy)(paths[[0]]).item()
    lenient = SlipConfig(0.1).build(policy)(paths[[0]]).item()
    assert strict > 50 > 3 * -np.log(0.1 / 8) > lenient


def test_whole_paths_need_a_policy_with_costs():
    policy = GroundCnnConfig(mean=(0.0, 0.0), std=(1.0, 1.0), hidden=4).build()
    with pytest.raises(InputError, match="expected a policy that plans to the fixed point"):
        MaxEntropyConfig().build(policy)(paths_on((4, 6))[[0]])


def test_a_probability_of_slips_lies_between_zero_and_one():
    with pytest.raises(InputError, match="expected a probability above 0 and below 1, got 1"):
        SlipConfig(1.0)


class Fixed(torch.nn.Module):
    """A policy that gives every state the same logits."""

    def __init__(self, logits):
        super().__init__()
        self.logits = torch.tensor(logits)

    def forward(self, observations, states):
        return self.logits.expand(*states.shape[:2], 8), None


def test_a_slipping_demonstrator_makes_the_policys_move_or_a_random_one():
    chances = np.array([0.3, 0.1, 0.2, 0.05, 0.05, 0.1, 0.1, 0.1])
    moves = torch.zeros(1, 3, 8, dtype=torch.bool)
    moves[0, 0, 0] = moves[0, 1, 3] = moves[0, 1, 2] = moves[0, 2, 7] = True
    part = Demonstrations(
        torch.zeros(1, 2, 3, 3),
        torch.zeros(1, 3, 2, dtype=torch.long),
        moves,
        torch.tensor([[1.0, 2.0, 0.0]]),
    )
    found = SlipConfig(0.2).build(Fixed(np.log(chances).tolist()))([part])
    first, second = 0.8 * 0.3 + 0.2 / 8, 0.8 * (0.05 + 0.2) + 0.2 / 8
    assert found.item() == pytest.approx(-np.log(first) - 2 * np.log(second), rel=1e-5)

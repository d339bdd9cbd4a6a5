"""A policy that reads features of the state beside the plan."""

import pytest
import torch

import vinlab
from vinlab.modules import FeaturePolicy
from vinlab.modules.attention import PatchFeatures


def network(features, policy):
    return vinlab.ValueIterationNetwork(
        reward=vinlab.CnnReward(hidden=4),
        transition=vinlab.SharedTransition(vinlab.move_kernels()),
        planner=vinlab.GridPlanner(iterations=3),
        attention=vinlab.StateAttention(),
        policy=policy,
        features=features,
    )


def test_patch_features_are_the_observation_around_a_cell():
    observation = torch.rand(2, 3, 5, 6)
    found = PatchFeatures(width=3)(observation)
    assert found.shape == (2, 27, 5, 6)
    assert torch.equal(found[1, :, 2, 4].view(3, 3, 3), observation[1, :, 1:4, 3:6])
    assert not found[0, :, 0, 0].view(3, 3, 3)[:, 0].any()


def test_the_policy_is_given_both():
    given = []

    class Noted(torch.nn.Module):
        def forward(self, attended, features):
            given.append((attended, features))
            return attended[..., :8]

    vin = network(PatchFeatures(width=1), Noted())
    observation, states = torch.rand(2, 2, 6, 7), torch.tensor([[[1, 2], [5, 6]], [[0, 0], [3, 3]]])
    _, plan = vin(observation, states)
    attended, features = given[0]
    assert torch.equal(attended[0, 1], plan.q[0, :, 5, 6])
    assert torch.equal(features[0, 1], observation[0, :, 5, 6])
    assert torch.equal(features[1, 1], observation[1, :, 3, 3])


def test_a_part_of_the_plans_keeps_its_features():
    vin = network(PatchFeatures(), FeaturePolicy(features=18, hidden=5))
    states = torch.tensor([[[1, 2]], [[0, 0]], [[3, 3]]])
    logits, plan = vin(torch.rand(3, 2, 5, 5), states)
    torch.testing.assert_close(vin.act(plan[1:], states[1:]), logits[1:])


def test_both_inputs_and_the_features_themselves_learn():
    vin = network(torch.nn.Conv2d(2, 6, 3, padding=1), FeaturePolicy(features=6, hidden=16))
    logits, _ = vin(torch.rand(3, 2, 5, 5), torch.zeros(3, 4, 2, dtype=torch.long))
    logits.square().sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in vin.parameters())


def test_a_feature_policy_can_do_what_no_plan_can():
    """The label is a mark in the state's own cell, which the values do not show."""
    torch.manual_seed(0)
    vin = network(PatchFeatures(width=1), FeaturePolicy(features=2, hidden=16))
    observation = torch.zeros(64, 2, 4, 4)
    observation[:, 0] = torch.rand(64, 4, 4) < 0.5
    states = torch.randint(4, (64, 8, 2))
    label = observation[torch.arange(64)[:, None], 0, states[..., 0], states[..., 1]].long()
    optimiser = torch.optim.Adam(vin.policy.parameters(), lr=0.03)
    for _ in range(60):
        logits, _ = vin(observation, states)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), label.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert (logits.argmax(dim=-1) == label).float().mean() > 0.99


def test_a_plan_without_features_is_refused():
    vin = network(PatchFeatures(), FeaturePolicy(features=18))
    states = torch.zeros(1, 1, 2, dtype=torch.long)
    other = network(None, vinlab.LinearPolicy()).plan(torch.rand(1, 2, 4, 4))
    with pytest.raises(vinlab.InputError, match="expected a plan of this network, which holds features"):
        vin.act(other, states)

"""Networks that learn what ground costs: channels, cells of several pixels, blocked cells, symmetry."""

import numpy as np
import pytest
import torch

from vinlab.domains.terrain_costs.problem import observe
from vinlab.networks.configs import network_config
from vinlab.networks.terrain.ground_rivals import GroundCnnConfig, MoveClassifierConfig
from vinlab.networks.terrain.ground_vin import LEAST_COST, GroundVinConfig
from vinlab.recording.serialization import to_plain
from vinlab.types import InputError

KINDS = [GroundVinConfig, GroundCnnConfig, MoveClassifierConfig]


def some(channels=3, shape=(6, 8), pixels=1, count=2, blocked=()):
    rng = np.random.default_rng(0)
    sides = shape[0] * pixels, shape[1] * pixels
    images = rng.normal(size=(count, channels, *sides)).astype(np.float32)
    walls = np.zeros((count, *shape), bool)
    for cell in blocked:
        walls[:, cell[0], cell[1]] = True
    return observe(images, walls, np.tile([[5, 7]], (count, 1)), pixels)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("channels", "pixels"), [(1, 1), (3, 1), (5, 4)])
def test_a_network_takes_any_channels_and_pixels_and_comes_back_from_its_settings(kind, channels, pixels):
    config = kind(mean=(0.5,) * channels, std=(2.0,) * channels, hidden=4, pixels=pixels)
    assert network_config(to_plain(config)) == config
    network = config.build()
    assert (network.channels, network.pixels) == (channels, pixels)
    logits, _ = network(some(channels, pixels=pixels), torch.zeros(2, 3, 2, dtype=torch.int64))
    assert logits.shape == (2, 3, 8)
    assert logits.isfinite().any(dim=-1).all()


def test_costs_have_a_floor_and_follow_from_the_cell_alone_with_that_view():
    network = GroundVinConfig(mean=(0.0,), std=(1.0,), view="cell", hidden=4).build()
    observation = some(1)
    costs = network.encode(observation[:, :-1]).costs
    assert costs.min() >= LEAST_COST
    changed = observation.clone()
    changed[:, 0, 2, 3] += 5
    differs = network.encode(changed[:, :-1]).costs != costs
    assert differs[:, 2, 3].all()
    assert differs.sum() == 2


@pytest.mark.parametrize(("view", "reach"), [("near", 2), ("wide", 8)])
def test_a_wider_view_reaches_further(view, reach):
    network = GroundVinConfig(mean=(0.0,), std=(1.0,), view=view, hidden=8).build()
    images = torch.randn(1, 2, 24, 24, dtype=torch.float32)
    images[:, 1] = 0
    images.requires_grad_()
    network.encode(images).costs[0, 12, 12].backward()
    rows = images.grad[0, 0].abs().sum(dim=1).nonzero().flatten()
    assert 12 - reach <= rows.min() < rows.max() <= 12 + reach
    assert rows.max() - rows.min() > reach


def test_routes_pass_around_blocked_cells():
    network = GroundVinConfig(mean=(0.0,), std=(1.0,), hidden=4).build()
    plan = network.plan(some(1, blocked=[(row, 4) for row in range(1, 6)]))
    here, seen = (5, 0), []
    offsets = [(-1, 0), (1, 0), (0, 1), (0, -1), (-1, 1), (-1, -1), (1, 1), (1, -1)]
    while here != (5, 7):
        move = int(plan.moves[0][here])
        here = here[0] + offsets[move][0], here[1] + offsets[move][1]
        seen.append(here)
    assert (0, 4) in seen


def test_scale_and_offset_of_a_channel_do_not_matter_once_normalised():
    torch.manual_seed(0)
    first = GroundVinConfig(mean=(0.0,), std=(1.0,), hidden=4).build()
    second = GroundVinConfig(mean=(100.0,), std=(50.0,), hidden=4).build()
    second.load_state_dict(first.state_dict())
    images = some(1)[:, :-1]
    scaled = images.clone()
    scaled[:, 0] = 100 + 50 * scaled[:, 0]
    torch.testing.assert_close(first.encode(images).costs, second.encode(scaled).costs)


def test_mean_and_deviation_are_given_for_each_channel():
    with pytest.raises(InputError, match="expected the mean and standard deviation of each channel"):
        GroundVinConfig(mean=(0.0, 1.0), std=(1.0,)).build()


@pytest.mark.parametrize("kind", KINDS)
def test_in_training_equal_images_that_follow_each_other_are_encoded_once(kind):
    torch.manual_seed(0)
    network = kind(mean=(0.5,) * 3, std=(2.0,) * 3, hidden=4).build()
    observation = some(count=3, blocked=[(2, 2)])[[0, 0, 1, 2, 2, 2]]
    seen = []
    network.get_submodule("reward.encoder" if kind is GroundVinConfig else "encoder").register_forward_hook(
        lambda module, images, features: seen.append(len(features))
    )
    states = torch.zeros(6, 1, 2, dtype=torch.int64)
    network.train()
    trained, _ = network(observation, states)
    network.eval()
    evaluated, _ = network(observation, states)
    assert seen == [3, 6]
    torch.testing.assert_close(trained, evaluated)


def test_cells_of_a_kind_cost_the_same_and_others_what_is_to_be_expected():
    torch.manual_seed(0)
    network = GroundVinConfig(mean=(0.0,), std=(1.0,), view="cell", hidden=4, kinds=3).build()
    reward = network.reward
    with torch.no_grad():
        reward.kind.weight.zero_()
        reward.kind.bias.copy_(torch.tensor([0.0, 50.0, 0.0]))
        costs = LEAST_COST + reward.costs_of_kinds()
        found = network.encode(some(1)[:, :-1]).costs
        torch.testing.assert_close(found, costs[1].expand_as(found))
        reward.kind.bias.zero_()
        mixed = network.encode(some(1)[:, :-1]).costs
        torch.testing.assert_close(mixed, costs.mean().expand_as(mixed))
    assert costs[0] < costs[1] < costs[2]


@pytest.mark.parametrize("kinds", [0, 3])
def test_with_symmetry_a_turned_or_mirrored_image_has_turned_or_mirrored_costs(kinds):
    torch.manual_seed(0)
    config = GroundVinConfig((0.0,) * 3, (1.0,) * 3, hidden=6, kinds=kinds, symmetric=True)
    network = config.build().eval()
    images = some()[:, :-1]
    with torch.no_grad():
        costs = network.encode(images).costs
        assert not torch.allclose(costs, network.train().encode(images).costs)
        network.eval()
        for turns in range(4):
            seen = network.encode(torch.rot90(images, turns, (2, 3))).costs
            torch.testing.assert_close(seen, torch.rot90(costs, turns, (1, 2)))
        torch.testing.assert_close(network.encode(images.flip(3)).costs, costs.flip(2))


def test_the_costs_with_symmetry_are_the_mean_of_those_without():
    torch.manual_seed(0)
    symmetric = GroundVinConfig((0.0,), (1.0,), hidden=6, kinds=3, symmetric=True).build().eval()
    plain = GroundVinConfig((0.0,), (1.0,), hidden=6, kinds=3).build().eval()
    plain.load_state_dict(symmetric.state_dict())
    images = some(1)[:, :-1]
    found = []
    with torch.no_grad():
        for seen, back in (
            (images, lambda costs: costs),
            (images.flip(3), lambda costs: costs.flip(2)),
            (images.flip(2), lambda costs: costs.flip(1)),
            (images.flip(2, 3), lambda costs: costs.flip(1, 2)),
        ):
            found.append(back(plain.encode(seen).costs))
            found.append(back(plain.encode(seen.mT.contiguous()).costs.mT))
        torch.testing.assert_close(symmetric.encode(images).costs, torch.stack(found).mean(dim=0))

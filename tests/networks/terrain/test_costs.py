"""The VIN on terrain that plans to the fixed point, and image layers that see one cell at a time."""

import json

import pytest
import torch

from vinlab.networks.configs import network_config
from vinlab.networks.terrain.configs import ClassifierConfig, TerrainShortestPathConfig, image_layers
from vinlab.networks.terrain.costs import GAIN, TerrainShortestPathVin
from vinlab.recording.serialization import to_plain
from vinlab.types import CELL, MOVE_NAMES, MOVE_OFFSETS

SIDE = 6


def images(count: int = 2) -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(count, 1, SIDE * CELL, SIDE * CELL)


def with_risks(risks: torch.Tensor) -> TerrainShortestPathVin:
    """The network with these risks, whatever the image."""
    network = TerrainShortestPathConfig(hidden=4).build()
    logits = risks.expm1().log() / GAIN
    network.reward.risk_logits = lambda images: logits[None, None]  # pyright: ignore
    return network


@pytest.mark.parametrize("caution", [1.0, 3.0])
def test_a_move_costs_its_length_times_one_plus_the_risk_of_the_cell_it_enters(caution: float):
    risks = torch.zeros(SIDE, SIDE)
    risks[2, 3] = 2.0
    network = with_risks(risks)
    network.reward.caution.fill_(caution)  # pyright: ignore
    costs = network.encode(images(1))[0]
    for move, (down, right) in enumerate(MOVE_OFFSETS):
        row, col = 2 - int(down), 3 - int(right)
        length = float(torch.tensor([down, right], dtype=torch.float32).norm())
        torch.testing.assert_close(costs[move, row, col].item(), length * (1 + 2 * caution))
        torch.testing.assert_close(costs[move, 0, 0].item(), length)


def test_the_policy_goes_around_expensive_cells():
    risks = torch.zeros(SIDE, SIDE)
    risks[:-1, 3] = 80.0  # a wall with a gap in the last row
    network = with_risks(risks)
    moves = network.dense_logits(images(1), torch.tensor([[[0, 5]]])).argmax(dim=1)[0]
    assert MOVE_NAMES[int(moves[0, 2])] == MOVE_NAMES[int(moves[1, 2])]
    assert tuple(MOVE_OFFSETS[int(moves[2, 2])]) in {(1, 0), (1, -1)}
    assert tuple(MOVE_OFFSETS[int(moves[4, 2])]) == (1, 1)


def test_goals_share_the_costs_and_every_weight_gets_a_gradient():
    network = TerrainShortestPathConfig(hidden=4, flip_average=True).build()
    goals = torch.tensor([[[0, 0], [5, 5]], [[3, 1], [2, 2]]])
    logits = network.dense_logits(images(), goals)
    assert logits.shape == (4, 8, SIDE, SIDE)
    inside = logits[:, :, 1:-1, 1:-1]  # moves off the map are worth nothing
    inside.log_softmax(dim=1)[:, 0].mean().backward()
    assert all(weight.grad is not None and weight.grad.any() for weight in network.parameters())


def test_outside_of_training_an_image_and_its_flip_cost_the_same():
    network = TerrainShortestPathConfig(hidden=4, flip_average=True).build().eval()
    logits = network.reward.risk_logits(images())
    torch.testing.assert_close(network.reward.risk_logits(images().flip(2)), logits.flip(2))


def test_image_layers_of_cells_see_no_other_cell():
    layers, image = image_layers("cell", 0.0), images(1)
    before = layers(image)
    changed = image.clone()
    changed[0, 0, : 2 * CELL, : 3 * CELL] += 1.0
    same = (layers(changed) == before).all(dim=1)[0]
    assert same[2:].all()
    assert same[:2, 3:].all()
    assert not same[:2, :3].any()


def test_the_classifier_of_cells_sees_no_other_cell():
    classifier = ClassifierConfig(image="cell", hidden=5).build().classifier
    image = images(1)
    changed = image.clone()
    changed[0, 0, :CELL, :CELL] += 1.0
    same = (classifier(changed) == classifier(image))[0]
    assert same.sum() == SIDE**2 - 1
    assert not same[0, 0]


def test_a_manifest_rebuilds_the_network():
    config = TerrainShortestPathConfig(hidden=7)
    rebuilt = network_config(json.loads(json.dumps(to_plain(config)))).build()
    assert isinstance(rebuilt, TerrainShortestPathVin)
    assert rebuilt.reward.features.out_channels == 7

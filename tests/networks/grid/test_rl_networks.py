"""The networks of the appendix, layer by layer, and what their critics may see."""

import json

import pytest
import torch
from torch import nn

from vinlab.networks.configs import network_config
from vinlab.networks.grid.rl import MOVES, PooledCnn, PooledCnnConfig, ValueVinConfig
from vinlab.recording.serialization import to_plain
from vinlab.types import MOVE_OFFSETS, InputError

STATES = torch.tensor([[[1, 1], [2, 3], [1, 1]], [[4, 4], [5, 1], [6, 6]]])


def images(size: int) -> torch.Tensor:
    torch.manual_seed(0)
    return torch.rand(2, 2, size, size)


def kinds(network: PooledCnn) -> list[tuple]:
    """What the layers are, in order."""
    found = []
    for layer in [*network.body, network.moves]:
        if isinstance(layer, nn.Conv2d):
            found.append(("filters", layer.out_channels, layer.kernel_size))
        elif isinstance(layer, nn.MaxPool2d):
            found.append(("pool", layer.kernel_size))
        elif isinstance(layer, nn.Linear):
            found.append(("full", layer.out_features))
    return found


def test_the_cnn_for_side_8_is_the_appendixs():
    three = (3, 3)
    assert kinds(PooledCnnConfig.for_size(8).build()) == [
        ("filters", 50, three),
        ("pool", 2),
        ("filters", 100, three),
        ("pool", 2),
        ("full", 100),
        ("full", MOVES),
    ]


def test_the_cnn_for_side_16_is_the_appendixs():
    three = (3, 3)
    assert kinds(PooledCnnConfig.for_size(16).build()) == [
        ("filters", 50, three),
        ("pool", 2),
        ("filters", 100, three),
        ("pool", 2),
        ("filters", 100, three),
        ("full", 200),
        ("full", 100),
        ("full", MOVES),
    ]


@pytest.mark.parametrize(("size", "mark"), [(8, 1.0), (16, 10.0)])
def test_the_cnn_sees_the_map_the_goal_and_its_own_place(size, mark):
    network, maps = PooledCnnConfig.for_size(size).build(), images(size)
    logits = network.act(network.plan(maps), STATES)
    assert logits.shape == (2, 3, MOVES)
    for problem in range(2):
        for state in range(3):
            row, col = STATES[problem, state].tolist()
            here = torch.zeros(1, size, size)
            here[0, row, col] = mark
            alone = network.moves(network.body(torch.cat([maps[problem], here])[None]))[0]
            torch.testing.assert_close(logits[problem, state], alone, rtol=1e-4, atol=1e-5)


def test_the_cnn_is_tied_to_its_size():
    with pytest.raises(InputError, match="side 8"):
        PooledCnnConfig.for_size(8).build().plan(images(16))
    with pytest.raises(InputError, match="8 or 16"):
        PooledCnnConfig.for_size(28)


def test_the_vins_logits_are_the_attended_values_themselves():
    network = ValueVinConfig(iterations=5, initialisation="random", std=0.2).build()
    plan = network.plan(images(8))
    logits = network.act(plan, STATES)
    for problem in range(2):
        for state in range(3):
            row, col = STATES[problem, state].tolist()
            assert torch.equal(logits[problem, state], plan.q[problem, :, row, col])


def test_kernels_that_start_as_moves_prefer_the_way_to_a_reward():
    network = ValueVinConfig(iterations=8, std=0.0).build()
    reward = torch.zeros(1, 1, 7, 7)
    reward[0, 0, 3, 3] = 1.0
    plan = network.planner(reward, network.transition(reward))
    for move, (row, col) in enumerate(MOVE_OFFSETS[:MOVES]):
        state = torch.tensor([[[3 - 2 * row, 3 - 2 * col]]])
        assert int(network.act(plan, state)[0, 0].argmax()) == move


def test_a_fresh_policy_has_no_strong_opinion():
    for start in ("moves", "random"):
        network = ValueVinConfig(iterations=10, initialisation=start).build()
        probabilities = network.act(network.plan(images(8)), STATES).softmax(dim=-1)
        assert float(probabilities.detach().max()) < 0.6


def test_a_critic_sees_the_values_around_a_state_and_nothing_flows_back():
    config = ValueVinConfig(iterations=3)
    network, critic = config.build(), config.build_critic()
    plan = network.plan(images(8))
    seen = network.critic_features(plan, STATES)
    assert seen.shape == (2, 3, critic.num_features)
    torch.testing.assert_close(seen[0, 1, :4], plan.q[0, :, 2, 3])
    torch.testing.assert_close(seen[0, 1, 4:13].reshape(3, 3), plan.value[0, 0, 1:4, 2:5])
    torch.testing.assert_close(seen[0, 1, 13:].reshape(3, 3), plan.reward[0, 0, 1:4, 2:5])
    assert critic(seen.detach()).shape == (2, 3)


@pytest.mark.parametrize(
    "config", [ValueVinConfig(iterations=4), PooledCnnConfig.for_size(16)], ids=["vin", "cnn"]
)
def test_a_manifest_rebuilds_the_network(config):
    rebuilt = network_config(json.loads(json.dumps(to_plain(config)))).build()
    shapes = {name: tensor.shape for name, tensor in config.build().state_dict().items()}
    assert {name: tensor.shape for name, tensor in rebuilt.state_dict().items()} == shapes

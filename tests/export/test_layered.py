"""Plans over states with layers give the same answers in ONNX Runtime as in PyTorch."""

import numpy as np
import onnxruntime
import pytest
import torch

from vinlab import load
from vinlab.cli import main
from vinlab.export.onnx import onnx_model
from vinlab.networks.configs import network_config
from vinlab.networks.grid.motion_vin import MotionVinConfig
from vinlab.planning.moves import LayeredMoves, motion_named
from vinlab.types import InputError

ONE_WAY = LayeredMoves.of([[1, 0], [0, -1]], [[(0, 1), (1, 0)], [(0, -1), (0, 0)]])
"""Two layers, of which the second has one action only."""


def inputs(moves, batch, rows, cols):
    source = torch.Generator().manual_seed(rows)
    observation = torch.zeros(batch, 1 + moves.num_layers, rows, cols)
    observation[:, 0] = (torch.rand(batch, rows, cols, generator=source) < 0.3).float()
    observation[:, 1, rows // 2, cols // 2] = 10.0
    states = torch.stack(
        [torch.randint(size, (batch, 5), generator=source) for size in (rows, cols, moves.num_layers)], dim=-1
    )
    return observation, states


def assert_equal(network, runtime, moves, sizes=((1, 3, 3), (2, 5, 8), (3, 9, 4))):
    for batch, rows, cols in sizes:
        observation, states = inputs(moves, batch, rows, cols)
        with torch.no_grad():
            logits, plan = network(observation, states)
        limit = np.array(rows * cols * moves.num_layers)
        given = {"observation": observation.numpy(), "states": states.numpy(), "iterations": limit}
        found = runtime.run(["logits", "reward", "value", "q"], given)
        for mine, other in zip((logits, plan.reward, plan.value, plan.q), found, strict=True):
            torch.testing.assert_close(torch.from_numpy(other), mine, rtol=1e-5, atol=1e-5)


def session(model):
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("motion", ["four", "eight", "differential", "differential-16"])
@pytest.mark.parametrize("by_move", [False, True])
def test_a_plan_over_layers_equals_pytorchs(motion, by_move):
    torch.manual_seed(0)
    config = MotionVinConfig(
        motion, hidden=4, by_move=by_move, preference=by_move, log_inverse_temperature=0.0
    )
    network = config.build()
    assert_equal(network, session(onnx_model(network)), motion_named(motion))


def test_an_action_that_a_layer_does_not_have_is_never_made():
    torch.manual_seed(0)
    network = MotionVinConfig(hidden=4, log_inverse_temperature=0.0).build_for(ONE_WAY)
    assert_equal(network, session(onnx_model(network)), ONE_WAY)


def test_the_shipped_network_of_the_arena_is_exported_by_the_command(tmp_path, capsys):
    path = tmp_path / "vin.onnx"
    main(["export", "arena/gppn-15/best", str(path)])
    assert "states [B S 3]" in capsys.readouterr().out
    runtime = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    observation, states = inputs(motion_named("four"), 4, 15, 15)
    network = load("arena/gppn-15/best").network
    given = {"observation": observation.numpy(), "states": states.numpy(), "iterations": np.array(225)}
    (logits,) = runtime.run(["logits"], given)
    expected = network(observation, states)[0].detach()
    torch.testing.assert_close(torch.from_numpy(logits), expected, rtol=1e-4, atol=1e-4)


def test_a_network_without_a_planner_is_refused():
    with pytest.raises(InputError, match="expected a VIN to export, got ReactiveResNet"):
        onnx_model(network_config({"kind": "reactive-resnet"}).build())

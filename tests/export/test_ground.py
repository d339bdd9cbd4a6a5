"""Networks of ground as ONNX: the same moves and values, past blocked cells and with cells of several pixels."""

import numpy as np
import pytest
import torch

from vinlab.domains.terrain_costs.problem import observe
from vinlab.export.onnx import export_onnx
from vinlab.networks.terrain.ground_vin import GroundVinConfig
from vinlab.planning.costs import UNREACHABLE

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime runs the exported graph")


@pytest.mark.parametrize(
    ("view", "pixels", "kinds", "symmetric"),
    [
        ("near", 1, 0, False),
        ("wide", 3, 0, False),
        ("near", 2, 4, False),
        ("near", 1, 4, True),
        ("near", 2, 0, True),
    ],
)
def test_an_exported_network_plans_alike(view, pixels, kinds, symmetric, tmp_path):
    torch.manual_seed(0)
    config = GroundVinConfig(
        (0.1, 0.2), (1.0, 2.0), view, hidden=6, pixels=pixels, kinds=kinds, symmetric=symmetric
    )
    network = config.build().eval()
    rng = np.random.default_rng(0)
    images = rng.normal(size=(2, 2, 7 * pixels, 9 * pixels)).astype(np.float32)
    blocked = rng.random((2, 7, 9)) < 0.2
    blocked[:, 6, 8] = False
    observation = observe(images, blocked, np.array([[6, 8], [6, 8]]), pixels)
    cells = torch.cartesian_prod(torch.arange(7), torch.arange(9)).expand(2, -1, -1)
    export_onnx(network, tmp_path / "ground.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "ground.onnx"))
    feed = {"observation": observation.numpy(), "states": cells.numpy(), "iterations": np.array(63)}
    logits, reward, value, _ = session.run(None, feed)
    with torch.no_grad():
        expected, plan = network(observation, cells)
    known = plan.value.numpy() > UNREACHABLE / 2
    np.testing.assert_allclose(value[known], plan.value.numpy()[known], rtol=1e-4)
    np.testing.assert_allclose(reward, plan.reward.numpy(), rtol=1e-4)
    possible = expected.numpy() > UNREACHABLE / 2
    np.testing.assert_allclose(logits[possible], expected.numpy()[possible], rtol=1e-4)
    assert (logits[~possible] < UNREACHABLE / 2).all()

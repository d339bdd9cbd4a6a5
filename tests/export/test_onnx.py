"""An exported VIN computes what PyTorch computes."""

import numpy as np
import pytest
import torch

from vinlab.cli import main
from vinlab.domains.gridworld.problem import observe
from vinlab.export.onnx import export_onnx, onnx_model
from vinlab.models import load
from vinlab.modules import HierarchicalTransition
from vinlab.networks.grid.configs import AuthorsVinConfig, HierarchicalVinConfig, UntiedVinConfig, VinConfig
from vinlab.networks.grid.cost_vin import CostVinConfig, HierarchicalCostVinConfig
from vinlab.types import InputError

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

CASES = [(1, 8, 8, 5), (32, 8, 8, 200), (3, 1, 17, 1), (2, 28, 28, 36), (32, 16, 12, 20), (1, 100, 60, 200)]
"""Batch, rows, columns, K."""


def inputs(batch, height, width):
    rng = np.random.default_rng(batch + height)
    obstacles = (rng.random((batch, height, width)) < 0.3).astype(np.uint8)
    goals, states = (rng.integers(0, (height, width), (batch, count, 2)) for count in (1, 5))
    return observe(obstacles, goals[:, 0]), torch.from_numpy(states)


def session(model):
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def outputs_of_both(network, runtime, case) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """What PyTorch and the runtime make of the same inputs, by the name of the output."""
    batch, height, width, iterations = case
    observation, states = inputs(batch, height, width)
    with torch.no_grad():
        logits, plan = network(observation, states, iterations=iterations)
    feed = {
        "observation": observation.numpy(),
        "states": states.numpy(),
        "iterations": np.array(iterations, np.int64),
    }
    names = [out.name for out in runtime.get_outputs()]
    found = {name: torch.from_numpy(out) for name, out in zip(names, runtime.run(None, feed), strict=True)}
    wanted = {"logits": logits, "reward": plan.reward, "value": plan.value, "q": plan.q}
    assert all(found[name].shape == tensor.shape for name, tensor in wanted.items())
    return {name: (tensor, found[name]) for name, tensor in wanted.items()}


def assert_equal(network, runtime, case) -> None:
    """Outputs agree to what float32 resolves beside their largest number, the probabilities of the moves absolutely."""
    outputs = outputs_of_both(network, runtime, case)
    for name, (wanted, found) in outputs.items():
        largest = max(1.0, float(wanted.abs().max()))
        assert float((found - wanted).abs().max()) < 1e-5 * largest, (name, case)
    wanted, found = (logits.softmax(-1) for logits in outputs["logits"])
    assert float((found - wanted).abs().max()) < 1e-4, case


@pytest.mark.parametrize(
    "config",
    [
        VinConfig(iterations=3),
        AuthorsVinConfig(iterations=3),
        CostVinConfig(iterations=3),
        HierarchicalVinConfig(iterations=(3, 3)),
        HierarchicalCostVinConfig(iterations=(3, 3), hidden=20),
        # Little of the coarse value: through three levels logits would grow until float32 rounds probabilities to 0.
        HierarchicalVinConfig(iterations=(3, 3, 3), hidden=4, coarse=0.03),
    ],
)
def test_onnx_equals_pytorch_at_every_size(config):
    torch.manual_seed(0)
    network = config.build()
    runtime = session(onnx_model(network))
    for case in CASES:
        assert_equal(network, runtime, case)


@pytest.mark.parametrize(
    "id", ["gridworld/8/vin", "gridworld/16/vin", "gridworld/28/vin", "gridworld/28/hvin", "grid/any"]
)
def test_the_shipped_models_are_exported_by_the_command(id, tmp_path, capsys):
    path = tmp_path / "vin.onnx"
    main(["export", id, str(path)])
    assert "observation" in capsys.readouterr().out
    runtime = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for case in CASES:
        assert_equal(load(id).network, runtime, case)


def test_parts_that_cannot_be_exported_are_refused(tmp_path):
    with pytest.raises(InputError, match="transition of an exported VIN: expected"):
        export_onnx(UntiedVinConfig(iterations=2, hidden=2).build(), tmp_path / "vin.onnx")
    assert not (tmp_path / "vin.onnx").exists()


def test_a_hierarchy_with_another_combine_is_refused(tmp_path):
    network = HierarchicalVinConfig(iterations=(2, 2), hidden=2).build()
    network.planner.combine = lambda reward, coarse, factor: (reward, coarse)
    with pytest.raises(InputError, match="expected combine=coarse_as_reward or coarse_as_initial_value"):
        export_onnx(network, tmp_path / "vin.onnx")


def test_a_hierarchy_with_untied_kernels_is_refused(tmp_path):
    network = HierarchicalVinConfig(iterations=(2, 2), hidden=2).build()
    untied = UntiedVinConfig(iterations=2, hidden=2).build().transition
    network.transition = HierarchicalTransition([untied, untied])
    with pytest.raises(
        InputError, match="expected SharedTransition or SoftmaxTransition, got UntiedTransition"
    ):
        export_onnx(network, tmp_path / "vin.onnx")

"""An exported VIN computes what PyTorch computes."""

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from helpers.manifests import MANIFEST
from helpers.reference_plans import unrolled_plan
from vinlab.cli import main
from vinlab.domains.gridworld.problem import observe
from vinlab.export.onnx import export_onnx, onnx_model
from vinlab.models import load
from vinlab.modules import HierarchicalTransition, StateAttention, TemperaturePolicy
from vinlab.modules.move_cost import KnownMoves, MoveCosts
from vinlab.networks import ValueIterationNetwork
from vinlab.networks.grid.configs import AuthorsVinConfig, HierarchicalVinConfig, UntiedVinConfig, VinConfig
from vinlab.networks.grid.cost_vin import CostVinConfig, HierarchicalCostVinConfig
from vinlab.networks.grid.fixed_point import FixedPointVinConfig
from vinlab.planning.costs import UNREACHABLE, MoveTable
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.recording.files import write_json
from vinlab.recording.weights import save_tensors
from vinlab.types import InputError

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

CASES = [(1, 8, 8, 5), (32, 8, 8, 200), (3, 1, 17, 1), (2, 28, 28, 36), (32, 16, 12, 20), (1, 100, 60, 200)]
"""Batch, rows, columns, K."""


def inputs(batch, height, width, channels=2):
    rng = np.random.default_rng(batch + height)
    obstacles = (rng.random((batch, height, width)) < 0.3).astype(np.uint8)
    goals, states = (rng.integers(0, (height, width), (batch, count, 2)) for count in (1, 5))
    more = torch.from_numpy(rng.random((batch, channels - 2, height, width), np.float32))
    return torch.cat([observe(obstacles, goals[:, 0]), more], dim=1), torch.from_numpy(states)


def session(model):
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def run(runtime, observation, states, iterations) -> dict[str, torch.Tensor]:
    """What the runtime makes of the inputs, by the name of the output."""
    feed = {
        "observation": observation.numpy(),
        "states": states.numpy(),
        "iterations": np.array(iterations, np.int64),
    }
    names = [out.name for out in runtime.get_outputs()]
    return {name: torch.from_numpy(out) for name, out in zip(names, runtime.run(None, feed), strict=True)}


def outputs_of_both(network, runtime, case) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """What PyTorch and the runtime make of the same inputs, by the name of the output."""
    batch, height, width, iterations = case
    observation, states = inputs(batch, height, width, runtime.get_inputs()[0].shape[1])
    settles = network.iterations is None
    with torch.no_grad():
        logits, plan = network(observation, states, iterations=None if settles else iterations)
    found = run(runtime, observation, states, height * width if settles else iterations)
    wanted = {"logits": logits, "reward": plan.reward, "value": plan.value, "q": plan.q}
    assert all(found[name].shape == tensor.shape for name, tensor in wanted.items())
    return {name: (tensor, found[name]) for name, tensor in wanted.items()}


def assert_equal(network, runtime, case) -> None:
    """Outputs agree to what float32 resolves beside their largest number, the probabilities of the moves absolutely.

    Where moves can be impossible, every number has to agree to what float32 resolves of it.
    """
    outputs = outputs_of_both(network, runtime, case)
    for name, (wanted, found) in outputs.items():
        size = wanted.abs() if network.iterations is None else wanted.abs().max()
        assert bool(((found - wanted).abs() < 1e-5 * size.clamp(min=1.0)).all()), (name, case)
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


def like_trained() -> ValueIterationNetwork:
    """A VIN that plans to the fixed point, with the costs of a trained one: floor costs 1, an obstacle exp(6)."""
    network = FixedPointVinConfig(hidden=2, width=1).build()
    weights = {"features.weight": 1.0, "features.bias": 0.0, "log_price.weight": 1.0, "log_price.bias": 0.0}
    network.reward.load_state_dict(
        {name: torch.full_like(network.reward.state_dict()[name], number) for name, number in weights.items()}
    )
    return network


def with_moves(offsets) -> ValueIterationNetwork:
    """A VIN that plans to the fixed point with other moves."""
    moves = MoveTable.of(offsets)
    return ValueIterationNetwork(
        reward=MoveCosts(channels=2, hidden=4, moves=moves),
        transition=KnownMoves(moves),
        planner=ShortestPathPlanner(),
        attention=StateAttention(),
        policy=TemperaturePolicy(),
    )


KNIGHT = [(row, col) for row in (-2, -1, 1, 2) for col in (-2, -1, 1, 2) if abs(row) != abs(col)]


@pytest.mark.parametrize(
    "build",
    [
        like_trained,
        # At the usual low temperature, and with costs that are not whole, float32 would not resolve the probabilities.
        lambda: FixedPointVinConfig(log_inverse_temperature=0.0).build(),
        lambda: FixedPointVinConfig(channels=4, log_inverse_temperature=0.0).build(),
        lambda: with_moves([(0, 1), (1, 0), (0, 0)]),
        lambda: with_moves(KNIGHT),
    ],
    ids=["trained", "random", "channels", "three-moves", "knight"],
)
def test_a_plan_to_the_fixed_point_equals_pytorchs(build):
    torch.manual_seed(0)
    network = build()
    runtime = session(onnx_model(network))
    for case in CASES:
        assert_equal(network, runtime, case)


def test_fewer_backups_than_the_path_has_moves_are_those_of_value_iteration():
    torch.manual_seed(0)
    network = FixedPointVinConfig().build()
    observation, states = inputs(3, 12, 15)
    runtime = session(onnx_model(network))
    for iterations in (0, 1, 4):
        found = run(runtime, observation, states, iterations)
        q, value = unrolled_plan(network.reward(observation), MoveTable(), iterations)
        assert bool((value == UNREACHABLE).any())
        torch.testing.assert_close(found["value"], value, rtol=1e-5, atol=0)
        torch.testing.assert_close(found["q"], q, rtol=1e-5, atol=0)


def test_a_run_that_plans_to_the_fixed_point_is_exported_by_the_command(tmp_path, capsys):
    config = FixedPointVinConfig(hidden=4, log_inverse_temperature=0.0)
    network = {"kind": config.kind, **asdict(config)}
    write_json(tmp_path / "manifest.json", asdict(replace(MANIFEST, config={"network": network})))
    save_tensors(tmp_path / "weights.safetensors", config.build().state_dict())
    write_json(tmp_path / "result.json", {})
    path = tmp_path / "vin.onnx"
    main(["export", str(tmp_path), str(path)])
    assert "until the value settles" in capsys.readouterr().out
    runtime = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    assert_equal(load(tmp_path).network, runtime, CASES[3])


def test_a_planner_with_known_moves_beside_another_reward_is_refused():
    network = FixedPointVinConfig().build()
    network.reward = VinConfig(iterations=2).build().reward
    with pytest.raises(
        InputError, match="reward of an exported VIN: expected MoveCosts or GroundCosts, got CnnReward"
    ):
        onnx_model(network)


@pytest.mark.parametrize(
    "id",
    [
        "gridworld/8/vin",
        "gridworld/16/vin",
        "gridworld/28/vin",
        "gridworld/28/hvin",
        "grid/unrolled",
        "grid/any",
    ],
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

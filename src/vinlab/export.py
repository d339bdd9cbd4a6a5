"""VINs for other tools: an ONNX graph with batch, height, width and number of backups left open."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from vinlab.design import (
    CnnReward,
    CostReward,
    LinearPolicy,
    LinearReward,
    LosslessTransition,
    SharedTransition,
    SharpPolicy,
    StateAttention,
)
from vinlab.networks import ValueIterationNetwork
from vinlab.planning import GridPlanner, SharedKernels
from vinlab.recording.files import write_bytes
from vinlab.types import InputError

OPSET, IR_VERSION = 18, 9
"""Old enough for the runtimes of the last years."""


def export_onnx(network: Any, path: str | Path) -> None:
    """Write a VIN as ONNX.

    Inputs: ``observation [B C H W]``, ``states [B S 2]`` (row, col), ``iterations`` (K, one whole number).
    Outputs: ``logits [B S M]``, and of the plan ``reward``, ``value`` and ``q``.
    """
    write_bytes(path, onnx_model(network).SerializeToString())


def onnx_model(network: Any) -> Any:
    """The network as an ONNX model, checked."""
    onnx = _onnx()
    graph = _GraphBuilder(onnx.helper, onnx.numpy_helper)
    _require_exportable(network)
    features = _add_reward(graph, network.reward)
    _add_planner(graph, network.transition(features.weight))
    _add_policy(graph, _matrix(network.policy, len(network.transition(features.weight).value)))
    model = onnx.helper.make_model(
        graph.finish(channels=features.in_channels),
        opset_imports=[onnx.helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="vinlab",
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def _onnx() -> Any:
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise InputError("Export needs onnx: install it with pip install 'vinlab[onnx]'.") from error
    return onnx


PARTS = {
    "reward": (CnnReward, LinearReward, CostReward),
    "transition": (SharedTransition, LosslessTransition),
    "planner": (GridPlanner,),
    "attention": (StateAttention,),
    "policy": (LinearPolicy, SharpPolicy),
}
"""The parts that the graph below can say."""


def _require_exportable(network: Any) -> None:
    if not isinstance(network, ValueIterationNetwork):
        raise InputError(f"Only VINs can be exported, but a {type(network).__name__} came.")
    for name, known in PARTS.items():
        part = getattr(network, name)
        if not isinstance(part, known):
            wanted = " or ".join(kind.__name__ for kind in known)
            raise InputError(f"The {name} of an exported VIN must be {wanted}, but is {type(part).__name__}.")


class _GraphBuilder:
    """Nodes and weights, added one after the other."""

    def __init__(self, helper: Any, numpy_helper: Any) -> None:
        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node; the name of what it gives comes back."""
        self.nodes.append(self.helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name: str, numbers: Tensor | np.ndarray) -> str:
        """Add weights or other fixed numbers."""
        array = numbers.detach().cpu().numpy() if isinstance(numbers, Tensor) else numbers
        self.weights.append(self.numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def convolution(self, image: str, kernel: Tensor, output: str, bias: Tensor | None = None) -> str:
        """Add a convolution that keeps the size of the map."""
        inputs = [image, self.constant(f"{output}_kernel", kernel)]
        if bias is not None:
            inputs.append(self.constant(f"{output}_bias", bias))
        return self.node("Conv", inputs, output, pads=[kernel.shape[-1] // 2] * 4)

    def finish(self, *, channels: int) -> Any:
        """The whole graph with its inputs and outputs."""
        real, whole = 1, 7  # ONNX's numbers for float32 and int64
        describe = self.helper.make_tensor_value_info
        inputs = [
            describe("observation", real, ["B", channels, "H", "W"]),
            describe("states", whole, ["B", "S", 2]),
            describe("iterations", whole, []),
        ]
        outputs = [
            describe("logits", real, ["B", "S", "M"]),
            describe("reward", real, ["B", "R", "H", "W"]),
            describe("value", real, ["B", 1, "H", "W"]),
            describe("q", real, ["B", "A", "H", "W"]),
        ]
        return self.helper.make_graph(self.nodes, "vin", inputs, outputs, initializer=self.weights)


def _add_reward(graph: _GraphBuilder, part: Any) -> nn.Conv2d:
    """The reward; the layer that looks at the observation comes back."""
    costs = isinstance(part, CostReward)
    part = part.logarithm if isinstance(part, CostReward) else part
    features = graph.convolution("observation", part.features.weight, "features", part.features.bias)
    if isinstance(part, CnnReward):
        features = graph.node("Relu", [features], "hidden")
    graph.convolution(features, part.reward.weight, "logarithm" if costs else "reward")
    if costs:
        graph.node("Neg", [graph.node("Exp", ["logarithm"], "cost")], "reward")
    return part.features


def _add_planner(graph: _GraphBuilder, part: SharedKernels) -> None:
    """K maximisations, the first from the reward alone, and the read that follows them."""
    share = graph.convolution("reward", part.reward, "reward_share")
    actions = graph.constant("action_axis", np.array([1], np.int64))
    kernel = graph.constant("value_kernel", part.value)
    graph.node("ReduceMax", [share, actions], "first_value", keepdims=1)
    graph.node("Sub", ["iterations", graph.constant("one", np.array(1, np.int64))], "more_backups")
    going = graph.constant("going", np.array(True))
    body = _backup(graph.helper, share, kernel, actions, part.value.shape[-1] // 2)
    graph.node("Loop", ["more_backups", going, "first_value"], "value", body=body)
    spread = graph.node("Conv", ["value", kernel], "value_share", pads=[part.value.shape[-1] // 2] * 4)
    graph.node("Add", [share, spread], "q")


def _backup(helper: Any, share: str, kernel: str, actions: str, reach: int) -> Any:
    """One backup as the body of a loop; what is fixed it sees from outside."""
    real, whole, truth = 1, 7, 9
    nodes = [
        helper.make_node("Identity", ["going_in"], ["going_out"]),
        helper.make_node("Conv", ["value_in", kernel], ["spread_in"], pads=[reach] * 4),
        helper.make_node("Add", [share, "spread_in"], ["q_in"]),
        helper.make_node("ReduceMax", ["q_in", actions], ["value_out"], keepdims=1),
    ]
    describe = helper.make_tensor_value_info
    inputs = [
        describe("step", whole, []),
        describe("going_in", truth, []),
        describe("value_in", real, ["B", 1, "H", "W"]),
    ]
    outputs = [describe("going_out", truth, []), describe("value_out", real, ["B", 1, "H", "W"])]
    return helper.make_graph(nodes, "backup", inputs, outputs)


def _matrix(part: LinearPolicy | SharpPolicy, actions: int) -> Tensor:
    """How the worth of the actions becomes logits of the moves, ``[A M]``."""
    if isinstance(part, LinearPolicy):
        return part.moves.weight.detach().T
    return torch.eye(actions, part.moves) * part.sharpness.detach().exp()


def _add_policy(graph: _GraphBuilder, matrix: Tensor) -> None:
    """The q of each state, weighed into moves."""
    # One index per state: row times width plus column.
    shape = graph.node("Shape", ["observation"], "shape")
    width = graph.node("Gather", [shape, graph.constant("width_axis", np.array([3], np.int64))], "width")
    columns = graph.node(
        "Concat", [width, graph.constant("unit", np.array([1], np.int64))], "strides", axis=0
    )
    scaled = graph.node("Mul", ["states", columns], "scaled")
    last = graph.constant("last_axis", np.array([2], np.int64))
    cells = graph.node("ReduceSum", [scaled, last], "cells", keepdims=0)
    by_cell = graph.node(
        "Reshape", ["q", graph.constant("flat", np.array([0, 0, -1], np.int64))], "q_by_cell"
    )
    by_action = graph.node("Unsqueeze", [cells, "action_axis"], "cell_index")
    repeats = graph.constant("repeats", np.array([1, len(matrix), 1], np.int64))
    index = graph.node("Tile", [by_action, repeats], "index")
    attended = graph.node("GatherElements", [by_cell, index], "attended", axis=2)
    ordered = graph.node("Transpose", [attended], "attended_by_state", perm=[0, 2, 1])
    graph.node("MatMul", [ordered, graph.constant("policy", matrix)], "logits")

"""VINs for other tools: an ONNX graph with batch, height, width and number of backups left open."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from vinlab.modules import (
    CnnReward,
    ExpCostReward,
    HierarchicalReward,
    HierarchicalTransition,
    LinearPolicy,
    LinearReward,
    SharedTransition,
    SoftmaxTransition,
    StateAttention,
    TemperaturePolicy,
)
from vinlab.networks import ValueIterationNetwork
from vinlab.planning import (
    GridPlanner,
    HierarchicalPlanner,
    SharedKernels,
    coarse_as_initial_value,
    coarse_as_reward,
)
from vinlab.recording.files import write_bytes
from vinlab.types import InputError

OPSET, IR_VERSION = 18, 9
"""Old enough for the runtimes of the last years."""


def export_onnx(network: Any, path: str | Path) -> None:
    """Write a VIN as ONNX.

    Inputs: ``observation [B C H W]``, ``states [B S 2]`` (row, col), ``iterations`` (K, one whole number, that of
    every level).
    Outputs: ``logits [B S M]``, and of the plan ``reward``, ``value`` and ``q``.
    """
    write_bytes(path, onnx_model(network).SerializeToString())


def onnx_model(network: Any) -> Any:
    """The network as an ONNX model, checked."""
    onnx = _onnx()
    graph = _GraphBuilder(onnx.helper, onnx.numpy_helper)
    _require_exportable(network)
    levels = _levels(network)
    coarser = None
    for level in levels:
        coarser = _add_level(graph, level, coarser)
    _add_policy(graph, _matrix(network.policy, len(levels[-1].kernels.value)))
    model = onnx.helper.make_model(
        graph.finish(channels=levels[-1].features.in_channels),
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
    "reward": (CnnReward, LinearReward, ExpCostReward, HierarchicalReward),
    "transition": (SharedTransition, SoftmaxTransition, HierarchicalTransition),
    "planner": (GridPlanner, HierarchicalPlanner),
    "attention": (StateAttention,),
    "policy": (LinearPolicy, TemperaturePolicy),
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
    _require_levels("reward", network.reward, HierarchicalReward, (CnnReward, ExpCostReward))
    _require_levels(
        "transition", network.transition, HierarchicalTransition, (SharedTransition, SoftmaxTransition)
    )
    if isinstance(network.planner, HierarchicalPlanner) and network.planner.combine not in (
        coarse_as_reward,
        coarse_as_initial_value,
    ):
        raise InputError(
            "The planner of an exported VIN must hand its coarse value over by as_reward or as_guess."
        )


def _require_levels(name: str, part: Any, hierarchy: type, known: tuple[type, ...]) -> None:
    for level in part.levels if isinstance(part, hierarchy) else ():
        if not isinstance(level, known):
            wanted = " or ".join(kind.__name__ for kind in known)
            raise InputError(
                f"Each level of an exported VIN's {name} must be {wanted}, but one is {type(level).__name__}."
            )


@dataclass(frozen=True)
class _Level:
    """One resolution of the planner."""

    name: str
    """Before the names of all that belongs to it; nothing at the finest level, whose plan is the graph's."""
    reward: Any
    kernels: SharedKernels
    factor: int = 1
    """How many of its cells a side of the next coarser level's cells takes."""
    guesses: bool = False
    """Whether a coarser value is where value iteration begins; else it is one more channel of the reward."""

    @property
    def features(self) -> nn.Conv2d:
        """The layer that looks at the observation."""
        return _layers(self.reward).features


def _layers(part: Any) -> Any:
    """The part that holds the two layers of a reward: of a cost, what says its logarithm."""
    return part.log_cost if isinstance(part, ExpCostReward) else part


def _levels(network: ValueIterationNetwork) -> list[_Level]:
    """The resolutions of the planner, from coarse to fine; a plain one has one."""
    kernels = network.transition(next(network.parameters()))
    if isinstance(network.reward, HierarchicalReward):
        planner, parts = network.planner, list(network.reward.levels)
        assert isinstance(planner, HierarchicalPlanner)
        names = [f"coarse{depth}_" if depth else "" for depth in range(len(parts) - 1, -1, -1)]
        return [
            _Level(
                name, part, shared, factor=planner.factor, guesses=planner.combine is coarse_as_initial_value
            )
            for name, part, shared in zip(names, parts, kernels, strict=True)
        ]
    return [_Level("", network.reward, kernels)]


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
        if name not in {known.name for known in self.weights}:
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


def _add_level(graph: _GraphBuilder, level: _Level, coarser: str | None) -> str:
    """The reward and the plan of a level; the name of its value comes back."""
    reward = f"{level.name}reward"
    if coarser is None:
        return _add_planner(graph, level, _add_reward(graph, level, reward))
    if level.guesses:
        _add_reward(graph, level, reward)
        return _add_planner(graph, level, reward, initial_value=_add_guess(graph, level, coarser, reward))
    own = _add_reward(graph, level, f"{level.name}own_reward")
    graph.node("Concat", [own, _add_larger(graph, level, coarser, own, FLAT)], reward, axis=1)
    return _add_planner(graph, level, reward)


def _add_reward(graph: _GraphBuilder, level: _Level, output: str) -> str:
    """What the level is told to want, as a function of the observation."""
    part = _layers(level.reward)
    features = graph.convolution(
        "observation", part.features.weight, f"{level.name}features", part.features.bias
    )
    if isinstance(part, CnnReward) and part.downsample > 1:
        side = [part.downsample] * 2
        features = graph.node(
            "MaxPool", [features], f"{level.name}shrunk", kernel_shape=side, strides=side, ceil_mode=1
        )
    if isinstance(part, CnnReward):
        features = graph.node("Relu", [features], f"{level.name}hidden")
    if isinstance(level.reward, ExpCostReward):
        log_cost = graph.convolution(features, part.reward.weight, f"{level.name}logarithm")
        return graph.node("Neg", [graph.node("Exp", [log_cost], f"{level.name}cost")], output)
    return graph.convolution(features, part.reward.weight, output)


FLAT = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
SLOPED = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
"""How ONNX says what ``spread`` and ``slope`` of the hierarchical planner do."""


def _add_guess(graph: _GraphBuilder, level: _Level, coarser: str, like: str) -> str:
    """The value that value iteration begins with."""
    sloped = _add_larger(graph, level, coarser, like, SLOPED)
    factor = graph.constant(f"{level.name}factor", np.array(level.factor, np.float32))
    return graph.node("Mul", [sloped, factor], f"{level.name}guess")


def _add_larger(graph: _GraphBuilder, level: _Level, coarser: str, like: str, how: Mapping[str, str]) -> str:
    """A coarser value on the cells of this level, cut to the size of another of its images."""
    name = level.name
    scales = graph.constant(f"{name}scales", np.array([1, 1, level.factor, level.factor], np.float32))
    larger = graph.node(
        "Resize",
        [coarser, "", scales],
        f"{name}larger",
        **how,
    )
    size = graph.node("Shape", [like], f"{name}size", start=2)
    corner = graph.constant("corner", np.array([0, 0], np.int64))
    axes = graph.constant("map_axes", np.array([2, 3], np.int64))
    return graph.node("Slice", [larger, corner, size, axes], f"{name}spread")


def _add_planner(graph: _GraphBuilder, level: _Level, reward: str, initial_value: str | None = None) -> str:
    """K maximisations, the first from the reward alone or from a guess, and the read that follows them."""
    name, part, reach = level.name, level.kernels, level.kernels.value.shape[-1] // 2
    share = graph.convolution(reward, part.reward, f"{name}reward_share")
    actions = graph.constant("action_axis", np.array([1], np.int64))
    kernel = graph.constant(f"{name}value_kernel", part.value)
    first_q = share
    if initial_value is not None:
        guessed = graph.node("Conv", [initial_value, kernel], f"{name}guess_share", pads=[reach] * 4)
        first_q = graph.node("Add", [share, guessed], f"{name}first_q")
    first = graph.node("ReduceMax", [first_q, actions], f"{name}first_value", keepdims=1)
    one, going = graph.constant("one", np.array(1, np.int64)), graph.constant("going", np.array(True))
    more = graph.node("Sub", ["iterations", one], f"{name}more_backups")
    body = _backup(graph.helper, share, kernel, actions, reach)
    value = graph.node("Loop", [more, going, first], f"{name}value", body=body)
    spread = graph.node("Conv", [value, kernel], f"{name}value_share", pads=[reach] * 4)
    graph.node("Add", [share, spread], f"{name}q")
    return value


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


def _matrix(part: LinearPolicy | TemperaturePolicy, actions: int) -> Tensor:
    """How the worth of the actions becomes logits of the moves, ``[A M]``."""
    if isinstance(part, LinearPolicy):
        return part.moves.weight.detach().T
    return torch.eye(actions, part.moves) * part.log_inverse_temperature.detach().exp()


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

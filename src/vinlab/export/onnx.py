"""VINs as ONNX graphs, for any batch, height, width and number of backups."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from vinlab.export._border import add_staying, add_staying_reward, add_value_term
from vinlab.export._fixed_point import add_fixed_point, add_goal_marks, add_move_costs
from vinlab.export._graph_builder import FLOAT, GraphBuilder
from vinlab.export._ground import add_cell_marks, add_ground_costs
from vinlab.export._layered import add_layered_plan, add_layered_policy
from vinlab.modules import (
    CnnReward,
    ExpCostReward,
    HierarchicalReward,
    HierarchicalTransition,
    IdentityPolicy,
    LinearPolicy,
    LinearReward,
    SharedTransition,
    SoftmaxTransition,
    StateAttention,
    TemperaturePolicy,
)
from vinlab.modules.layered_cost import (
    GOALS_FROM,
    KnownLayeredMoves,
    LayeredAttention,
    LayeredMoveCosts,
    PreferencePolicy,
)
from vinlab.modules.move_cost import KnownMoves, MoveCosts
from vinlab.networks import ValueIterationNetwork
from vinlab.networks.terrain.ground_vin import GroundCosts, GuidanceCosts
from vinlab.planning import (
    GridPlanner,
    HierarchicalPlanner,
    SharedKernels,
    coarse_as_initial_value,
    coarse_as_reward,
)
from vinlab.planning.grid import with_outside
from vinlab.planning.layered_search import LayeredShortestPathPlanner
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.recording.files import write_bytes
from vinlab.types import InputError, missing_library

OPSET, IR_VERSION = 18, 9
"""Old enough for common runtimes."""


def export_onnx(network: Any, path: str | Path) -> None:
    """Write a VIN as ONNX.

    Inputs: ``observation [B C H W]``, ``states [B S 2]`` (row, col; with layers ``[B S 3]``: row, col, layer),
    ``iterations`` (K of every level, one integer). A VIN that plans to the fixed point backs up until the value
    settles, at most K times: K must exceed the moves of the longest path.
    Outputs: ``logits [B S M]``, and ``reward``, ``value`` and ``q`` of the plan.
    """
    write_bytes(path, onnx_model(network).SerializeToString())


def onnx_model(network: Any) -> Any:
    """The network as an ONNX model, checked."""
    onnx = _onnx()
    graph = GraphBuilder(onnx.helper, onnx.numpy_helper)
    _require_exportable(network)
    if isinstance(network.planner, LayeredShortestPathPlanner):
        moves = network.transition.moves
        add_layered_plan(graph, network.reward, moves)
        add_layered_policy(graph, network.policy, moves)
        made = graph.finish(channels=GOALS_FROM + moves.num_layers, layers=moves.num_layers)
    else:
        add = _add_known_moves if isinstance(network.planner, ShortestPathPlanner) else _add_levels
        channels, actions = add(graph, network)
        _add_policy(graph, network.policy, actions)
        made = graph.finish(channels=channels, pixels=getattr(network, "pixels", 1))
    opsets = [onnx.helper.make_opsetid("", OPSET)]
    model = onnx.helper.make_model(made, opset_imports=opsets, ir_version=IR_VERSION, producer_name="vinlab")
    onnx.checker.check_model(model, full_check=True)
    return model


def _add_known_moves(graph: GraphBuilder, network: Any) -> tuple[int, int]:
    """Add the plan of a VIN that plans to the fixed point; the numbers of channels and of moves are returned."""
    moves, reward = network.transition.moves, network.reward
    if isinstance(reward, GuidanceCosts):
        raise InputError("reward of an exported VIN: expected MoveCosts or GroundCosts, got GuidanceCosts.")
    if isinstance(reward, GroundCosts):
        goals = add_cell_marks(graph, reward, 1, "goal")
        add_fixed_point(graph, add_ground_costs(graph, reward, moves), goals, moves)
        return reward.encoder.inputs + 2, len(moves)  # those of the image, blocked cells and the goal
    add_fixed_point(graph, add_move_costs(graph, reward), add_goal_marks(graph, reward), moves)
    return max(*reward.seen, reward.goal_channel) + 1, len(moves)


def _add_levels(graph: GraphBuilder, network: Any) -> tuple[int, int]:
    """Add the plan of every level; the numbers of channels and of actions of the finest are returned."""
    levels = _levels(network)
    coarser = None
    for level in levels:
        coarser = _add_level(graph, level, coarser)
    return levels[-1].features.in_channels, len(levels[-1].kernels.value)


def _onnx() -> Any:
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise missing_library("Export", "onnx", extra="onnx") from error
    return onnx


PARTS = {
    "reward": (CnnReward, LinearReward, ExpCostReward, HierarchicalReward),
    "transition": (SharedTransition, SoftmaxTransition, HierarchicalTransition),
    "planner": (GridPlanner, HierarchicalPlanner, ShortestPathPlanner),
    "attention": (StateAttention,),
    "policy": (LinearPolicy, TemperaturePolicy),
}
FIXED_POINT_PARTS = PARTS | {
    "reward": (MoveCosts, GroundCosts),
    "transition": (KnownMoves,),
    "policy": (TemperaturePolicy, IdentityPolicy),
}
LAYERED_PARTS = {
    "reward": (LayeredMoveCosts,),
    "transition": (KnownLayeredMoves,),
    "attention": (LayeredAttention,),
    "policy": (TemperaturePolicy, PreferencePolicy),
}
LEVELS = {"reward": (CnnReward, ExpCostReward), "transition": (SharedTransition, SoftmaxTransition)}
"""The parts that can be exported, also beside a ``ShortestPathPlanner`` and with layers, and those of which each level
of a hierarchical part is one."""


def _require_exportable(network: Any) -> None:
    if not isinstance(network, ValueIterationNetwork):
        raise InputError(f"expected a VIN to export, got {type(network).__name__}.")
    parts = PARTS
    if isinstance(network.planner, LayeredShortestPathPlanner):
        parts = LAYERED_PARTS
    elif isinstance(network.planner, ShortestPathPlanner):
        parts = FIXED_POINT_PARTS
    for name, known in parts.items():
        _require_kind(f"{name} of an exported VIN", getattr(network, name), known)
    for name, known in LEVELS.items():
        for level in getattr(getattr(network, name), "levels", ()):
            _require_kind(f"{name} of each level of an exported VIN", level, known)
    if isinstance(network.planner, HierarchicalPlanner) and network.planner.combine not in (
        coarse_as_reward,
        coarse_as_initial_value,
    ):
        raise InputError(
            "planner of an exported VIN: expected combine=coarse_as_reward or coarse_as_initial_value, "
            "got another function."
        )


def _require_kind(name: str, part: Any, known: tuple[type, ...]) -> None:
    if not isinstance(part, known):
        expected = " or ".join(kind.__name__ for kind in known)
        raise InputError(f"{name}: expected {expected}, got {type(part).__name__}.")


@dataclass(frozen=True)
class _Level:
    """One resolution of the planner."""

    name: str
    """The prefix of its names; empty at the finest level, whose plan is the graph's output."""
    reward: Any
    kernels: SharedKernels
    factor: int = 1
    """The ratio of its resolution to that of the next coarser level."""
    starts_from_coarse: bool = False
    """Whether the coarse value is the initial value; otherwise it is one more channel of the reward."""

    @property
    def features(self) -> nn.Conv2d:
        """The layer that reads the observation."""
        return _layers(self.reward).features


def _layers(part: Any) -> Any:
    """The part with the two layers of a reward; of a cost, the one of its logarithm."""
    return part.log_cost if isinstance(part, ExpCostReward) else part


def _levels(network: ValueIterationNetwork) -> list[_Level]:
    """The resolutions of the planner, from coarse to fine."""
    kernels, planner = network.transition(next(network.parameters())), network.planner
    if isinstance(network.reward, HierarchicalReward):
        parts = list(network.reward.levels)
        assert isinstance(planner, HierarchicalPlanner)
        names = [f"coarse{depth}_" if depth else "" for depth in range(len(parts) - 1, -1, -1)]
        starts_from_coarse = planner.combine is coarse_as_initial_value
        return [
            _Level(name, part, with_outside(shared, planner.outside), planner.factor, starts_from_coarse)
            for name, part, shared in zip(names, parts, kernels, strict=True)
        ]
    assert isinstance(planner, GridPlanner)
    return [_Level("", network.reward, with_outside(kernels, planner.outside))]


def _add_level(graph: GraphBuilder, level: _Level, coarser: str | None) -> str:
    """Add the reward and the plan of a level; the name of its value is returned."""
    reward = f"{level.name}reward"
    if coarser is None:
        return _add_planner(graph, level, _add_reward(graph, level, reward))
    if level.starts_from_coarse:
        _add_reward(graph, level, reward)
        upsampled = _add_upsampled(graph, level, coarser, reward, LINEAR)
        factor = graph.constant(f"{level.name}factor", np.array(level.factor, np.float32))
        initial_value = graph.node("Mul", [upsampled, factor], f"{level.name}initial_value")
        return _add_planner(graph, level, reward, initial_value=initial_value)
    own = _add_reward(graph, level, f"{level.name}own_reward")
    graph.node("Concat", [own, _add_upsampled(graph, level, coarser, own, NEAREST)], reward, axis=1)
    return _add_planner(graph, level, reward)


def _add_reward(graph: GraphBuilder, level: _Level, output: str) -> str:
    """The reward of a level, as a function of the observation."""
    part = _layers(level.reward)
    features = graph.convolution(
        "observation", part.features.weight, f"{level.name}features", part.features.bias
    )
    if isinstance(part, CnnReward) and part.downsample > 1:
        side = [part.downsample] * 2
        features = graph.node(
            "MaxPool", [features], f"{level.name}pooled", kernel_shape=side, strides=side, ceil_mode=1
        )
    if isinstance(part, CnnReward):
        features = graph.node("Relu", [features], f"{level.name}hidden")
    if isinstance(level.reward, ExpCostReward):
        log_cost = graph.convolution(features, part.reward.weight, f"{level.name}log_cost")
        return graph.node("Neg", [graph.node("Exp", [log_cost], f"{level.name}cost")], output)
    return graph.convolution(features, part.reward.weight, output)


NEAREST = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
LINEAR = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
"""``upsample_nearest`` and ``upsample_linear`` of the hierarchical planner as attributes of ONNX."""


def _add_upsampled(
    graph: GraphBuilder, level: _Level, coarser: str, like: str, how: Mapping[str, str]
) -> str:
    """A coarser value on the cells of this level, cut to the size of another of its images."""
    name = level.name
    scales = graph.constant(f"{name}scales", np.array([1, 1, level.factor, level.factor], np.float32))
    resized = graph.node("Resize", [coarser, "", scales], f"{name}resized", **how)
    size = graph.node("Shape", [like], f"{name}size", start=2)
    corner = graph.constant("corner", np.array([0, 0], np.int64))
    axes = graph.constant("map_axes", np.array([2, 3], np.int64))
    return graph.node("Slice", [resized, corner, size, axes], f"{name}upsampled")


def _add_planner(graph: GraphBuilder, level: _Level, reward: str, initial_value: str | None = None) -> str:
    """K maximisations, from zero or from an initial value, and the q that follows them."""
    name, part, reach = level.name, level.kernels, level.kernels.value.shape[-1] // 2
    term = graph.convolution(reward, part.reward, f"{name}reward_term")
    staying = None
    if part.outside == "blocked":
        term = add_staying_reward(graph, name, reward, term, part.reward)
        staying = add_staying(graph, f"{name}value", reward, part.value)
    actions = graph.constant("action_axis", np.array([1], np.int64))
    kernel = graph.constant(f"{name}value_kernel", part.value)
    first_q = term
    if initial_value is not None:
        started = add_value_term(graph, initial_value, kernel, reach, staying, f"{name}initial_term")
        first_q = graph.node("Add", [term, started], f"{name}first_q")
    first = graph.node("ReduceMax", [first_q, actions], f"{name}first_value", keepdims=1)
    one, true = graph.constant("one", np.array(1, np.int64)), graph.constant("true", np.array(True))
    more = graph.node("Sub", ["iterations", one], f"{name}more_backups")
    inner = graph.nested()
    inner.node("Identity", ["continue_in"], "continue_out")
    onwards = add_value_term(inner, "value_in", kernel, reach, staying, "value_term")
    inner.node("Add", [term, onwards], "q_in")
    inner.node("ReduceMax", ["q_in", actions], "value_out", keepdims=1)
    value = graph.node("Loop", [more, true, first], f"{name}value", body=inner.loop_body(FLOAT))
    last = add_value_term(graph, value, kernel, reach, staying, f"{name}value_term")
    graph.node("Add", [term, last], f"{name}q")
    return value


def _add_policy(
    graph: GraphBuilder, part: LinearPolicy | TemperaturePolicy | IdentityPolicy, actions: int
) -> None:
    """Add the q of each state, and the logits of its moves, by a matrix ``[A M]`` from the values of the actions."""
    if isinstance(part, IdentityPolicy):
        matrix = torch.eye(actions)
    elif isinstance(part, LinearPolicy):
        matrix = part.moves.weight.detach().T
    else:
        matrix = torch.eye(actions, min(part.moves, actions)) * part.log_inverse_temperature.detach().exp()
    shape = graph.node("Shape", ["q"], "shape")
    width = graph.node("Gather", [shape, graph.constant("width_axis", np.array([3], np.int64))], "width")
    one = graph.constant("unit", np.array([1], np.int64))
    ordered = graph.attended("q", [width, one], len(matrix))
    graph.node("MatMul", [ordered, graph.constant("policy", matrix)], "logits")

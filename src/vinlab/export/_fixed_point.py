"""Costs of known moves, and the backups that find the fixed point of value iteration, as nodes of an ONNX graph.

ONNX has no search, so the value is backed up until it settles, at most as often as the caller allows. Sums are made
in float64, as in PyTorch.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from vinlab.export._graph_builder import BOOL, DOUBLE, FLOAT, GraphBuilder
from vinlab.modules.layered_cost import LayeredMoveCosts
from vinlab.modules.move_cost import GAIN, MOST_LOG_PRICE, MoveCosts
from vinlab.planning.costs import UNREACHABLE, MoveTable

TO_THE_END = np.iinfo(np.int64).max
"""The end of a slice that takes all that follows its start."""


def add_fixed_point(graph: GraphBuilder, costs: str, marks: str, moves: MoveTable) -> None:
    """Add the plan, the graph's ``value`` and ``q``, for costs of moves and cells with the mark of a goal."""
    start = add_terminals(graph, marks)
    actions = graph.constant("action_axis", np.array([1], np.int64))
    add_settled_plan(graph, partial(_add_moves, moves, costs), start, actions)


def add_settled_plan(
    graph: GraphBuilder,
    add_moves: Callable[[GraphBuilder, str, str], str],
    start: str,
    actions: str,
    *,
    layers: int | None = None,
) -> None:
    """Add the graph's ``value`` and ``q``: backups in a loop that ends when no value has risen.

    ``add_moves`` gives q for a value and a prefix of names. Every q is below zero, so the larger of the best q and the
    first value is 0 in terminal states, and elsewhere nothing falls below unreachable.
    """
    inner = graph.nested()
    through = add_moves(inner, "value_in", "")
    best = inner.node("ReduceMax", [through, actions], "best", keepdims=int(layers is None))
    inner.node("Max", [best, start], "value_out")
    risen = inner.node("Greater", ["value_out", "value_in"], "risen")
    most = inner.node("ReduceMax", [inner.node("Cast", [risen], "risen_number", to=FLOAT)], "any", keepdims=0)
    inner.node("Cast", [most], "continue_out", to=BOOL)
    true, body = graph.constant("true", np.array(True)), inner.loop_body(DOUBLE, layers or 1)
    value = graph.node("Loop", ["iterations", true, start], "settled", body=body)
    q = graph.node("Max", [add_moves(graph, value, "last_"), "unreachable"], "settled_q")
    graph.node("Cast", [value], "value", to=FLOAT)
    graph.node("Cast", [q], "q", to=FLOAT)


def add_move_costs(graph: GraphBuilder, part: MoveCosts) -> str:
    """The cost of each move in each cell, in float64; its negative is the reward."""
    log_price = add_log_price(graph, part, np.array(part.seen, np.int64))
    bounds = [
        graph.constant("least_log_price", np.array(0, np.float32)),
        graph.constant("most_log_price", np.array(MOST_LOG_PRICE, np.float32)),
    ]
    price = graph.node("Exp", [graph.node("Clip", [log_price, *bounds], "clipped_log_price")], "price")
    costs = graph.node("Mul", [graph.constant("lengths", part.lengths), price], "costs")
    graph.node("Neg", [costs], "reward")
    return graph.node("Cast", [costs], "exact_costs", to=DOUBLE)


def add_log_price(graph: GraphBuilder, part: MoveCosts | LayeredMoveCosts, channels: np.ndarray) -> str:
    """The logarithm of the price of each cell, from some channels of the observation."""
    seen = graph.constant("seen_channels", channels)
    image = graph.node("Gather", ["observation", seen], "seen", axis=1)
    features = graph.convolution(image, part.features.weight, "features", part.features.bias)
    hidden = graph.node("Relu", [features], "hidden")
    bias = None if part.log_price.bias is None else GAIN * part.log_price.bias
    return graph.convolution(hidden, GAIN * part.log_price.weight, "log_price", bias)


def add_goal_marks(graph: GraphBuilder, part: MoveCosts) -> str:
    """The channel that marks the goal."""
    channel = graph.constant("goal_channel", np.array([part.goal_channel], np.int64))
    return graph.node("Gather", ["observation", channel], "goal_marks", axis=1)


def add_terminals(graph: GraphBuilder, marks: str) -> str:
    """The value before the first backup: 0 in the terminal cells, unreachable elsewhere."""
    unmarked = graph.constant("unmarked", np.array(0, np.float32))
    terminals = graph.node("Greater", [marks, unmarked], "terminals")
    nothing = graph.constant("nothing", np.array(0, np.float64))
    unreachable = graph.constant("unreachable", np.array(UNREACHABLE, np.float64))
    return graph.node("Where", [terminals, nothing, unreachable], "start")


def _add_moves(moves: MoveTable, costs: str, graph: GraphBuilder, value: str, prefix: str) -> str:
    """The value of the cell that each move leads to, less its cost; at most ``UNREACHABLE`` where it leaves the map."""
    before, after = np.maximum(-moves.offsets.min(axis=0), 0), np.maximum(moves.offsets.max(axis=0), 0)
    pads = graph.constant("pads", np.array([0, 0, *before, 0, 0, *after], np.int64))
    padded = graph.node("Pad", [value, pads, "unreachable"], f"{prefix}padded")
    axes = graph.constant("map_axes", np.array([2, 3], np.int64))
    reached = []
    for move, offset in enumerate(moves.offsets):
        ends = np.where(offset == after, TO_THE_END, offset - after)
        corners = [graph.constant(f"start{move}", before + offset), graph.constant(f"end{move}", ends)]
        reached.append(graph.node("Slice", [padded, *corners, axes], f"{prefix}reached{move}"))
    onwards = graph.node("Concat", reached, f"{prefix}onwards", axis=1)
    return graph.node("Sub", [onwards, costs], f"{prefix}through")

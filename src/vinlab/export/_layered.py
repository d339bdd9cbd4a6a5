"""Plans over states with layers, to the fixed point of value iteration, as nodes of an ONNX graph.

As on a flat grid the value is backed up until it settles, in float64; see ``_fixed_point.py``.
"""

from functools import partial

import numpy as np

from vinlab.export._fixed_point import TO_THE_END, add_log_price, add_settled_plan, add_terminals
from vinlab.export._graph_builder import DOUBLE, GraphBuilder
from vinlab.modules import TemperaturePolicy
from vinlab.modules.layered_cost import GOALS_FROM, LayeredMoveCosts, PreferencePolicy
from vinlab.modules.move_cost import MOST_LOG_PRICE
from vinlab.planning.moves import LayeredMoves


def add_layered_plan(graph: GraphBuilder, part: LayeredMoveCosts, moves: LayeredMoves) -> None:
    """Add the costs and the plan: the graph's ``reward``, ``value`` and ``q``."""
    costs = _add_costs(graph, part, moves)
    start = _add_terminals(graph)
    actions = graph.constant("choice_axis", np.array([2], np.int64))
    add_settled_plan(graph, partial(_add_actions, moves, costs), start, actions, layers=moves.num_layers)


def add_layered_policy(
    graph: GraphBuilder, part: TemperaturePolicy | PreferencePolicy, moves: LayeredMoves
) -> None:
    """Add the q of each state ``(row, col, layer)``, and the logits of its actions."""
    shape = graph.node("Shape", ["q"], "shape")
    sides = [
        graph.node("Gather", [shape, graph.constant(f"{name}_axis", np.array([axis], np.int64))], name)
        for name, axis in (("height", 3), ("width", 4))
    ]
    cells = graph.node("Mul", sides, "cells_of_a_layer")
    one = graph.constant("unit", np.array([1], np.int64))
    by_action = graph.node("Transpose", ["q"], "q_by_action", perm=[0, 2, 1, 3, 4])
    ordered = graph.attended(by_action, [sides[1], one, cells], moves.num_actions)
    scale = graph.constant("inverse_temperature", part.log_inverse_temperature.detach().exp())
    if isinstance(part, PreferencePolicy):
        scaled_q = graph.node("Mul", [ordered, scale], "scaled_q")
        graph.node("Add", [scaled_q, graph.constant("preference", part.preference)], "logits")
    else:
        graph.node("Mul", [ordered, scale], "logits")


def _add_costs(graph: GraphBuilder, part: LayeredMoveCosts, moves: LayeredMoves) -> str:
    """The cost of each action in each state, in float64; its negative is the reward."""
    log_price = add_log_price(graph, part, np.arange(GOALS_FROM))
    axes = graph.constant("price_axes", np.array([1, 2, 3], np.int64))
    least = graph.node("ReduceMin", [log_price, axes], "least_log_price", keepdims=1)
    relative = graph.node("Sub", [log_price, least], "relative_log_price")
    most = graph.constant("most_log_price", np.array(MOST_LOG_PRICE, np.float32))
    price = graph.node("Exp", [graph.node("Min", [relative, most], "clipped_log_price")], "price")
    layered = _add_layers_of_prices(graph, price, moves, by_move=part.shape != (1, 1))
    costs = graph.node("Mul", [graph.constant("lengths", part.lengths), layered], "costs")
    graph.node("Neg", [costs], "reward")
    return graph.node("Cast", [costs], "exact_costs", to=DOUBLE)


def _add_layers_of_prices(graph: GraphBuilder, price: str, moves: LayeredMoves, *, by_move: bool) -> str:
    """The prices as ``[B L A H W]``, or as ``[B 1 1 H W]`` where a cell has one for all actions."""
    layer_axis = graph.constant("layer_axis", np.array([1], np.int64))
    if not by_move:
        return graph.node("Unsqueeze", [price, layer_axis], "layered_price")
    layers = []
    for layer in range(moves.num_layers):
        first = layer * moves.num_actions
        own = graph.constant(f"channels{layer}", np.arange(first, first + moves.num_actions))
        taken = graph.node("Gather", [price, own], f"price{layer}", axis=1)
        layers.append(graph.node("Unsqueeze", [taken, layer_axis], f"layer_price{layer}"))
    return graph.node("Concat", layers, "layered_price", axis=1)


def _add_terminals(graph: GraphBuilder) -> str:
    """The value before the first backup: 0 in the terminal states, unreachable elsewhere."""
    bounds = [
        graph.constant(name, np.array([number], np.int64))
        for name, number in (("goals_from", GOALS_FROM), ("goals_to", TO_THE_END), ("action_axis", 1))
    ]
    marks = graph.node("Slice", ["observation", *bounds], "goal_marks")
    return add_terminals(graph, marks)


def _add_actions(moves: LayeredMoves, costs: str, graph: GraphBuilder, value: str, prefix: str) -> str:
    """The value of the state that each action leads to, less its cost; at most ``UNREACHABLE`` without one."""
    steps = moves.offsets.reshape(-1, 2)
    before, after = np.maximum(-steps.min(axis=0), 0), np.maximum(steps.max(axis=0), 0)
    pads = graph.constant("pads", np.array([0, 0, *before, 0, 0, *after], np.int64))
    padded = graph.node("Pad", [value, pads, "unreachable"], f"{prefix}padded")
    axes = graph.constant("state_axes", np.array([1, 2, 3], np.int64))
    layer_axis = graph.constant("layer_axis", np.array([1], np.int64))
    layers = []
    for layer in range(moves.num_layers):
        reached = []
        for action in range(moves.num_actions):
            name = f"{layer}_{action}"
            target, offset = max(int(moves.layers[layer, action]), 0), moves.offsets[layer, action]
            ends = np.where(offset == after, TO_THE_END, offset - after)
            corners = [
                graph.constant(f"start{name}", np.array([target, *(before + offset)], np.int64)),
                graph.constant(f"end{name}", np.array([target + 1, *ends], np.int64)),
            ]
            reached.append(graph.node("Slice", [padded, *corners, axes], f"{prefix}reached{name}"))
        onwards = graph.node("Concat", reached, f"{prefix}onwards{layer}", axis=1)
        layers.append(graph.node("Unsqueeze", [onwards, layer_axis], f"{prefix}layer{layer}"))
    onwards = graph.node("Concat", layers, f"{prefix}onwards", axis=1)
    through = graph.node("Sub", [onwards, costs], f"{prefix}through")
    if moves.exists.all():
        return through
    exists = graph.constant("exists", moves.exists[None, :, :, None, None])
    return graph.node("Where", [exists, through, "unreachable"], f"{prefix}existing")

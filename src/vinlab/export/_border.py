"""A blocked border as nodes of an ONNX graph: cells at the edge read themselves beyond it (``planning/border.py``)."""

import numpy as np
from torch import Tensor

from vinlab.export._graph_builder import GraphBuilder


def add_staying(graph: GraphBuilder, name: str, image: str, kernel: Tensor) -> str:
    """The weight ``[1 A H W]`` of the entries of kernels ``[A 1 F F]`` that lie beyond the edge of an image's map."""
    reach = kernel.shape[-1] // 2
    sides = graph.node("Shape", [image], f"{name}_sides", start=2)
    ones = graph.constant("one_map", np.array([1, 1], np.int64))
    shape = graph.node("Concat", [ones, sides], f"{name}_shape", axis=0)
    zero = graph.constant("inside", np.zeros((1, 1, 1, 1), np.float32))
    inside = graph.node("Expand", [zero, shape], f"{name}_map")
    pads = graph.constant(f"{name}_margin", np.array([0, 0, reach, reach] * 2, np.int64))
    one = graph.constant("outside", np.array(1, np.float32))
    beyond = graph.node("Pad", [inside, pads, one], f"{name}_beyond")
    return graph.node("Conv", [beyond, graph.constant(f"{name}_edge_kernel", kernel)], f"{name}_staying")


def add_staying_reward(graph: GraphBuilder, name: str, reward: str, term: str, kernels: Tensor) -> str:
    """The reward's term of q with what cells at the edge read of themselves, channel by channel."""
    for channel in range(kernels.shape[1]):
        weights = add_staying(graph, f"{name}reward{channel}", reward, kernels[:, channel : channel + 1])
        index = graph.constant(f"channel{channel}", np.array([channel], np.int64))
        image = graph.node("Gather", [reward, index], f"{name}reward{channel}_image", axis=1)
        stays = graph.node("Mul", [image, weights], f"{name}reward{channel}_stays")
        term = graph.node("Add", [term, stays], f"{name}reward{channel}_term")
    return term


def add_value_term(
    graph: GraphBuilder, value: str, kernel: str, reach: int, staying: str | None, output: str
) -> str:
    """The value's term of q."""
    if staying is None:
        return graph.node("Conv", [value, kernel], output, pads=[reach] * 4)
    inside = graph.node("Conv", [value, kernel], f"{output}_inside", pads=[reach] * 4)
    return graph.node("Add", [inside, graph.node("Mul", [value, staying], f"{output}_stays")], output)

"""An ONNX graph of a VIN in the making."""

from typing import Any

import numpy as np
from torch import Tensor

FLOAT, INT, BOOL, DOUBLE = 1, 7, 9, 11
"""ONNX's codes of float32, int64, bool and float64."""


class GraphBuilder:
    """The nodes and weights of a graph, added one after the other."""

    def __init__(self, helper: Any, numpy_helper: Any) -> None:
        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        self.nodes.append(self.helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name: str, numbers: Tensor | np.ndarray) -> str:
        """Add weights or other constants."""
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

    def nested(self) -> "GraphBuilder":
        """An empty graph inside this one, which keeps its weights here."""
        inner = GraphBuilder(self.helper, self.numpy_helper)
        inner.weights = self.weights
        return inner

    def loop_body(self, kind: int, layers: int = 1) -> Any:
        """The graph as the body of a loop that carries a value."""
        describe, shape = self.helper.make_tensor_value_info, ["B", layers, "H", "W"]
        carried = [describe("continue_in", BOOL, []), describe("value_in", kind, shape)]
        outputs = [describe("continue_out", BOOL, []), describe("value_out", kind, shape)]
        return self.helper.make_graph(self.nodes, "backup", [describe("step", INT, []), *carried], outputs)

    def attended(self, q: str, strides: list[str], actions: int) -> str:
        """The values ``[B S A]`` of the actions of each state, which is at the sum of its coordinates times strides."""
        steps = self.node("Concat", strides, "strides", axis=0)
        scaled = self.node("Mul", ["states", steps], "scaled")
        last = self.constant("last_axis", np.array([2], np.int64))
        places = self.node("ReduceSum", [scaled, last], "places", keepdims=0)
        flat = self.node("Reshape", [q, self.constant("flat", np.array([0, 0, -1], np.int64))], "q_by_state")
        wide = self.node("Unsqueeze", [places, "action_axis"], "place_index")
        repeats = self.constant("repeats", np.array([1, actions, 1], np.int64))
        index = self.node("Tile", [wide, repeats], "index")
        attended = self.node("GatherElements", [flat, index], "attended", axis=2)
        return self.node("Transpose", [attended], "attended_by_state", perm=[0, 2, 1])

    def finish(self, *, channels: int, pixels: int = 1, layers: int | None = None) -> Any:
        """The whole graph with its inputs and outputs; a cell has ``pixels`` x ``pixels`` of the observation.

        With ``layers`` a state is a cell and a layer, and reward and q have an axis more.
        """
        describe = self.helper.make_tensor_value_info
        rewards, actions = (["R"], ["A"]) if layers is None else ([layers, "A"], [layers, "A"])
        sides = ["H", "W"] if pixels == 1 else ["h", "w"]
        inputs = [
            describe("observation", FLOAT, ["B", channels, *sides]),
            describe("states", INT, ["B", "S", 2 if layers is None else 3]),
            describe("iterations", INT, []),
        ]
        outputs = [
            describe("logits", FLOAT, ["B", "S", "M"]),
            describe("reward", FLOAT, ["B", *rewards, "H", "W"]),
            describe("value", FLOAT, ["B", 1 if layers is None else layers, "H", "W"]),
            describe("q", FLOAT, ["B", *actions, "H", "W"]),
        ]
        return self.helper.make_graph(self.nodes, "vin", inputs, outputs, initializer=self.weights)

"""Costs of ground from an image, as nodes of an ONNX graph: the encoder, the cost of cells, the cost of moves."""

from itertools import product

import numpy as np
from torch import nn

from vinlab.export._fixed_point import TO_THE_END
from vinlab.export._graph_builder import DOUBLE, FLOAT, GraphBuilder
from vinlab.networks.terrain.ground_encoder import reach_of
from vinlab.networks.terrain.ground_vin import GAIN, LEAST_COST, MOST_LOG_COST, GroundCosts, KindCosts
from vinlab.planning.costs import MoveTable

IMPOSSIBLE = 1e31
"""The cost of a move into a blocked cell; what it leads to is then worth less than unreachable."""


def add_ground_costs(graph: GraphBuilder, part: GroundCosts, moves: MoveTable) -> str:
    """The cost of each move in each cell, in float64; its negative is the reward."""
    cells = _add_cells(graph, part)
    around = _add_entered(graph, cells, moves, "cell_cost")
    both = graph.node("Add", [cells, around], "both_cells")
    halves = graph.constant("half_lengths", (moves.lengths / 2).astype(np.float32)[:, None, None])
    costs = graph.node("Mul", [both, halves], "costs")
    graph.node("Neg", [costs], "reward")
    entered = _add_entered(graph, add_cell_marks(graph, part, 0, "blocked"), moves, "blocked")
    wall = graph.constant("wall", np.array(IMPOSSIBLE, np.float64))
    exact = graph.node("Cast", [costs], "free_costs", to=DOUBLE)
    walls = graph.node("Mul", [graph.node("Cast", [entered], "exact_walls", to=DOUBLE), wall], "walls")
    return graph.node("Add", [exact, walls], "exact_costs")


def add_cell_marks(graph: GraphBuilder, part: GroundCosts, place: int, name: str) -> str:
    """A channel of marks after those of the image, as 0 or 1 for each cell."""
    channel = graph.constant(f"{name}_channel", np.array([part.encoder.inputs + place], np.int64))
    marks = graph.node("Gather", ["observation", channel], f"{name}_pixels", axis=1)
    if part.encoder.pixels > 1:
        sides = [part.encoder.pixels] * 2
        marks = graph.node("MaxPool", [marks], f"{name}_pooled", kernel_shape=sides, strides=sides)
    nothing = graph.constant("no_mark", np.array(0, np.float32))
    marked = graph.node("Greater", [marks, nothing], f"{name}_marked")
    return graph.node("Cast", [marked], f"{name}_cells", to=FLOAT)


def _add_cells(graph: GraphBuilder, part: GroundCosts) -> str:
    """The cost of each cell."""
    encoder = part.encoder
    image_channels = graph.constant("image_channels", np.arange(encoder.inputs, dtype=np.int64))
    image = graph.node("Gather", ["observation", image_channels], "image", axis=1)
    centred = graph.node("Sub", [image, graph.constant("mean", encoder.mean)], "centred")
    normalised = graph.node("Div", [centred, graph.constant("std", encoder.std)], "normalised")
    if part.symmetric:
        above_least = _add_mean_over_symmetries(graph, part, normalised)
    else:
        above_least = _add_above_least(graph, part, normalised, "upright")
    least = graph.constant("least", np.array(LEAST_COST, np.float32))
    return graph.node("Add", [above_least, least], "cell_cost")


def _add_mean_over_symmetries(graph: GraphBuilder, part: GroundCosts, image: str) -> str:
    """The mean of what each cell costs beyond the least cost, over the turned and mirrored images.

    Each of them is the image with some axes flipped and perhaps rows and columns exchanged.
    """
    found = []
    for number, (rows, cols, transposed) in enumerate(product((False, True), repeat=3)):
        name, axes = f"symmetry{number}", [2] * rows + [3] * cols
        seen = _add_flipped(graph, image, axes, f"{name}_flipped")
        seen = _add_transposed(graph, seen, transposed, f"{name}_turned")
        costs = _add_above_least(graph, part, seen, name)
        costs = _add_transposed(graph, costs, transposed, f"{name}_upright")
        found.append(_add_flipped(graph, costs, axes, f"{name}_back"))
    return graph.node("Mean", found, "above_least")


def _add_flipped(graph: GraphBuilder, image: str, axes: list[int], name: str) -> str:
    """The image with some of its axes in reverse order."""
    if not axes:
        return image
    flip, back = f"flip_{'_'.join(map(str, axes))}", [-1] * len(axes)
    slices = {"from": back, "to": [-TO_THE_END] * len(axes), "axes": axes, "steps": back}
    inputs = [graph.constant(f"{flip}_{part}", np.array(entry, np.int64)) for part, entry in slices.items()]
    return graph.node("Slice", [image, *inputs], name)


def _add_transposed(graph: GraphBuilder, image: str, transposed: bool, name: str) -> str:
    return graph.node("Transpose", [image], name, perm=[0, 1, 3, 2]) if transposed else image


def _add_above_least(graph: GraphBuilder, part: GroundCosts, image: str, name: str) -> str:
    """What each cell costs beyond the least cost, from a normalised image."""
    for stage, layers in (("pixels", part.encoder.over_pixels), ("cells", part.encoder.over_cells)):
        if len(layers):
            image = _add_continued(graph, image, reach_of(layers), f"{name}_{stage}_continued")
        for number, layer in enumerate(layers):
            image = _add_layer(graph, layer, image, f"{stage}{number}", f"{name}_{stage}{number}")
    if isinstance(part, KindCosts):
        return _add_kinds(graph, part, image, name)
    return _add_factor(graph, part, image, name)


def _add_factor(graph: GraphBuilder, part: GroundCosts, features: str, name: str) -> str:
    """The exponential of the logarithm, of every cell."""
    assert part.log_cost.bias is not None
    log_cost = _add_pointwise(graph, features, part.log_cost, "log_cost", name)
    most = graph.constant("most_log_cost", np.array(MOST_LOG_COST, np.float32))
    limited = graph.node("Min", [log_cost, most], f"{name}_limited_log_cost")
    return graph.node("Exp", [limited], f"{name}_factor")


def _add_kinds(graph: GraphBuilder, part: KindCosts, features: str, name: str) -> str:
    """The mean over the kinds of ground that a cell may be."""
    kinds = _add_pointwise(graph, features, part.kind, "kinds", name)
    likely = graph.node("Softmax", [kinds], f"{name}_likely_kinds", axis=1)
    costs = graph.constant("costs_of_kinds", part.costs_of_kinds()[None, :, None, None])
    return graph.node("Conv", [likely, costs], f"{name}_factor")


def _add_pointwise(graph: GraphBuilder, features: str, layer: nn.Conv2d, weights: str, name: str) -> str:
    """A layer of 1 x 1 filters, times the gain."""
    assert layer.bias is not None
    kernel = graph.constant(f"{weights}_kernel", GAIN * layer.weight)
    bias = graph.constant(f"{weights}_bias", GAIN * layer.bias)
    return graph.node("Conv", [features, kernel, bias], f"{name}_{weights}")


def _add_layer(graph: GraphBuilder, layer: nn.Module, image: str, weights: str, name: str) -> str:
    """A layer of the encoder; ``weights`` names its constants, which all symmetries share."""
    if isinstance(layer, nn.ReLU):
        return graph.node("Relu", [image], name)
    if isinstance(layer, nn.AvgPool2d):
        sides = [int(layer.kernel_size)] * 2  # pyright: ignore[reportArgumentType]
        return graph.node("AveragePool", [image], name, kernel_shape=sides, strides=sides)
    assert isinstance(layer, nn.Conv2d)
    assert layer.bias is not None
    kernel = graph.constant(f"{weights}_kernel", layer.weight)
    bias = graph.constant(f"{weights}_bias", layer.bias)
    return graph.node("Conv", [image, kernel, bias], name, dilations=list(layer.dilation))


def _add_continued(graph: GraphBuilder, image: str, reach: int, name: str) -> str:
    """The image with its edges continued outwards."""
    pads = graph.constant(f"{name}_pads", np.array([0, 0, reach, reach, 0, 0, reach, reach], np.int64))
    return graph.node("Pad", [image, pads], name, mode="edge") if reach else image


def _add_entered(graph: GraphBuilder, cells: str, moves: MoveTable, name: str) -> str:
    """For each move the entry of the cell that it leads to; beyond the edge that of the edge."""
    padded = _add_continued(graph, cells, 1, f"{name}_around")
    axes = graph.constant("map_axes", np.array([2, 3], np.int64))
    entered = []
    for move, offset in enumerate(moves.offsets):
        ends = np.where(offset == 1, TO_THE_END, offset - 1)
        corners = [graph.constant(f"first{move}", 1 + offset), graph.constant(f"last{move}", ends)]
        entered.append(graph.node("Slice", [padded, *corners, axes], f"{name}_entered{move}"))
    return graph.node("Concat", entered, f"{name}_entered", axis=1)

"""The cells at the edge of a map where what lies outside is blocked: they read themselves beyond the edge.

Elsewhere the sweeps read zeros there (``layout.py``), so each cell at the edge lacks the weight of the entries beyond,
times its own value. Before a sweep that share is added to the reward's term of q; a sweep itself knows no border.
Without blocked edges the list of cells is empty. Importing this file imports numba.
"""

import numpy as np

from vinlab.planning.compiled import compiled_part
from vinlab.planning.fused.layout import Frame


def edge_cells(frame: Frame) -> np.ndarray:
    """The cells whose kernels reach beyond the map, counted from the first cell in the padded array."""
    margin = frame.width // 2
    row, col = np.divmod(np.arange(frame.rows * frame.stride), frame.stride)
    near = (row < margin) | (row >= frame.rows - margin) | (col < margin) | (col >= frame.cols - margin)
    return np.flatnonzero(near & (col < frame.cols))


@compiled_part
def is_beyond(cell, entry_row, entry_col, frame):
    """Whether an entry of the kernel around a cell lies off the map."""
    row = cell // frame.stride + entry_row - frame.width // 2
    col = cell % frame.stride + entry_col - frame.width // 2
    return row < 0 or row >= frame.rows or col < 0 or col >= frame.cols


@compiled_part
def weigh_beyond(kernels, offset, pitch, edges, staying, frame):
    """Fill ``staying [cells A]`` with the weight of the entries beyond the edge."""
    for place in range(len(edges)):
        for action in range(staying.shape[1]):
            weight = np.float32(0)
            for row in range(frame.width):
                for col in range(frame.width):
                    if is_beyond(edges[place], row, col, frame):
                        weight += kernels[offset + action * pitch + row * frame.kernel_stride + col]
            staying[place, action] = weight


@compiled_part
def add_staying(terms, edges, staying, image, frame):
    """Add to the terms of q what each cell at the edge reads of itself."""
    for place in range(len(edges)):
        cell = edges[place]
        for action in range(staying.shape[1]):
            terms[action * frame.span + cell] += staying[place, action] * image[frame.origin + cell]


@compiled_part
def note_terms(terms, edges, noted, frame):
    """Fill ``noted [cells A]`` with the terms at the edge."""
    for place in range(len(edges)):
        for action in range(noted.shape[1]):
            noted[place, action] = terms[action * frame.span + edges[place]]


@compiled_part
def renew_terms(terms, edges, noted, staying, image, frame):
    """Set the terms at the edge to the noted ones and what each cell reads of itself."""
    for place in range(len(edges)):
        cell = edges[place]
        value = image[frame.origin + cell]
        for action in range(noted.shape[1]):
            terms[action * frame.span + cell] = noted[place, action] + staying[place, action] * value


@compiled_part
def send_back_beyond(gradient, cell, kernel, convolved, frame):
    """Send the gradient of one action's q at an edge to the cell itself, through the entries beyond the edge."""
    place = frame.origin + cell
    for row in range(frame.width):
        for col in range(frame.width):
            if is_beyond(cell, row, col, frame):
                entry = kernel + row * frame.kernel_stride + col
                convolved.gradient[place] += gradient * convolved.kernels[entry]
                convolved.sums[entry] += np.float64(gradient * convolved.image[place])

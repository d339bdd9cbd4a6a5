"""The compiled gradient of value iteration: the gradient of a cell goes through its winning action.

Maps and kernels are flat arrays, laid out as ``layout.py`` says. Importing this file imports numba, which
caches the compiled code in ``__pycache__``; delete it after a change of ``simd.py`` or ``forward.py`` alone.
"""

from typing import Final, NamedTuple

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.fused.edges import send_back_beyond
from vinlab.planning.fused.forward import (
    clear_margins,
    fill,
    lay_in_frame,
    neighbourhood,
    take_from_frame,
    weigh,
    weigh_any,
)
from vinlab.planning.fused.simd import load4, load8, plus, spread4, spread8, store, times, total

COPIES: Final = 2


class Convolved(NamedTuple):
    """An image, the kernels it was convolved with, and the arrays of both gradients."""

    image: np.ndarray
    gradient: np.ndarray
    kernels: np.ndarray
    sums: np.ndarray
    offset: int
    """Of the first action's kernel."""
    pitch: int
    """From one action's kernel to the next one's."""


@compiled
def backpropagate_maps(
    share, first, last, reward, initial_value, reward_kernels, value_kernels, edges, frame, values, winners,
    q_gradient, value_gradient, reward_gradient, initial_gradient, reward_sums, value_sums,
):  # fmt: skip
    """Gradients of the problems from ``first`` to ``last``; those of the kernels are added to the sums of the share.

    An empty ``initial_value`` stands for zero and has no gradient.
    """
    actions, iterations = q_gradient.shape[1], values.shape[1]
    gradient, earlier = np.zeros(frame.size, np.float32), np.zeros(frame.size, np.float32)
    sent = np.zeros(actions * frame.size, np.float32)  # gradient of each action's q
    scratch = np.zeros(COPIES * actions * frame.pitch, np.float32)
    initial = np.zeros(frame.size, np.float32)
    for problem in range(first, last):
        lay_in_frame(value_gradient[problem, 0], gradient, frame.origin, frame)
        for action in range(actions):
            lay_in_frame(q_gradient[problem, action], sent, action * frame.size + frame.origin, frame)
        reward_gradient[problem] = 0
        if len(initial_value) > 0:
            lay_in_frame(initial_value[problem, 0], initial, frame.origin, frame)
        for step in range(iterations, -1, -1):
            layer = step if len(value_kernels) > 1 else 0
            kernels, sums = value_kernels[layer], value_sums[share, layer]
            value = values[problem, step - 1] if step > 0 else initial
            if step == iterations:
                _send_all(sent, Convolved(value, gradient, kernels, sums, 0, frame.pitch), edges, frame)
            else:
                _note_winners(gradient, winners[problem, step], sent, frame)
            if (step > 0 or len(initial_value) > 0) and step < iterations:
                fill(earlier, 0, frame.size)
                convolved = Convolved(value, earlier, kernels, sums, 0, frame.pitch)
                _send_winners(gradient, winners[problem, step], convolved, scratch, edges, frame)
                gradient, earlier = earlier, gradient
            if step == 0 or layer > 0:
                kernels, sums = reward_kernels[layer], reward_sums[share, layer]
                _send_to_reward(sent, reward[problem], reward_gradient[problem], kernels, sums, edges, frame)
        if len(initial_value) > 0:
            take_from_frame(gradient, frame.origin, initial_gradient[problem, 0], frame)


@compiled_part
def _send_to_reward(sent, reward, reward_gradient, kernels, sums, edges, frame):
    """Add the gradient of each action's q to that of the reward, and clear it."""
    for channel in range(len(reward)):
        image, gradient = np.zeros(frame.size, np.float32), np.zeros(frame.size, np.float32)
        lay_in_frame(reward[channel], image, frame.origin, frame)
        offset, pitch = channel * frame.pitch, len(reward) * frame.pitch
        _send_all(sent, Convolved(image, gradient, kernels, sums, offset, pitch), edges, frame)
        for row in range(frame.rows):
            for col in range(frame.cols):
                reward_gradient[channel, row, col] += gradient[frame.origin + row * frame.stride + col]
    fill(sent, 0, len(sent))


@compiled_part
def _note_winners(gradient, winner, sent, frame):
    """Add the gradient of each cell to that of its winning action's q."""
    for row in range(frame.rows):
        for cell in range(row * frame.stride, row * frame.stride + frame.cols):
            place = frame.origin + cell
            action = np.intp(winner[np.uintp(cell)])
            sent[np.uintp(action * frame.size + place)] += gradient[np.uintp(place)]


@compiled_part
def _send_winners(gradient, winner, convolved, scratch, edges, frame):
    """Propagate the gradient of each cell through its winning action alone."""
    image, below, kernels, sums, _, _ = convolved
    fill(scratch, 0, len(scratch))
    if frame.width == 3:  # constants, for the compiler to unroll
        _walk(gradient, winner, image, below, kernels, scratch, frame, 3, 4)
    else:
        _walk(gradient, winner, image, below, kernels, scratch, frame, frame.width, frame.kernel_stride)
    clear_margins(below, frame)
    for cell in edges:
        send_back_beyond(
            gradient[frame.origin + cell], cell, np.intp(winner[cell]) * frame.pitch, convolved, frame
        )
    copy = len(scratch) // COPIES
    for index in range(copy):
        sums[index] += np.float64(scratch[index]) + np.float64(scratch[copy + index])


@compiled_part(inline="always")
def _walk(gradient, winner, image, below, kernels, scratch, frame, width, length):
    """Visit all cells, in an order without overlapping stores.

    Loads stall when they read a value that was just stored. So each pass visits columns that are a kernel's row
    apart, and the gradient of the kernels alternates between two copies.
    """
    copy = len(scratch) // COPIES
    for row in range(frame.rows):
        for phase in range(length):
            turn = 0
            for col in range(phase, frame.cols, length):
                cell = row * frame.stride + col
                lanes = spread4(gradient[np.uintp(frame.origin + cell)])
                kernel = np.intp(winner[np.uintp(cell)]) * width * length
                _send(lanes, image, below, cell, kernels, scratch, kernel, turn, width, length, frame.stride)
                turn = copy - turn


@compiled_part(inline="always")
def _send(lanes, image, below, corner, kernels, scratch, kernel, turn, width, length, stride):
    """Add one cell's gradient to the image under the winner's kernel, and to the kernel."""
    for row in range(width):
        for col in range(0, length, 4):
            entry, place = kernel + row * length + col, corner + row * stride + col
            noted = plus(times(lanes, load4(image, place)), load4(scratch, entry + turn))
            sent = plus(times(lanes, load4(kernels, entry)), load4(below, place))
            store(scratch, entry + turn, noted)
            store(below, place, sent)


@compiled_part
def _send_all(sent, convolved, edges, frame):
    """Propagate the gradient of each action's q through that action's kernel."""
    image, below, kernels, sums, offset, pitch = convolved
    for action in range(len(sent) // frame.size):
        start, kernel = action * frame.size, offset + action * pitch
        _convolve_back(sent, start, kernels, kernel, below, frame)
        for row in range(frame.width):
            for col in range(frame.width):
                summed = _correlate(sent, start + frame.origin, image, row * frame.stride + col, frame)
                sums[kernel + row * frame.kernel_stride + col] += summed
        for cell in edges:
            send_back_beyond(sent[start + frame.origin + cell], cell, kernel, convolved, frame)
    clear_margins(below, frame)


@compiled_part
def _convolve_back(sent, start, kernels, kernel, below, frame):
    """Add the gradient of the cells from one action: a convolution with its kernel rotated by 180 degrees."""
    far = start + (frame.width - 1) * (frame.stride + 1)
    for cell in range(0, frame.span, 8):
        found = load8(below, frame.origin + cell)
        if frame.width == 3:
            n = neighbourhood(sent, start + cell, frame.stride)
            found = weigh(found, kernels, kernel, (n[8], n[7], n[6], n[5], n[4], n[3], n[2], n[1], n[0]))
        else:
            found = weigh_any(found, kernels, kernel, sent, far + cell, -frame.stride, -1, frame)
        store(below, frame.origin + cell, found)


@compiled_part
def _correlate(sent, start, image, shifted, frame):
    """The sum over all cells of the gradient times the shifted image."""
    even, odd = spread8(np.float32(0)), spread8(np.float32(0))
    for cell in range(0, frame.span, 8):
        summed = plus(times(load8(sent, start + cell), load8(image, shifted + cell)), odd)
        even, odd = summed, even
    return np.float64(total(plus(even, odd)))

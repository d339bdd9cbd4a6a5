"""The compiled gradient of value iteration: every cell sends its gradient through the action that won.

Maps and kernels are flat arrays, laid out as ``layout.py`` says. Importing this file imports numba, which keeps
what it compiled beside the file; after a change of ``simd.py`` or ``forward.py`` alone that must be deleted.
"""

from typing import Final, NamedTuple, no_type_check

import numpy as np
from numba import njit

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
    """An image, the kernels that weighed it, and where the gradients of both go."""

    image: np.ndarray
    gradient: np.ndarray
    kernels: np.ndarray
    sums: np.ndarray
    offset: int
    """Of the first action's kernel."""
    pitch: int
    """From one action's kernel to the next one's."""


@njit(nogil=True, cache=True)
@no_type_check
def send_back_maps(
    share, first, last, reward, reward_kernels, value_kernels, frame, values, winners,
    q_gradient, value_gradient, reward_gradient, reward_sums, value_sums,
):  # fmt: skip
    """Gradients of the problems from ``first`` to ``last``; those of the kernels are added to the share's sums."""
    actions, iterations = q_gradient.shape[1], values.shape[1]
    gradient, earlier = np.zeros(frame.size, np.float32), np.zeros(frame.size, np.float32)
    sent = np.zeros((actions, frame.size), np.float32)  # to each action's q
    scratch = np.zeros(COPIES * actions * frame.pitch, np.float32)
    for problem in range(first, last):
        lay_in_frame(value_gradient[problem, 0], gradient, frame)
        for action in range(actions):
            lay_in_frame(q_gradient[problem, action], sent[action], frame)
        reward_gradient[problem] = 0
        for step in range(iterations, -1, -1):
            layer = step if len(value_kernels) > 1 else 0
            kernels, sums, value = value_kernels[layer], value_sums[share, layer], values[problem, step - 1]
            if step == iterations:
                _send_all(sent, Convolved(value, gradient, kernels, sums, 0, frame.pitch), frame)
            else:
                _note_winners(gradient, winners[problem, step], sent, frame)
            if 0 < step < iterations:
                fill(earlier, 0, frame.size)
                convolved = Convolved(value, earlier, kernels, sums, 0, frame.pitch)
                _send_winners(gradient, winners[problem, step], convolved, scratch, frame)
                gradient, earlier = earlier, gradient
            if step == 0 or layer > 0:
                kernels, sums = reward_kernels[layer], reward_sums[share, layer]
                _send_to_reward(sent, reward[problem], reward_gradient[problem], kernels, sums, frame)


@njit(nogil=True)
@no_type_check
def _send_to_reward(sent, reward, reward_gradient, kernels, sums, frame):
    """Send what came to each action's q on to the reward, and forget it."""
    for channel in range(len(reward)):
        image, gradient = np.zeros(frame.size, np.float32), np.zeros(frame.size, np.float32)
        lay_in_frame(reward[channel], image, frame)
        offset, pitch = channel * frame.pitch, len(reward) * frame.pitch
        _send_all(sent, Convolved(image, gradient, kernels, sums, offset, pitch), frame)
        for row in range(frame.rows):
            for col in range(frame.cols):
                reward_gradient[channel, row, col] += gradient[frame.origin + row * frame.stride + col]
    for action in range(len(sent)):
        fill(sent[action], 0, frame.size)


@njit(nogil=True)
@no_type_check
def _note_winners(gradient, winner, sent, frame):
    """Add the gradient of each cell to what its winning action was sent."""
    for row in range(frame.rows):
        for cell in range(row * frame.stride, row * frame.stride + frame.cols):
            place = np.uintp(frame.origin + cell)
            sent[np.uintp(winner[np.uintp(cell)]), place] += gradient[place]


@njit(nogil=True)
@no_type_check
def _send_winners(gradient, winner, convolved, scratch, frame):
    """Send the gradient of each cell through its winning action alone.

    Cells whose kernels touch the same numbers are kept apart, both in the order of the columns and by turns between
    the copies of the kernels' gradient, because the processor waits when it reads what it has only just written.
    """
    fill(scratch, 0, len(scratch))
    copy = len(scratch) // COPIES
    for row in range(frame.rows):
        for phase in range(frame.kernel_stride):
            turn = 0
            for col in range(phase, frame.cols, frame.kernel_stride):
                cell = row * frame.stride + col
                lanes = spread4(gradient[np.uintp(frame.origin + cell)])
                kernel = np.intp(winner[np.uintp(cell)]) * frame.pitch
                if frame.width == 3:
                    _send_row(lanes, cell, kernel, kernel + turn, convolved, scratch)
                    _send_row(lanes, cell + frame.stride, kernel + 4, kernel + turn + 4, convolved, scratch)
                    _send_row(
                        lanes, cell + 2 * frame.stride, kernel + 8, kernel + turn + 8, convolved, scratch
                    )
                else:
                    _send_any(lanes, cell, kernel, kernel + turn, convolved, scratch, frame)
                turn = copy - turn
    for index in range(copy):
        convolved.sums[index] += np.float64(scratch[index]) + np.float64(scratch[copy + index])
    clear_margins(convolved.gradient, frame)


@njit(nogil=True)
@no_type_check
def _send_row(lanes, corner, kernel, noted, convolved, scratch):
    """Four entries of a row of the winner's kernel: gradient to the image below them, and to themselves."""
    image, below, weights = (
        load4(convolved.image, corner),
        convolved.gradient,
        load4(convolved.kernels, kernel),
    )
    store(scratch, noted, plus(times(lanes, image), load4(scratch, noted)))
    store(below, corner, plus(times(lanes, weights), load4(below, corner)))


@njit(nogil=True)
@no_type_check
def _send_any(lanes, corner, kernel, noted, convolved, scratch, frame):
    """The same for all entries of a kernel of any width."""
    for row in range(frame.width):
        for part in range(row * frame.kernel_stride, (row + 1) * frame.kernel_stride, 4):
            at = corner + row * (frame.stride - frame.kernel_stride) + part
            _send_row(lanes, at, kernel + part, noted + part, convolved, scratch)


@njit(nogil=True)
@no_type_check
def _send_all(sent, convolved, frame):
    """Send what came to each action's q through that action's kernel."""
    for cell in range(0, frame.span, 8):
        below = load8(convolved.gradient, frame.origin + cell)
        for action in range(len(sent)):
            below = _weigh_turned(below, convolved, action, sent[action], cell, frame)
        store(convolved.gradient, frame.origin + cell, below)
    for action in range(len(sent)):
        at = convolved.offset + action * convolved.pitch
        for row in range(frame.width):
            for col in range(frame.width):
                shifted = row * frame.stride + col
                summed = _correlate(sent[action], convolved.image, shifted, frame)
                convolved.sums[at + row * frame.kernel_stride + col] += summed
    clear_margins(convolved.gradient, frame)


@njit(nogil=True)
@no_type_check
def _weigh_turned(below, convolved, action, sent, cell, frame):
    """Add what eight cells get from one action: a convolution with its kernel turned by half a turn."""
    at = convolved.offset + action * convolved.pitch
    if frame.width == 3:
        n = neighbourhood(sent, cell, frame.stride)
        return weigh(below, convolved.kernels, at, (n[8], n[7], n[6], n[5], n[4], n[3], n[2], n[1], n[0]))
    far = cell + (frame.width - 1) * (frame.stride + 1)
    return weigh_any(below, convolved.kernels, at, sent, far, -frame.stride, -1, frame)


@njit(nogil=True)
@no_type_check
def _correlate(sent, image, shifted, frame):
    """The sum over all cells of what they were sent times the shifted image."""
    summed = spread8(np.float32(0))
    for cell in range(0, frame.span, 8):
        summed = plus(times(load8(sent, frame.origin + cell), load8(image, cell + shifted)), summed)
    return np.float64(total(summed))

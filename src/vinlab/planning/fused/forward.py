"""Compiled value iteration: K backups of one map after another, eight cells at a time.

Maps and kernels are flat arrays, laid out as ``layout.py`` says. Importing this file imports numba, which
caches the compiled code in ``__pycache__``; delete it after a change of ``simd.py`` alone.
"""

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.fused.edges import add_staying, note_terms, renew_terms, weigh_beyond
from vinlab.planning.fused.simd import load8, plus, spread8, store, store_bytes, times, where_greater


@compiled
def plan_maps(
    first,
    last,
    reward,
    initial_value,
    reward_kernels,
    value_kernels,
    edges,
    frame,
    iterations,
    values,
    winners,
    q,
    value,
):
    """Plan for the problems from ``first`` to ``last``; fills values, winners, q and value.

    ``values`` and ``winners`` are ring buffers of the last backups. An empty ``initial_value`` stands for zero.
    ``edges`` are the cells beyond which all is blocked.
    """
    noted = np.empty((len(edges), q.shape[1]), np.float32)
    staying = np.empty((len(edges), q.shape[1]), np.float32)
    images = np.zeros((reward.shape[1], frame.size), np.float32)
    terms = np.empty(q.shape[1] * frame.span, np.float32)
    initial = np.zeros(frame.size, np.float32)
    for problem in range(first, last):
        for channel in range(len(images)):
            lay_in_frame(reward[problem, channel], images[channel], frame.origin, frame)
        if len(initial_value) > 0:
            lay_in_frame(initial_value[problem, 0], initial, frame.origin, frame)
        latest = initial
        for step in range(iterations + 1):
            layer = step if len(value_kernels) > 1 else 0
            if step == 0 or layer > 0:
                _reward_terms(images, reward_kernels[layer], edges, staying, terms, frame)
                note_terms(terms, edges, noted, frame)
                weigh_beyond(value_kernels[layer], 0, frame.pitch, edges, staying, frame)
            renew_terms(terms, edges, noted, staying, latest, frame)
            if step < iterations:
                place = step % values.shape[1]
                _sweep(
                    latest,
                    value_kernels[layer],
                    terms,
                    values[problem, place],
                    winners[problem, place],
                    frame,
                )
                latest = values[problem, place]
            else:
                _convolve(latest, value_kernels[layer], 0, frame.pitch, terms, frame)
        for action in range(q.shape[1]):
            take_from_frame(terms, action * frame.span, q[problem, action], frame)
        take_from_frame(latest, frame.origin, value[problem, 0], frame)


@compiled_part
def _reward_terms(images, kernels, edges, staying, terms, frame):
    """The reward's term of q, for every action."""
    fill(terms, 0, len(terms))
    pitch = len(images) * frame.pitch
    for channel in range(len(images)):
        _convolve(images[channel], kernels, channel * frame.pitch, pitch, terms, frame)
        weigh_beyond(kernels, channel * frame.pitch, pitch, edges, staying, frame)
        add_staying(terms, edges, staying, images[channel], frame)


@compiled_part
def _convolve(image, kernels, offset, pitch, q, frame):
    """Add to q, for every action, the image convolved with the kernel at ``offset + action * pitch``."""
    for cell in range(0, frame.span, 8):
        if frame.width == 3:
            around = neighbourhood(image, cell, frame.stride)
            for action in range(len(q) // frame.span):
                at = action * frame.span + cell
                store(q, at, weigh(load8(q, at), kernels, offset + action * pitch, around))
        else:
            for action in range(len(q) // frame.span):
                at = action * frame.span + cell
                kernel = offset + action * pitch
                store(q, at, weigh_any(load8(q, at), kernels, kernel, image, cell, frame.stride, 1, frame))


@compiled_part
def _sweep(image, kernels, terms, best_of, winner_of, frame):
    """One backup: the best q of every cell and its action; the first one among equals."""
    for cell in range(0, frame.span, 8):
        best, winner = spread8(np.float32(np.nan)), spread8(np.float32(0))
        if frame.width == 3:
            around = neighbourhood(image, cell, frame.stride)
            for action in range(len(terms) // frame.span):
                q = weigh(load8(terms, action * frame.span + cell), kernels, action * frame.pitch, around)
                winner = where_greater(q, best, spread8(np.float32(action)), winner)
                best = where_greater(q, best, q, best)
        else:
            for action in range(len(terms) // frame.span):
                term, kernel = load8(terms, action * frame.span + cell), action * frame.pitch
                q = weigh_any(term, kernels, kernel, image, cell, frame.stride, 1, frame)
                winner = where_greater(q, best, spread8(np.float32(action)), winner)
                best = where_greater(q, best, q, best)
        store(best_of, frame.origin + cell, best)
        store_bytes(winner_of, cell, winner)
    clear_margins(best_of, frame)


@compiled_part
def neighbourhood(image, corner, stride):
    """The 3x3 neighbourhoods of eight cells, the first of which has its corner here."""
    mid, low = corner + stride, corner + 2 * stride
    return (
        load8(image, corner), load8(image, corner + 1), load8(image, corner + 2),
        load8(image, mid), load8(image, mid + 1), load8(image, mid + 2),
        load8(image, low), load8(image, low + 1), load8(image, low + 2),
    )  # fmt: skip


@compiled_part
def weigh(term, kernels, at, around):
    """The term plus the neighbourhoods under a 3x3 kernel; three short sums have less latency than a long one."""
    top = plus(times(weight(kernels, at), around[0]), term)
    top = plus(times(weight(kernels, at + 1), around[1]), top)
    top = plus(times(weight(kernels, at + 2), around[2]), top)
    mid = times(weight(kernels, at + 4), around[3])
    mid = plus(times(weight(kernels, at + 5), around[4]), mid)
    mid = plus(times(weight(kernels, at + 6), around[5]), mid)
    low = times(weight(kernels, at + 8), around[6])
    low = plus(times(weight(kernels, at + 9), around[7]), low)
    low = plus(times(weight(kernels, at + 10), around[8]), low)
    return plus(plus(top, mid), low)


@compiled_part
def weigh_any(term, kernels, at, image, corner, down, right, frame):
    """The same for a kernel of any width, which runs over the image from ``corner`` down and right."""
    for row in range(frame.width):
        for col in range(frame.width):
            around = load8(image, corner + row * down + col * right)
            term = plus(times(weight(kernels, at + row * frame.kernel_stride + col), around), term)
    return term


@compiled_part
def weight(kernels, at):
    """One entry of a kernel, for eight cells; an unsigned index needs no test for negative ones."""
    return spread8(kernels[np.uintp(at)])


@compiled_part
def lay_in_frame(plain, framed, start, frame):
    """Copy a map into its padded array, its first cell to ``start``."""
    for row in range(frame.rows):
        for col in range(frame.cols):
            framed[np.uintp(start + row * frame.stride + col)] = plain[row, col]


@compiled_part
def take_from_frame(framed, start, plain, frame):
    """Copy a map, whose first cell is at ``start``, out of its padded array."""
    for row in range(frame.rows):
        for col in range(frame.cols):
            plain[row, col] = framed[np.uintp(start + row * frame.stride + col)]


@compiled_part
def clear_margins(framed, frame):
    """Set the padding to zero."""
    fill(framed, 0, frame.origin)
    for row in range(frame.rows):
        end = frame.origin + row * frame.stride + frame.cols
        fill(framed, end, end + frame.width // 2)
    fill(framed, frame.origin + frame.rows * frame.stride - frame.width // 2, frame.size)


@compiled_part
def fill(array, start, end):
    """Set a range to zero."""
    for index in range(start, end):
        array[np.uintp(index)] = 0

"""Compiled value iteration with kernels that depend on the cell, and its gradient.

As in ``forward.py`` a map is a flat, padded array and eight cells are computed at a time; every entry of a kernel is a
map of its own in the same layout, so that the kernels of eight neighbours are one vector. Problems are planned one
after the other, so that the kernels of one stay in the cache for all its backups. Importing this file imports numba.
"""

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.fused.forward import clear_margins, fill, lay_in_frame, take_from_frame
from vinlab.planning.fused.simd import load8, plus, spread8, store, store_bytes, times, where_greater


@compiled
def plan_local_maps(first, last, terms, kernels, initial, frame, iterations, values, winners, q, value):
    """Plan for the problems from ``first`` to ``last``; fills values, winners, q and value.

    ``terms [B A H W]`` is the reward's term of q and ``kernels [B A F*F H W]`` those of the value; ``values`` and
    ``winners`` are ring buffers of the last backups. An empty ``initial`` stands for zero.
    """
    actions, entries = kernels.shape[1], kernels.shape[2]
    laid_terms = np.zeros(actions * frame.span, np.float32)
    laid = np.zeros(actions * entries * frame.span, np.float32)
    start = np.zeros(frame.size, np.float32)
    for problem in range(first, last):
        _lay_kernels(terms[problem], kernels[problem], laid_terms, laid, frame)
        if len(initial) > 0:
            lay_in_frame(initial[problem, 0], start, frame.origin, frame)
        latest = start
        for step in range(iterations):
            place = step % values.shape[1]
            _sweep(latest, laid_terms, laid, values[problem, place], winners[problem, place], frame)
            latest = values[problem, place]
        take_from_frame(latest, frame.origin, value[problem, 0], frame)
        for action in range(actions):
            for cell in range(0, frame.span, 8):
                at = action * frame.span + cell
                store(laid_terms, at, _weigh(load8(laid_terms, at), laid, action, latest, cell, frame))
            take_from_frame(laid_terms, action * frame.span, q[problem, action], frame)


@compiled_part
def _lay_kernels(terms, kernels, laid_terms, laid, frame):
    for action in range(kernels.shape[0]):
        lay_in_frame(terms[action], laid_terms, action * frame.span, frame)
        for entry in range(kernels.shape[1]):
            place = (action * kernels.shape[1] + entry) * frame.span
            lay_in_frame(kernels[action, entry], laid, place, frame)


@compiled_part
def _sweep(image, terms, kernels, best_of, winner_of, frame):
    """One backup: the best q of every cell and its action; the first one among equals."""
    for cell in range(0, frame.span, 8):
        best, winner = spread8(np.float32(np.nan)), spread8(np.float32(0))
        for action in range(len(terms) // frame.span):
            q = _weigh(load8(terms, action * frame.span + cell), kernels, action, image, cell, frame)
            winner = where_greater(q, best, spread8(np.float32(action)), winner)
            best = where_greater(q, best, q, best)
        store(best_of, frame.origin + cell, best)
        store_bytes(winner_of, cell, winner)
    clear_margins(best_of, frame)


@compiled_part
def _weigh(term, kernels, action, image, cell, frame):
    """The term plus the neighbourhoods of eight cells under the kernels of these cells."""
    place = action * frame.width * frame.width * frame.span + cell
    for row in range(frame.width):
        for col in range(frame.width):
            term = plus(times(load8(kernels, place), load8(image, cell + row * frame.stride + col)), term)
            place += frame.span
    return term


@compiled
def backpropagate_local_maps(
    first, last, terms, kernels, initial, frame, values, winners, q_gradient, value_gradient,
    term_gradient, kernel_gradient, initial_gradient,
):  # fmt: skip
    """Gradients of the problems from ``first`` to ``last``: of the terms, the kernels and the initial value."""
    actions, entries = kernels.shape[1], kernels.shape[2]
    iterations = values.shape[1]
    laid_terms = np.zeros(actions * frame.span, np.float32)
    laid = np.zeros(actions * entries * frame.span, np.float32)
    summed = np.zeros(len(laid), np.float32)
    start = np.zeros(frame.size, np.float32)
    gradient, earlier = np.zeros(frame.size, np.float32), np.zeros(frame.size, np.float32)
    for problem in range(first, last):
        _lay_kernels(q_gradient[problem], kernels[problem], laid_terms, laid, frame)
        lay_in_frame(value_gradient[problem, 0], gradient, frame.origin, frame)
        if len(initial) > 0:
            lay_in_frame(initial[problem, 0], start, frame.origin, frame)
        fill(summed, 0, len(summed))
        _send_all(laid_terms, laid, values[problem, iterations - 1], summed, gradient, frame)
        clear_margins(gradient, frame)
        for step in range(iterations - 1, -1, -1):
            below = values[problem, step - 1] if step > 0 else start
            fill(earlier, 0, frame.size)
            _send_winners(gradient, winners[problem, step], below, laid, laid_terms, summed, earlier, frame)
            clear_margins(earlier, frame)
            gradient, earlier = earlier, gradient
        for action in range(actions):
            take_from_frame(laid_terms, action * frame.span, term_gradient[problem, action], frame)
            for entry in range(entries):
                place = (action * entries + entry) * frame.span
                take_from_frame(summed, place, kernel_gradient[problem, action, entry], frame)
        if len(initial) > 0:
            take_from_frame(gradient, frame.origin, initial_gradient[problem, 0], frame)


@compiled_part
def _send_all(sent, kernels, image, summed, gradient, frame):
    """Propagate the gradient of each action's q: to its kernels and to the image under them."""
    for action in range(len(sent) // frame.span):
        for row in range(frame.width):
            for col in range(frame.width):
                place = ((action * frame.width + row) * frame.width + col) * frame.span
                shift = row * frame.stride + col
                for cell in range(0, frame.span, 8):
                    q = load8(sent, action * frame.span + cell)
                    noted = plus(times(q, load8(image, shift + cell)), load8(summed, place + cell))
                    store(summed, place + cell, noted)
                    below = plus(times(q, load8(kernels, place + cell)), load8(gradient, shift + cell))
                    store(gradient, shift + cell, below)


@compiled_part
def _send_winners(gradient, winner, image, kernels, terms, summed, earlier, frame):
    """Propagate the gradient of each cell through its winning action alone."""
    entries = frame.width * frame.width
    for row in range(frame.rows):
        for cell in range(row * frame.stride, row * frame.stride + frame.cols):
            sent = gradient[np.uintp(frame.origin + cell)]
            action = np.intp(winner[np.uintp(cell)])
            terms[np.uintp(action * frame.span + cell)] += sent
            place = action * entries * frame.span + cell
            for down in range(frame.width):
                for right in range(frame.width):
                    near = np.uintp(cell + down * frame.stride + right)
                    summed[np.uintp(place)] += sent * image[near]
                    earlier[near] += sent * kernels[np.uintp(place)]
                    place += frame.span

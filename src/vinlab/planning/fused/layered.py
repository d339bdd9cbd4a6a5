"""Compiled value iteration over states with layers, and its gradient: one row of cells at a time.

As in ``forward.py`` the gradient goes through the winning action, which is kept in a byte. Importing this file imports
numba.
"""

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.costs import UNREACHABLE
from vinlab.planning.fused.forward import lay_in_frame, take_from_frame
from vinlab.planning.fused.simd import load8, plus, spread8, store, store_bytes, times, where_greater


@compiled
def plan_layers(
    first, last, reward, discounts, layers, offsets, initial, frame, iterations, values, winners, q, value
):
    """Plan for the problems from ``first`` to ``last``; fills values, winners, q and value.

    ``values [B kept L size]`` and ``winners [B kept L span]`` are ring buffers of the last backups, laid out as
    ``layout.py`` says, with ``UNREACHABLE`` in the padding; ``initial`` is empty for zero.
    """
    count, actions = reward.shape[1], reward.shape[2]
    terms = np.zeros(count * actions * frame.span, np.float32)
    start = np.zeros(count * frame.size, np.float32)
    jumps = offsets[:, :, 0] * frame.stride + offsets[:, :, 1]
    for problem in range(first, last):
        for layer in range(count):
            for action in range(actions):
                place = (layer * actions + action) * frame.span
                lay_in_frame(reward[problem, layer, action], terms, place, frame)
            if len(initial) > 0:
                lay_in_frame(initial[problem, layer], start, layer * frame.size + frame.origin, frame)
        _close_margins(start, count, frame)
        latest = start
        for step in range(iterations):
            place = step % values.shape[1]
            best, winner = values[problem, place].reshape(-1), winners[problem, place].reshape(-1)
            _back_up(terms, discounts, layers, jumps, latest, best, winner, frame)
            latest = best
        for layer in range(count):
            take_from_frame(latest, layer * frame.size + frame.origin, value[problem, layer], frame)
        _read(terms, discounts, layers, jumps, latest, frame)
        for layer in range(count):
            for action in range(actions):
                place = (layer * actions + action) * frame.span
                take_from_frame(terms, place, q[problem, layer, action], frame)


@compiled_part
def _back_up(terms, discounts, layers, jumps, latest, best, winner, frame):
    """The best q of every state and its action; the first one among equals."""
    count, actions = layers.shape
    half, worst = spread8(np.float32(UNREACHABLE / 2)), spread8(np.float32(UNREACHABLE))
    for layer in range(count):
        for cell in range(0, frame.span, 8):
            highest, chosen = worst, spread8(np.float32(0))
            for action in range(actions):
                target = layers[layer, action]
                if target < 0:
                    continue
                place = target * frame.size + frame.origin + jumps[layer, action] + cell
                onwards = load8(latest, place)
                term = load8(terms, (layer * actions + action) * frame.span + cell)
                found = plus(times(spread8(discounts[layer, action]), onwards), term)
                found = where_greater(onwards, half, found, worst)
                chosen = where_greater(found, highest, spread8(np.float32(action)), chosen)
                highest = where_greater(found, highest, found, highest)
            store(best, layer * frame.size + frame.origin + cell, highest)
            store_bytes(winner, layer * frame.span + cell, chosen)
    _close_margins(best, count, frame)


@compiled_part
def _read(terms, discounts, layers, jumps, latest, frame):
    """Add to each action's reward what follows, which makes it q."""
    count, actions = layers.shape
    half, worst = spread8(np.float32(UNREACHABLE / 2)), spread8(np.float32(UNREACHABLE))
    for layer in range(count):
        for action in range(actions):
            target, place = layers[layer, action], (layer * actions + action) * frame.span
            for cell in range(0, frame.span, 8):
                found = worst
                if target >= 0:
                    onwards = load8(latest, target * frame.size + frame.origin + jumps[layer, action] + cell)
                    found = plus(
                        times(spread8(discounts[layer, action]), onwards), load8(terms, place + cell)
                    )
                    found = where_greater(onwards, half, found, worst)
                store(terms, place + cell, found)


@compiled_part
def _close_margins(framed, count, frame):
    """Set the padding of every layer to the value of what is impossible."""
    for layer in range(count):
        start = layer * frame.size
        _fill_worst(framed, start, start + frame.origin)
        for row in range(frame.rows):
            end = start + frame.origin + row * frame.stride + frame.cols
            _fill_worst(framed, end, end + frame.width // 2)
        last = start + frame.origin + frame.rows * frame.stride - frame.width // 2
        _fill_worst(framed, last, start + frame.size)


@compiled_part
def _fill_worst(array, start, end):
    for index in range(start, end):
        array[np.uintp(index)] = np.float32(UNREACHABLE)


@compiled
def backpropagate_layers(
    share, first, last, discounts, layers, offsets, initial, frame, values, winners, q, q_gradient,
    value_gradient, reward_gradient, discount_sums, initial_gradient,
):  # fmt: skip
    """Gradients of the problems from ``first`` to ``last``; that of the discounts is added to the sums of the share."""
    count, _, rows, cols = q.shape[1:]
    gradient, earlier = np.zeros((count, rows, cols), np.float32), np.zeros((count, rows, cols), np.float32)
    start = np.zeros(count * frame.size, np.float32)
    jumps = offsets[:, :, 0] * frame.stride + offsets[:, :, 1]
    for problem in range(first, last):
        for layer in range(len(initial[:1]) * count):
            lay_in_frame(initial[problem, layer], start, layer * frame.size + frame.origin, frame)
        sums, gains = discount_sums[share], reward_gradient[problem]
        gains[:] = 0
        gradient[:] = value_gradient[problem]
        latest = values[problem, values.shape[1] - 1].reshape(-1)
        _send_all(
            q[problem], q_gradient[problem], latest, discounts, layers, offsets, frame, gains, sums, gradient
        )
        for step in range(values.shape[1] - 1, -1, -1):
            below = values[problem, step - 1].reshape(-1) if step > 0 else start
            own, winner = values[problem, step].reshape(-1), winners[problem, step].reshape(-1)
            earlier[:] = 0
            _send_winners(
                gradient, winner, own, below, discounts, layers, offsets, jumps, frame, gains, sums, earlier
            )
            gradient, earlier = earlier, gradient
        if len(initial) > 0:
            initial_gradient[problem] = gradient


@compiled_part
def _send_all(q, q_gradient, latest, discounts, layers, offsets, frame, gains, sums, gradient):
    """Hand the gradient of each action's q to its reward, its discount and the next state."""
    count, actions, rows, cols = q.shape
    for layer in range(count):
        for action in range(actions):
            target, down, right = layers[layer, action], offsets[layer, action, 0], offsets[layer, action, 1]
            if target < 0:
                continue
            begin = target * frame.size + frame.origin
            for row in range(max(0, -down), min(rows, rows - down)):
                for col in range(max(0, -right), min(cols, cols - right)):
                    if q[layer, action, row, col] > UNREACHABLE / 2:
                        sent = q_gradient[layer, action, row, col]
                        gains[layer, action, row, col] += sent
                        gradient[target, row + down, col + right] += discounts[layer, action] * sent
                        sums[layer, action] += (
                            sent * latest[begin + (row + down) * frame.stride + col + right]
                        )


@compiled_part
def _send_winners(
    gradient, winner, own, below, discounts, layers, offsets, jumps, frame, gains, sums, earlier
):
    """Hand the gradient of each state to its winning action's reward, discount and next state."""
    count, rows, cols = gradient.shape
    half = np.float32(UNREACHABLE / 2)
    for layer in range(count):
        for row in range(rows):
            for col in range(cols):
                cell = row * frame.stride + col
                sent = gradient[layer, row, col]
                if own[layer * frame.size + frame.origin + cell] <= half or sent == 0:
                    continue
                action = winner[layer * frame.span + cell]
                target = layers[layer, action]
                to_row, to_col = row + offsets[layer, action, 0], col + offsets[layer, action, 1]
                gains[layer, action, row, col] += sent
                earlier[target, to_row, to_col] += discounts[layer, action] * sent
                onwards = below[target * frame.size + frame.origin + cell + jumps[layer, action]]
                sums[layer, action] += sent * onwards

"""The compiled search of ``search.py`` over states with layers, and the gradient back through its result.

States are counted layer by layer and row by row. A layer is entered by its own list of moves, so every state has a
slot for each move that may lead into it. Importing this file imports numba.
"""

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.costs import NO_MOVE, UNREACHABLE
from vinlab.planning.fused.search import (
    BUCKETS,
    MOST_UNITS,
    OUTSIDE,
    SETTLED,
    _bit_length,
    _first_filled,
    _key,
    _put_terminals,
    _spread,
)


@compiled
def search_layers(
    first, last, costs, allowed, terminals, entries, layers, offsets, moves, order, counts, q, value
):
    """The q, value and greedy action of every state and the order of search, for problems ``first`` to ``last``.

    ``costs [B L A H W]``, ``allowed`` the same or empty, ``terminals [B L H W]``; ``entries [L D 4]`` are the layer,
    the action and the offset of each move into a layer, with a layer of -1 beyond the last one.
    """
    count, rows, cols = costs.shape[1], costs.shape[3], costs.shape[4]
    states, slots = count * rows * cols, entries.shape[1]
    jumps, actions = np.empty(count * slots, np.int64), np.empty(count * slots, np.int8)
    for layer in range(count):
        for slot in range(slots):
            source, action, down, right = entries[layer, slot]
            jumps[layer * slots + slot] = ((layer - source) * rows + down) * cols + right
            actions[layer * slots + slot] = action
    incoming = np.empty(states * slots, costs.dtype)
    after, before = np.empty(states, np.int32), np.empty(states, np.int32)
    where, distance = np.empty(states, np.uint8), np.empty(states, np.float64)
    for problem in range(first, last):
        mask = allowed[problem] if len(allowed) > 0 else allowed[:0].reshape(0, 0, 0, 0)
        least, most = _gather_incoming(costs[problem], mask, entries, incoming)
        move = moves[problem]
        distance[:] = np.inf
        move[:] = NO_MOVE
        where[:] = OUTSIDE
        scale = 1.0 / (0.999 * least) if states * most < MOST_UNITS * least else 0.0
        queue = (order[problem], after, before, where)
        ends = terminals[problem].ravel()
        counts[problem] = _search(incoming, jumps, actions, slots, ends, scale, distance, move, *queue)
        _read(costs[problem], mask, layers, offsets, distance, q[problem], value[problem])


@compiled_part
def _gather_incoming(costs, allowed, entries, incoming):
    """For every state the costs of the moves into it, infinite for impossible ones; the least and most."""
    layers, rows, cols = costs.shape[0], costs.shape[2], costs.shape[3]
    slots = entries.shape[1]
    least, most = np.inf, 0.0
    incoming[:] = np.inf
    for layer in range(layers):
        for slot in range(slots):
            source, action, down, right = entries[layer, slot]
            if source < 0:
                continue
            for row in range(max(0, down), min(rows, rows + down)):
                place = (layer * rows + row) * cols * slots + slot
                for col in range(max(0, right), min(cols, cols + right)):
                    if len(allowed) == 0 or allowed[source, action, row - down, col - right]:
                        cost = costs[source, action, row - down, col - right]
                        incoming[place + col * slots] = cost
                        least, most = min(least, cost), max(most, cost)
    return least, most


@compiled_part
def _search(incoming, jumps, actions, slots, terminals, scale, distance, moves, order, after, before, where):
    """Settle all states that have a path, the nearest first; their number. As in ``search.py``."""
    heads = np.full(BUCKETS, -1, np.int32)
    size, found, lowest = np.uint32(len(terminals) * slots // len(jumps)), 0, 0
    _put_terminals(terminals, distance, heads, after, before, where)
    while True:
        if heads[0] < 0:
            bucket = _first_filled(heads)
            if bucket == BUCKETS:
                return found
            lowest = _spread(bucket, distance, scale, heads, after, before, where)
        state = heads[0]
        heads[0] = after[state]
        if heads[0] >= 0:
            before[heads[0]] = -1
        where[state] = SETTLED
        order[found] = state
        found += 1
        here = distance[state]
        first, own = state * slots, np.intp(np.uint32(state) // size) * slots
        for slot in range(slots):
            cost = incoming[first + slot]
            if cost == np.inf:
                continue
            source, through = state - jumps[own + slot], here + cost
            if through < distance[source]:
                bucket, old = _bit_length(_key(through, scale) ^ lowest), where[source]
                if old == SETTLED:
                    continue
                distance[source] = through
                moves[source] = actions[own + slot]
                if bucket == old:
                    continue
                if old != OUTSIDE:
                    next_state, last_state = after[source], before[source]
                    if last_state >= 0:
                        after[last_state] = next_state
                    else:
                        heads[old] = next_state
                    if next_state >= 0:
                        before[next_state] = last_state
                head = heads[bucket]
                after[source], before[source], where[source], heads[bucket] = head, -1, bucket, source
                if head >= 0:
                    before[head] = source
            elif (
                through == distance[source]
                and actions[own + slot] < moves[source]
                and where[source] != SETTLED
            ):
                moves[source] = actions[own + slot]


@compiled_part
def _read(costs, allowed, layers, offsets, distances, q, value):
    """Fill q ``[L A H W]`` and value ``[L H W]`` from the cost to go of every state."""
    count, actions, rows, cols = costs.shape
    distance = distances.reshape(count, rows, cols)
    for layer in range(count):
        for row in range(rows):
            for col in range(cols):
                worth = -distance[layer, row, col]
                value[layer, row, col] = worth if worth > -np.inf else UNREACHABLE
        for action in range(actions):
            q[layer, action] = UNREACHABLE
            target, down, right = layers[layer, action], offsets[layer, action, 0], offsets[layer, action, 1]
            if target < 0:
                continue
            for row in range(max(0, -down), min(rows, rows - down)):
                for col in range(max(0, -right), min(cols, cols - right)):
                    onwards = distance[target, row + down, col + right]
                    if onwards < np.inf and (len(allowed) == 0 or allowed[layer, action, row, col]):
                        q[layer, action, row, col] = -(costs[layer, action, row, col] + onwards)


@compiled
def send_back_layers(
    first, last, q_gradient, value_gradient, q, moves, order, counts, layers, offsets, gradient
):
    """The gradient of the costs: from the farthest state to the goals, along the greedy actions."""
    count, actions, rows, cols = q.shape[1:]
    size = rows * cols
    flowing = np.empty(count * size, np.float64)
    for problem in range(first, last):
        flowing[:] = value_gradient[problem].ravel()
        for layer in range(count):
            for action in range(actions):
                jump = _jump(layers, offsets, layer, action, rows, cols)
                for row in range(rows):
                    place = (layer * rows + row) * cols + jump
                    for col in range(cols):
                        possible = q[problem, layer, action, row, col] > UNREACHABLE / 2
                        arriving = q_gradient[problem, layer, action, row, col] if possible else 0.0
                        gradient[problem, layer, action, row, col] = -arriving
                        if possible:
                            flowing[place + col] += arriving
        by_state = gradient[problem].reshape(count, actions, size)
        for place in range(counts[problem] - 1, -1, -1):
            state = order[problem, place]
            action = moves[problem, state]
            if action != NO_MOVE:
                layer = state // size
                by_state[layer, action, state % size] -= flowing[state]
                flowing[state + _jump(layers, offsets, layer, action, rows, cols)] += flowing[state]


@compiled_part
def _jump(layers, offsets, layer, action, rows, cols):
    """From a state to the one that an action leads to."""
    down, right = offsets[layer, action]
    return ((layers[layer, action] - layer) * rows + down) * cols + right

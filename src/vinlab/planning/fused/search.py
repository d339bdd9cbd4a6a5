"""Compiled search from the goals for the cost to go of every cell, and the gradient back through its result.

Dijkstra's algorithm with a radix queue: keys never fall below the last one taken, so a waiting cell lies in the
bucket of the highest bit in which its key differs from that one. When the lowest bucket is empty, the next one is
spread over those below it; a cell moves down only. Cells of one key are settled in any order, so keys are costs in
units of just less than the cheapest move, or, on maps with too many units, the bits of the cost itself. On
512 x 512 learned costs this takes a third of the time of a heap with four children a node, and unlike a ring of
buckets it needs no more time where costs differ by orders of magnitude. Importing this file imports numba.
"""

from typing import no_type_check

import numpy as np
from llvmlite import ir
from numba import types

from vinlab.planning.compiled import compiled, compiled_part, intrinsic
from vinlab.planning.costs import NO_MOVE, UNREACHABLE

BUCKETS = 65
"""For the highest of 64 bits that differs, and for no difference."""

OUTSIDE, SETTLED = 254, 255
"""Where a cell is that has not been found yet, and one whose cost is final."""

MOST_UNITS = 2.0**62
"""The largest key. Beyond 2**42 rounding may put a cell into the unit of one that it is reached from; as a cell that is
settled stays so, its cost is then too high by less than 1e-12 of it."""


@no_type_check
@intrinsic
def _bit_length(typing_context, number):
    """The position of the highest bit that is set, counted from 1; 0 for zero."""

    def generate(context, builder, signature, arguments):
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))
        return builder.sub(ir.Constant(ir.IntType(64), 64), zeros)

    return types.int64(types.int64), generate


@no_type_check
@intrinsic
def _bits(typing_context, number):
    """The bits of a number, which for positive ones grow with it."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@compiled
def search_maps(first, last, costs, allowed, terminals, offsets, distances, moves, order, counts):
    """The cost to go of every cell, its greedy move and the order of search, for problems ``first`` to ``last``.

    ``costs [B A H W]``, ``allowed`` the same or empty, ``terminals [B H W]``; the results have a row of cells for
    each problem, and ``counts`` says how many cells were found. Of moves that are equally good the first is taken.
    """
    actions, rows, cols = costs.shape[1:]
    jumps = offsets[:, 0] * cols + offsets[:, 1]
    incoming = np.empty(rows * cols * actions, costs.dtype)
    after, before = np.empty(rows * cols, np.int32), np.empty(rows * cols, np.int32)
    where = np.empty(rows * cols, np.uint8)
    for problem in range(first, last):
        mask = allowed[problem] if len(allowed) > 0 else allowed[:0].reshape(0, rows, cols)
        least, most = _gather_incoming(costs[problem], mask, offsets, incoming)
        distance, move = distances[problem], moves[problem]
        distance[:] = np.inf
        move[:] = NO_MOVE
        where[:] = OUTSIDE
        scale = 1.0 / (0.999 * least) if rows * cols * most < MOST_UNITS * least else 0.0
        queue = (order[problem], after, before, where)
        counts[problem] = _search(incoming, jumps, terminals[problem].ravel(), scale, distance, move, *queue)


@compiled_part
def _gather_incoming(costs, allowed, offsets, incoming):
    """For every cell the costs of the moves that lead into it, infinite for impossible ones; the least and most."""
    actions, rows, cols = costs.shape
    least, most = np.inf, 0.0
    incoming[:] = np.inf
    for row in range(rows):
        for move in range(actions):
            down, right = offsets[move, 0], offsets[move, 1]
            source = row - down
            if source < 0 or source >= rows:
                continue
            place = row * cols * actions + move
            for col in range(max(0, right), min(cols, cols + right)):
                if len(allowed) == 0 or allowed[move, source, col - right]:
                    cost = costs[move, source, col - right]
                    incoming[place + col * actions] = cost
                    least, most = min(least, cost), max(most, cost)
    return least, most


@compiled_part
def _search(incoming, jumps, terminals, scale, distance, moves, order, after, before, where):
    """Settle all cells that have a path, the nearest first; their number."""
    heads = np.full(BUCKETS, -1, np.int32)
    actions, found, lowest = len(jumps), 0, 0
    _put_terminals(terminals, distance, heads, after, before, where)
    while True:
        if heads[0] < 0:
            bucket = _first_filled(heads)
            if bucket == BUCKETS:
                return found
            lowest = _spread(bucket, distance, scale, heads, after, before, where)
        cell = heads[0]
        heads[0] = after[cell]
        if heads[0] >= 0:
            before[heads[0]] = -1
        where[cell] = SETTLED
        order[found] = cell
        found += 1
        here = distance[cell]
        for move in range(actions):
            cost = incoming[cell * actions + move]
            if cost == np.inf:
                continue
            source, through = cell - jumps[move], here + cost
            if through < distance[source]:
                bucket, old = _bit_length(_key(through, scale) ^ lowest), where[source]
                if old == SETTLED:
                    continue
                distance[source] = through
                moves[source] = move
                if bucket == old:
                    continue
                if old != OUTSIDE:
                    next_cell, last_cell = after[source], before[source]
                    if last_cell >= 0:
                        after[last_cell] = next_cell
                    else:
                        heads[old] = next_cell
                    if next_cell >= 0:
                        before[next_cell] = last_cell
                # As in _spread: a function for it would cost a third of the time, as numba counts references to arrays.
                head = heads[bucket]
                after[source], before[source], where[source], heads[bucket] = head, -1, bucket, source
                if head >= 0:
                    before[head] = source
            elif through == distance[source] and move < moves[source] and where[source] != SETTLED:
                moves[source] = move


@compiled_part
def _put_terminals(terminals, distance, heads, after, before, where):
    """The terminal cells are found first, at no cost."""
    for cell in range(len(terminals)):
        if terminals[cell]:
            head = heads[0]
            after[cell], before[cell], where[cell], heads[0] = head, -1, 0, cell
            if head >= 0:
                before[head] = cell
            distance[cell] = 0.0


@compiled_part
def _spread(bucket, distance, scale, heads, after, before, where):
    """Put the cells of a bucket into those below it; the lowest key among them."""
    first = heads[bucket]
    heads[bucket] = -1
    nearest, cell = distance[first], after[first]
    while cell >= 0:
        nearest = min(nearest, distance[cell])
        cell = after[cell]
    lowest = _key(nearest, scale)
    cell = first
    while cell >= 0:
        following = after[cell]
        target = _bit_length(_key(distance[cell], scale) ^ lowest)
        head = heads[target]
        after[cell], before[cell], where[cell], heads[target] = head, -1, target, cell
        if head >= 0:
            before[head] = cell
        cell = following
    return lowest


@compiled_part
def _first_filled(heads):
    bucket = 1
    while bucket < BUCKETS and heads[bucket] < 0:
        bucket += 1
    return bucket


@compiled_part
def _key(distance, scale):
    """A whole number that grows with the distance."""
    return np.int64(distance * scale) if scale > 0.0 else _bits(distance)


@compiled
def read_maps(first, last, costs, allowed, offsets, distances, q, value):
    """Fill q ``[B A H W]`` and value ``[B 1 H W]`` from the cost to go of every cell."""
    actions, rows, cols = costs.shape[1:]
    for problem in range(first, last):
        distance = distances[problem].reshape(rows, cols)
        for row in range(rows):
            for col in range(cols):
                worth = -distance[row, col]
                value[problem, 0, row, col] = worth if worth > -np.inf else UNREACHABLE
        for move in range(actions):
            down, right = offsets[move, 0], offsets[move, 1]
            for row in range(rows):
                q[problem, move, row] = UNREACHABLE
                if row + down < 0 or row + down >= rows:
                    continue
                for col in range(max(0, -right), min(cols, cols - right)):
                    onwards = distance[row + down, col + right]
                    if onwards < np.inf and (len(allowed) == 0 or allowed[problem, move, row, col]):
                        q[problem, move, row, col] = -(costs[problem, move, row, col] + onwards)


@compiled
def send_back_maps(first, last, q_gradient, value_gradient, q, moves, order, counts, offsets, gradient):
    """The gradient of the costs: from the farthest cell to the goals, along the greedy moves.

    The value of a cell hands its gradient to the cost of its greedy move and to the value of the cell it leads to;
    q of a move does the same for that move. What ends at the terminal cells, whose value is given, is dropped.
    """
    actions, rows, cols = q.shape[1:]
    jumps = offsets[:, 0] * cols + offsets[:, 1]
    flowing = np.empty(rows * cols, np.float64)
    for problem in range(first, last):
        flowing[:] = value_gradient[problem].ravel()
        for move in range(actions):
            for row in range(rows):
                place = row * cols + jumps[move]
                for col in range(cols):
                    possible = q[problem, move, row, col] > UNREACHABLE / 2
                    arriving = q_gradient[problem, move, row, col] if possible else 0.0
                    gradient[problem, move, row, col] = -arriving
                    if possible:
                        flowing[place + col] += arriving
        by_cell = gradient[problem].reshape(actions, rows * cols)
        for place in range(counts[problem] - 1, -1, -1):
            cell = order[problem, place]
            move = moves[problem, cell]
            if move != NO_MOVE:
                by_cell[move, cell] -= flowing[cell]
                flowing[cell + jumps[move]] += flowing[cell]

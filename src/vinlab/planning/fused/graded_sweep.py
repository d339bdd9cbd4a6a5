"""Compiled correction of the cost to go of a graded grid where it changes nearly everywhere.

Cells that change here and there change the cost to go of nearly all others, but hardly the order of the cells by it. So
the cells are sorted by their old cost to go and each is computed anew from those before it, without a queue. Where the
old order misled, a cell serves one before it better: that one is lowered at once, and what follows from it, before the
cells behind it are computed. Cells that are left without a path go to the search. Costs are added up as in a
search from scratch, so the results are equal to the last bit.
"""

from typing import no_type_check

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from vinlab.planning.compiled import compiled
from vinlab.planning.fused.graded import edge_of, search_grid, settle
from vinlab.planning.fused.graded_repair import _put

MOST_LOWERED = 4
"""Once one in so many cells was lowered, the old order is no guide, and a search from scratch takes over."""

MOST_UNIT = 1e300
"""So that zero times it is zero."""

ROUNDING = 1 - 1e-9
"""A difference of costs is compared with this margin, and then the costs themselves, whose sums are what counts."""


@compiled
@no_type_check
def sweep_grid(cells, moves, table, cutting, goals, scale, changed, distance, queue, counts, room):
    """Correct the cost to go of every cell by a sweep in the old order; False where a search took over.

    ``changed`` are the cells whose costs changed and those that have lost or won a path since. ``counts`` is room for
    sorting, ``room`` for all cells twice. Moves must have no costs of their own.
    """
    order, stack = room[: len(distance)], room[len(distance) :]
    for cell in changed:
        if (distance[cell] == np.inf) != (cells[cell] == np.inf):
            distance[cell] = _through_neighbours(cells, moves, table, cutting, distance, cell)
    count = _sort(distance, counts, order)
    for goal in range(len(goals)):
        if goals[goal] and cells[goal] < np.inf:
            distance[goal] = 0.0
    left = _sweep(cells, moves, table, cutting, distance, order[:count], stack)
    if left < 0:
        search_grid(cells, moves, table, cutting, goals, scale, distance, queue)
        return False
    for cell in order[:left]:
        _let_wait(cells, moves, table, cutting, distance, queue, cell)
    jumps = table.jumps
    for cell in changed:
        for move in range(-1, 8):
            near = cell + jumps[move] if move >= 0 else cell
            if distance[near] == np.inf and cells[near] < np.inf:
                _let_wait(cells, moves, table, cutting, distance, queue, near)
    settle(cells, moves, table, cutting, scale, distance, queue)
    return True


@njit(nogil=True, inline="always")
@no_type_check
def _through_neighbours(cells, moves, table, cutting, distance, cell):
    """The cost to go of a cell by those around it."""
    best = np.inf
    if cells[cell] < np.inf:
        for move in range(8):
            edge = edge_of(cells, moves, table, cutting, cell, move)
            best = min(best, edge + distance[cell + table.jumps[move]])
    return best


@njit(nogil=True)
@no_type_check
def _let_wait(cells, moves, table, cutting, distance, queue, cell):
    """Let a free cell without a path wait for the search if a neighbour has one."""
    if distance[cell] == np.inf and cells[cell] < np.inf:
        distance[cell] = _through_neighbours(cells, moves, table, cutting, distance, cell)
        if distance[cell] < np.inf:
            heads, after, before, where = queue
            _put(cell, heads, after, before, where)


@njit(nogil=True)
@no_type_check
def _sort(distance, counts, order):
    """Write the cells with a path, the nearest first, and forget their costs to go; their number."""
    last, farthest = len(counts) - 2, 0.0
    for cell in range(len(distance)):
        farthest = max(farthest, distance[cell] if distance[cell] < np.inf else 0.0)
    unit = min((last - 1) / farthest, MOST_UNIT) if farthest > 0 else 1.0
    counts[:] = 0
    for cell in range(len(distance)):
        counts[int(min(distance[cell] * unit, last)) + 1] += 1
    for place in range(1, last + 1):
        counts[place] += counts[place - 1]
    total = counts[last]
    for cell in range(len(distance)):
        place = int(min(distance[cell] * unit, last))
        distance[cell], order[counts[place]] = np.inf, cell
        counts[place] += 1
    return total


@njit(nogil=True, fastmath={"nnan"})
@no_type_check
def _sweep(cells, moves, table, cutting, distance, order, stack):
    """Compute every cell from those before it. Those without any are written to the front of ``order``: their number.

    It is negative where the order misled too often.
    """
    # All neighbours are read and compared without a branch: those could not be foreseen and took most of the time.
    width, half, slant, most = table.down[1], table.half[0], table.half[4], len(distance) // MOST_LOWERED
    lowered, left = 0, 0
    for cell in order:
        up, low, cost = cell - width, cell + width, cells[cell]
        d4, d0, d5 = distance[up - 1], distance[up], distance[up + 1]
        d2, here, d3 = distance[cell - 1], distance[cell], distance[cell + 1]
        d6, d1, d7 = distance[low - 1], distance[low], distance[low + 1]
        c0, c1, c2, c3 = cells[up], cells[low], cells[cell - 1], cells[cell + 1]
        e0, e1, e2, e3 = half * (cost + c0), half * (cost + c1), half * (cost + c2), half * (cost + c3)
        e4, e5 = slant * (cost + cells[up - 1]), slant * (cost + cells[up + 1])
        e6, e7 = slant * (cost + cells[low - 1]), slant * (cost + cells[low + 1])
        if not cutting:
            e4 = np.inf if max(c0, c2) == np.inf else e4
            e5 = np.inf if max(c0, c3) == np.inf else e5
            e6 = np.inf if max(c1, c2) == np.inf else e6
            e7 = np.inf if max(c1, c3) == np.inf else e7
        straight = min(min(e0 + d0, e1 + d1), min(e2 + d2, e3 + d3))
        best = min(min(straight, min(min(e4 + d4, e5 + d5), min(e6 + d6, e7 + d7))), here)
        distance[cell] = best
        worst = max(max(_past(d0, e0), _past(d1, e1)), max(_past(d2, e2), _past(d3, e3)))
        worst = max(worst, max(max(_past(d4, e4), _past(d5, e5)), max(_past(d6, e6), _past(d7, e7))))
        if (best + best) * ROUNDING < worst:
            lowered += _lower(cells, moves, table, cutting, distance, cell, stack, most - lowered)
            if lowered >= most:
                return -1
        if best == np.inf:
            order[left] = cell
            left += 1
    return left


@no_type_check
@intrinsic
def _double(typing_context, number):
    """Twice a number, but zero for infinity: one is added to the exponent, whose overflow leaves a negative zero."""

    def generate(context, builder, signature, arguments):
        bits = builder.bitcast(arguments[0], ir.IntType(64))
        return builder.bitcast(builder.add(bits, ir.Constant(ir.IntType(64), 1 << 52)), ir.DoubleType())

    return types.float64(types.float64), generate


@njit(nogil=True, inline="always")
@no_type_check
def _past(known, edge):
    """Twice the cost to go below which a cell would serve a neighbour better; below zero before that is computed."""
    return _double(known) - (edge + edge)


@njit(nogil=True)
@no_type_check
def _lower(cells, moves, table, cutting, distance, first, stack, most):
    """Lower the cells before one that it serves better, and those that follow from them; how many, or ``most``."""
    stack[0], top, count = first, 1, 0
    while top > 0 and count < most:
        top -= 1
        cell = stack[top]
        for move in range(8):
            near = cell + table.jumps[move]
            through = edge_of(cells, moves, table, cutting, cell, move) + distance[cell]
            if through < distance[near] < np.inf:
                distance[near], stack[top] = through, near
                top, count = top + 1, count + 1
    return count

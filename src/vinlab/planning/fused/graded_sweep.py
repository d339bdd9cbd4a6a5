"""Compiled correction of the cost to go of a graded grid where it changes nearly everywhere.

Cells that change here and there change the cost to go of nearly all others, but hardly the order of the cells by it. So
the cells are sorted by their old cost to go and each is computed anew from those before it, without a queue. Where the
old order misled, a cell serves one before it better: that one is lowered at once, and what follows from it, before the
cells behind it are computed. Cells that are left without a path go to the search. Costs are added up as in a
search from scratch, so the results are equal to the last bit.
"""

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.fused.around import around_corners, around_cutting
from vinlab.planning.fused.graded import search_grid, settle
from vinlab.planning.fused.graded_repair import _put

MOST_LOWERED = 4
"""Once one in so many cells was lowered, the old order is no guide, and a search from scratch takes over."""

MOST_UNIT = 1e300
"""So that zero times it is zero."""


@compiled
def sweep_grid(cells, moves, table, cutting, goals, scale, changed, distance, queue, counts, room):
    """Correct the cost to go of every cell by a sweep in the old order; False where a search took over.

    ``changed`` are the cells whose costs changed and those that have lost or won a path since. ``counts`` is room for
    sorting, ``room`` for all cells twice. Moves must have no costs of their own.
    """
    # Fields of a tuple would cost most of the time: numba counts references to arrays.
    heads, after, before, where = queue
    jumps, down, right, half = table.jumps, table.down, table.right, table.half
    order, stack = room[: len(distance)], room[len(distance) :]
    for cell in changed:
        if cells[cell] == np.inf:
            distance[cell] = np.inf
        elif distance[cell] == np.inf:
            distance[cell], _ = _around(distance, cells, cell, down[1], half[0], half[4], cutting)
    count = _sort(distance, counts, order)
    for goal in range(len(goals)):
        if goals[goal] and cells[goal] < np.inf:
            distance[goal] = 0.0
    left = _sweep(cells, jumps, down, right, half, cutting, distance, order[:count], stack)
    if left < 0:
        search_grid(cells, moves, table, cutting, goals, scale, distance, queue)
        return False
    for number in range(left + len(changed)):
        cell = np.int64(order[number]) if number < left else changed[number - left]
        # Of a changed cell those around it too, which it may have let through; of another one itself alone.
        for move in range(-1, 8 if number >= left else 0):
            near = cell + jumps[move] if move >= 0 else cell
            if distance[near] == np.inf and cells[near] < np.inf:
                distance[near], _ = _around(distance, cells, near, down[1], half[0], half[4], cutting)
                if distance[near] < np.inf:
                    _put(near, heads, after, before, where)
    settle(cells, moves, table, cutting, scale, distance, queue)
    return True


@compiled_part(inline="always")
def _around(distance, cells, cell, width, half, slant, cutting):
    """The cost to go of a cell by those around it, and whether it serves one of them better."""
    if cutting:
        return around_cutting(distance, cells, cell, width, half, slant)
    return around_corners(distance, cells, cell, width, half, slant)


@compiled_part
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


@compiled_part
def _sweep(cells, jumps, down, right, half, cutting, distance, order, stack):
    """Compute every cell from those before it. Those without any are written to the front of ``order``: their number.

    It is negative where the order misled too often.
    """
    lowered, left, most = 0, 0, len(distance) // MOST_LOWERED
    for place in range(len(order)):
        cell = np.int64(order[place])
        best, serves = _around(distance, cells, cell, down[1], half[0], half[4], cutting)
        distance[cell] = best
        if serves:
            arguments = (cells, jumps, down, right, half, cutting, distance, cell, stack)
            lowered += _lower(*arguments, most - lowered)
            if lowered >= most:
                return -1
        if best == np.inf:
            order[left] = cell
            left += 1
    return left


@compiled_part
def _lower(cells, jumps, down, right, half, cutting, distance, first, stack, most):
    """Lower the cells before one that it serves better, and those that follow from them; how many, or ``most``."""
    stack[0], top, count = first, 1, 0
    while top > 0 and count < most:
        top -= 1
        cell = stack[top]
        here, cost = distance[cell], cells[cell]
        for move in range(8):
            near = cell + jumps[move]
            known, through = distance[near], half[move] * (cost + cells[near]) + here
            if not through < known < np.inf:
                continue
            if (
                not cutting
                and move >= 4
                and max(cells[cell + down[move]], cells[cell + right[move]]) == np.inf
            ):
                continue
            distance[near], stack[top] = through, near
            top, count = top + 1, count + 1
    return count

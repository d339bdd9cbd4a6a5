"""Compiled search on graded grids.

Cells are counted row by row on a grid with a border of one blocked cell, so that no move leaves it. A blocked cell
costs infinity, and so does every move into or out of it. The search is that of Dijkstra, from the goals, with the
radix queue of ``search.py``. Importing this file imports numba; ``planning/graded.py`` checks what it is given.
"""

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.fused.search import BUCKETS, OUTSIDE, _bit_length, _first_filled, _key, _spread

BACK = np.array([1, 0, 3, 2, 7, 6, 5, 4], dtype=np.int64)
"""The move that leads back, for each move."""


@compiled_part
def edge_of(cells, moves, table, cutting, here, move):
    """The cost of a move: its own where moves have costs, or its length times the mean of its two cells."""
    if len(moves) > 0:
        return moves[here * 8 + move]
    if (
        not cutting
        and move >= 4
        and max(cells[here + table.down[move]], cells[here + table.right[move]]) == np.inf
    ):
        return np.inf
    return table.half[move] * (cells[here] + cells[here + table.jumps[move]])


@compiled
def search_grid(cells, moves, table, cutting, goals, scale, distance, queue):
    """Fill the cost to go of every cell, from the goals; ``goals`` marks them."""
    heads, after, before, where = queue
    heads[:], where[:], distance[:] = -1, OUTSIDE, np.inf
    for goal in range(len(goals)):
        if goals[goal] and cells[goal] < np.inf:
            distance[goal], head = 0.0, heads[0]
            after[goal], before[goal], where[goal], heads[0] = head, -1, 0, goal
            if head >= 0:
                before[head] = goal
    settle(cells, moves, table, cutting, scale, distance, queue)


@compiled_part
def settle(cells, moves, table, cutting, scale, distance, queue):
    """Take the waiting cells, the nearest first, and lower the cost to go of those that lead to them."""
    heads, after, before, where = queue
    # Numba counts references to arrays, so a field of a tuple or a call in the inner loop would cost most of the time.
    jumps, down, right, half = table.jumps, table.down, table.right, table.half
    lowest, directed = 0, len(moves) > 0
    while True:
        if heads[0] < 0:
            bucket = _first_filled(heads)
            if bucket == BUCKETS:
                return
            lowest = _spread(bucket, distance, scale, heads, after, before, where)
        cell = heads[0]
        heads[0] = after[cell]
        if heads[0] >= 0:
            before[heads[0]] = -1
        where[cell] = OUTSIDE
        here, cost = distance[cell], cells[cell]
        for move in range(8):
            source = cell + jumps[move]
            known = distance[source]
            if known <= here:
                continue
            if directed:
                through = here + moves[source * 8 + BACK[move]]
            else:
                through = here + half[move] * (cost + cells[source])
                if (
                    not cutting
                    and move >= 4
                    and max(cells[cell + down[move]], cells[cell + right[move]]) == np.inf
                ):
                    continue
            if through < known:
                distance[source], old = through, where[source]
                bucket = _bit_length(max(_key(through, scale), lowest) ^ lowest)
                if bucket == old:
                    continue
                if old != OUTSIDE:
                    following, last = after[source], before[source]
                    if last >= 0:
                        after[last] = following
                    else:
                        heads[old] = following
                    if following >= 0:
                        before[following] = last
                head = heads[bucket]
                after[source], before[source], where[source], heads[bucket] = head, -1, bucket, source
                if head >= 0:
                    before[head] = source

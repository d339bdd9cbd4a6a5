"""Compiled repair of the cost to go of a graded grid after some cells have changed.

First the cells whose cost to go may have changed are computed anew in the order of their old costs to go, each from
neighbours that are final in that order: a cell whose cost rose hands this on to the cells that were reached through it,
one whose cost fell to those that it now serves better. All costs to go are then those of real paths, and only where the
old order misled can a cheaper one be left: these cells are put into the queue of the search, which lowers what follows
from them. Costs are added up as in a search from scratch, so the results are equal to the last bit.
"""

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.fused.graded import BACK, edge_of, search_grid, settle
from vinlab.planning.fused.search import BUCKETS, OUTSIDE

CLEAN, WAITING, DONE = 0, 1, 2
"""A cell whose cost to go is that of before; one that waits to be computed anew; one that has been."""

FEW, MOST_DOUBT = 8, 3
"""Once more than one in eight cells were computed anew, a repair is given up: a sweep over all cells takes a fifth of
the time for each. Where moves have costs of their own, it is given up for a search from scratch if for more than one in
three of the cells the old order misled."""


@compiled
def repair_grid(cells, moves, table, cutting, goals, scale, unit, changed, distance, queue, order, touched):
    """Correct the cost to go of every cell after the costs of ``changed`` cells; how many were computed anew.

    Where these are too many it stops: minus their number. A sweep has to go on then; ``touched`` begins with them.
    """
    heads, after, before, where = queue
    state, first, link = order
    # Fields of a tuple and calls that are not inlined would cost most of the time: numba counts references to arrays.
    jumps, down, right, half = table.jumps, table.down, table.right, table.half
    last, edges, count, doubtful, limit = len(first) - 1, np.empty(8), 0, 0, len(distance) // FEW
    for bucket in range(_mark(changed, cells, jumps, distance, unit, state, first, link), last + 1):
        while first[bucket] >= 0:
            cell = first[bucket]
            first[bucket] = link[cell]
            old = distance[cell]
            _fill_edges(cell, cells, moves, jumps, down, right, half, cutting, edges)
            lowest = 0.0 if goals[cell] and cells[cell] < np.inf else np.inf
            best, final = lowest, lowest
            for move in range(8):
                near = cell + jumps[move]
                through = edges[move] + distance[near]
                best = min(best, through)
                if through < final and (
                    state[near] == DONE or (state[near] == CLEAN and distance[near] * unit < bucket)
                ):
                    final = through
            if best < final:
                touched[len(touched) - 1 - doubtful] = cell
                doubtful += 1
            distance[cell], state[cell] = final, DONE
            touched[count] = cell
            count += 1
            if count > limit and (len(moves) == 0 or doubtful * MOST_DOUBT > count):
                state[:], first[:] = CLEAN, -1
                if len(moves) > 0:
                    search_grid(cells, moves, table, cutting, goals, scale, distance, queue)
                    return len(distance)
                heads[:], where[:] = -1, OUTSIDE
                return -count
            if final == old:
                continue
            for move in range(8):
                near = cell + jumps[move]
                known = distance[near]
                edge = moves[near * 8 + BACK[move]] if len(moves) > 0 else edges[move]
                # One that rose concerns the cells that were reached through it, one that fell those it serves better.
                if (final + edge >= known) if final < old else (old + edge != known or known == np.inf):
                    continue
                if state[near] == DONE or (state[near] == CLEAN and known * unit < bucket):
                    if final < old:
                        distance[near] = final + edge
                        _put(near, heads, after, before, where)
                elif state[near] == CLEAN:
                    state[near], place = WAITING, int(min(known * unit, last))
                    link[near], first[place] = first[place], near
    _reconsider(touched[len(touched) - doubtful :], cells, moves, table, cutting, distance, queue, edges)
    for place in range(count):
        state[touched[place]] = CLEAN
    settle(cells, moves, table, cutting, scale, distance, queue)
    return count


@compiled_part(inline="always")
def _fill_edges(cell, cells, moves, jumps, down, right, half, cutting, edges):
    """The costs of the moves of a cell."""
    cost = cells[cell]
    for move in range(8):
        if len(moves) > 0:
            edges[move] = moves[cell * 8 + move]
        else:
            edges[move] = half[move] * (cost + cells[cell + jumps[move]])
            beside = 0.0 if cutting or move < 4 else max(cells[cell + down[move]], cells[cell + right[move]])
            if beside == np.inf:
                edges[move] = np.inf


@compiled_part
def _reconsider(doubtful, cells, moves, table, cutting, distance, queue, edges):
    """Lower the cost to go of the cells that a neighbour, which was not final then, serves better."""
    heads, after, before, where = queue
    jumps, down, right, half = table.jumps, table.down, table.right, table.half
    for cell in doubtful:
        _fill_edges(cell, cells, moves, jumps, down, right, half, cutting, edges)
        best = distance[cell]
        for move in range(8):
            best = min(best, edges[move] + distance[cell + jumps[move]])
        if best < distance[cell]:
            distance[cell] = best
            _put(cell, heads, after, before, where)


@compiled_part
def _mark(changed, cells, jumps, distance, unit, state, first, link):
    """Let the changed cells and those around them wait; the lowest bucket with any."""
    last = len(first) - 1
    lowest = last
    for cell in changed:
        for move in range(-1, 8):
            near = cell + jumps[move] if move >= 0 else cell
            if state[near] == CLEAN and (cells[near] < np.inf or distance[near] < np.inf):
                state[near] = WAITING
                bucket = int(min(distance[near] * unit, last))
                link[near], first[bucket] = first[bucket], near
                lowest = min(lowest, bucket)
    return lowest


@compiled_part(inline="always")
def _put(cell, heads, after, before, where):
    """Let a cell wait in the last bucket of the search's queue, from which it is taken to its place."""
    if where[cell] == OUTSIDE:
        head = heads[BUCKETS - 1]
        after[cell], before[cell], where[cell], heads[BUCKETS - 1] = head, -1, BUCKETS - 1, cell
        if head >= 0:
            before[head] = cell


@compiled
def follow(cells, moves, table, cutting, distance, start, path):
    """Write the cells of the cheapest path from a cell; of equally cheap moves the first is made. Their number."""
    count, here = 1, start
    path[0] = start
    while 0.0 < distance[here] < np.inf:
        best, choice = np.inf, -1
        for move in range(8):
            there = here + table.jumps[move]
            through = edge_of(cells, moves, table, cutting, here, move) + distance[there]
            if through < best:
                best, choice = through, there
        here = choice
        path[count] = here
        count += 1
    return count

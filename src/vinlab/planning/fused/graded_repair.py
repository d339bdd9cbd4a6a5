"""Compiled repair of the cost to go of a graded grid after some cells have changed.

First the cells whose cost to go may have changed are computed anew in the order of their old costs to go, each from
neighbours that are final in that order: a cell whose cost rose hands this on to the cells that were reached through it,
one whose cost fell to those that it now serves better. All costs to go are then those of real paths, and only where the
old order misled can a cheaper one be left: these cells are put into the queue of the search, which lowers what follows
from them. Costs are added up as in a search from scratch, so the results are equal to the last bit.
"""

from typing import no_type_check

import numpy as np
from numba import njit

from vinlab.planning.compiled import compiled
from vinlab.planning.fused.graded import BACK, edge_of, search_grid, settle
from vinlab.planning.fused.search import BUCKETS, OUTSIDE

CLEAN, WAITING, DONE = 0, 1, 2
"""A cell whose cost to go is that of before; one that waits to be computed anew; one that has been."""


@compiled
@no_type_check
def repair_grid(cells, moves, table, cutting, goals, scale, unit, changed, distance, queue, order, touched):
    """Correct the cost to go of every cell after the costs of ``changed`` cells; how many were computed anew.

    Where these become more than a share of all cells, a search from scratch is faster and takes over.
    """
    heads, after, before, where = queue
    state, first, link = order
    jumps, down, right, half = table.jumps, table.down, table.right, table.half
    directed, last, edges, count, doubtful = len(moves) > 0, len(first) - 1, np.empty(8), 0, 0
    limit = len(touched) // 2 - 1
    for bucket in range(_mark(changed, cells, jumps, distance, unit, state, first, link), last + 1):
        while first[bucket] >= 0:
            cell = first[bucket]
            first[bucket] = link[cell]
            cost, old = cells[cell], distance[cell]
            best, choice = 0.0 if goals[cell] and cost < np.inf else np.inf, -1
            for move in range(8):
                near = cell + jumps[move]
                if directed:
                    edge = moves[cell * 8 + move]
                else:
                    edge = half[move] * (cost + cells[near])
                    if (
                        not cutting
                        and move >= 4
                        and max(cells[cell + down[move]], cells[cell + right[move]]) == np.inf
                    ):
                        edge = np.inf
                edges[move] = edge
                if edge + distance[near] < best:
                    best, choice = edge + distance[near], near
            if choice >= 0 and not _is_final(distance[choice], state[choice], unit, bucket):
                best = _best_final(cell, goals, cost, edges, jumps, distance, state, unit, bucket)
                touched[len(touched) - 1 - doubtful] = cell
                doubtful += 1
            distance[cell], state[cell] = best, DONE
            touched[count] = cell
            count += 1
            if count > limit:
                state[:], first[:] = CLEAN, -1
                search_grid(cells, moves, table, cutting, goals, scale, distance, queue)
                return len(distance)
            for move in range(8):
                near = cell + jumps[move]
                known = distance[near]
                edge = moves[near * 8 + BACK[move]] if directed else edges[move]
                better = best + edge < known
                if not better and (old + edge != known or known == np.inf or best == old):
                    continue
                if _is_final(known, state[near], unit, bucket):
                    if better:
                        distance[near] = best + edge
                        if where[near] == OUTSIDE:
                            _put(near, heads, after, before, where)
                elif state[near] == CLEAN:
                    state[near] = WAITING
                    place = int(min(known * unit, last))
                    link[near], first[place] = first[place], near
    _finish(cells, moves, table, cutting, scale, distance, queue, state, touched, count, doubtful)
    return count


@njit(nogil=True)
@no_type_check
def _finish(cells, moves, table, cutting, scale, distance, queue, state, touched, count, doubtful):
    """Look again at the cells whose best neighbour was not final, and lower all that follows."""
    for place in range(len(touched) - doubtful, len(touched)):
        _reconsider(touched[place], cells, moves, table, cutting, distance, queue)
    for place in range(count):
        state[touched[place]] = CLEAN
    settle(cells, moves, table, cutting, scale, distance, queue)


@njit(nogil=True)
@no_type_check
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


@njit(nogil=True, inline="always")
@no_type_check
def _is_final(cost, state, unit, bucket):
    """Whether no cell of this bucket or a later one can raise the cost to go of a cell any more."""
    return state == DONE or (state == CLEAN and cost * unit < bucket)


@njit(nogil=True)
@no_type_check
def _best_final(cell, goals, cost, edges, jumps, distance, state, unit, bucket):
    """The cost to go of a cell through those that are final."""
    best = 0.0 if goals[cell] and cost < np.inf else np.inf
    for move in range(8):
        near = cell + jumps[move]
        through = edges[move] + distance[near]
        if through < best and _is_final(distance[near], state[near], unit, bucket):
            best = through
    return best


@njit(nogil=True)
@no_type_check
def _put(cell, heads, after, before, where):
    """Let a cell wait in the last bucket of the search's queue, from which it is taken to its place."""
    head = heads[BUCKETS - 1]
    after[cell], before[cell], where[cell], heads[BUCKETS - 1] = head, -1, BUCKETS - 1, cell
    if head >= 0:
        before[head] = cell


@njit(nogil=True)
@no_type_check
def _reconsider(cell, cells, moves, table, cutting, distance, queue):
    """Lower the cost to go of a cell, if a neighbour that was not final then serves it better."""
    heads, after, before, where = queue
    best = distance[cell]
    for move in range(8):
        best = min(
            best, edge_of(cells, moves, table, cutting, cell, move) + distance[cell + table.jumps[move]]
        )
    if best < distance[cell]:
        distance[cell] = best
        if where[cell] == OUTSIDE:
            _put(cell, heads, after, before, where)


@compiled
@no_type_check
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

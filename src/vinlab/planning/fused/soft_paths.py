"""Compiled sums over all paths to a goal, each with the weight exp(-cost). Importing this file imports numba.

Weights are kept relative to the cheapest path from each cell, ``z(s) = sum of exp(-(cost - V(s)))``, so that nothing
underflows however far the goal is. Cells are swept in the order of V: one sweep counts all paths that never move away
from the goal, and each further one those that turn back once more.
"""

import numpy as np

from vinlab.planning.compiled import compiled, compiled_part
from vinlab.planning.costs import UNREACHABLE

MOST_SWEEPS = 200
TOLERANCE = 1e-7


@compiled
def sum_paths(first, last, q, value, terminals, starts, offsets, log_sums, visits):
    """For problems ``first`` to ``last``: log z of the start, and how often paths from it make each move.

    ``q [B A N]``, ``value [B N]``, ``terminals [B N]``, ``starts [B]``, ``offsets [A]`` of cells counted row by row;
    ``visits [B A N]`` is the expected number of times that a path, drawn by its weight, makes the move in the cell.
    """
    cells = value.shape[1]
    sums, pending = np.empty(cells), np.empty(cells)
    for problem in range(first, last):
        order = np.argsort(-value[problem])
        weights = visits[problem]
        _weights(q[problem], value[problem], terminals[problem], weights)
        _sum(weights, terminals[problem], order, offsets, sums)
        start = starts[problem]
        log_sums[problem] = np.log(sums[start])
        _visit(weights, terminals[problem], order, offsets, sums, start, pending)


@compiled_part
def _weights(q, value, terminals, weights):
    """exp(q - V) of each move; zero for impossible moves and in terminal cells."""
    actions, cells = q.shape
    for move in range(actions):
        for cell in range(cells):
            possible = q[move, cell] > UNREACHABLE / 2 and not terminals[cell]
            weights[move, cell] = np.exp(min(0.0, q[move, cell] - value[cell])) if possible else 0.0


@compiled_part
def _sum(weights, terminals, order, offsets, sums):
    """The sum z of every cell."""
    for cell in range(len(sums)):
        sums[cell] = 1.0 if terminals[cell] else 0.0
    for _ in range(MOST_SWEEPS):
        change = 0.0
        for place in range(len(order)):
            cell = order[place]
            if terminals[cell]:
                continue
            total = 0.0
            for move in range(len(offsets)):
                if weights[move, cell] > 0:
                    total += weights[move, cell] * sums[cell + offsets[move]]
            change = max(change, abs(total - sums[cell]) / max(total, 1e-300))
            sums[cell] = total
        if change < TOLERANCE:
            break


@compiled_part
def _visit(weights, terminals, order, offsets, sums, start, pending):
    """Turn the weights of moves into the expected number of times that they are made."""
    pending[:] = 0.0
    visited = np.zeros(len(sums))
    pending[start] = 1.0
    for _ in range(MOST_SWEEPS):
        remaining = 0.0
        for place in range(len(order) - 1, -1, -1):
            cell = order[place]
            here = pending[cell]
            if here == 0.0 or terminals[cell]:
                continue
            pending[cell] = 0.0
            visited[cell] += here
            for move in range(len(offsets)):
                if weights[move, cell] > 0:
                    following = cell + offsets[move]
                    pending[following] += here * weights[move, cell] * sums[following] / sums[cell]
        for cell in range(len(pending)):
            if not terminals[cell]:
                remaining += pending[cell]
        if remaining < TOLERANCE:
            break
    for move in range(len(offsets)):
        for cell in range(len(sums)):
            if weights[move, cell] > 0 and visited[cell] > 0:
                share = weights[move, cell] * sums[cell + offsets[move]] / sums[cell]
                weights[move, cell] = visited[cell] * share
            else:
                weights[move, cell] = 0.0

"""The compiled parts of ``obstacles.py`` and ``mazes.py``; imported on first use, as numba is slow to load.

All random numbers come in as arrays, so the results do not depend on threads.
"""

import numpy as np

from vinlab.planning.compiled import compiled


@compiled
def paint_obstacles(maps, goals, counts, are_discs, places, sizes):
    """Draw obstacles into the maps, except those that would cover the goal; returns the count of each map."""
    accepted = np.zeros(len(maps), np.int64)
    for index in range(len(maps)):
        for attempt in range(counts[index]):
            shape = are_discs[index, attempt], sizes[index, attempt, 0], sizes[index, attempt, 1]
            row, col = places[index, attempt]
            if not _covers(shape, goals[index, 0] - row, goals[index, 1] - col):
                _paint(maps[index], shape, row, col)
                accepted[index] += 1
    return accepted


@compiled
def _covers(shape, rows_down, cols_right):
    """Whether an obstacle covers the cell this far from its place (a disc's centre, a rectangle's corner)."""
    is_disc, size, width = shape
    if is_disc:
        # Radius 0 is one cell, radius 1 a plus of 5 cells, radius 2 a square of 25 without its corners.
        return rows_down**2 + cols_right**2 <= size * (size + 0.5)
    return 0 <= rows_down < size and 0 <= cols_right < width


@compiled
def _paint(blocked, shape, row, col):
    reach = max(shape[1], shape[2])
    for y in range(max(row - reach, 0), min(row + reach + 1, blocked.shape[0])):
        for x in range(max(col - reach, 0), min(col + reach + 1, blocked.shape[1])):
            if _covers(shape, y - row, x - col):
                blocked[y, x] = 1


@compiled
def carve_mazes(maps, starts, orders, offsets):
    """Carve a perfect maze into each blocked map by depth-first search with backtracking.

    Rooms are the cells of odd row and column; ``orders`` says in which order each room tries its sides.
    """
    height, width = maps.shape[1:]
    trail = np.empty(((height // 2) * (width // 2), 2), np.int64)
    tried = np.empty((height, width), np.int64)
    for index in range(len(maps)):
        blocked = maps[index]
        tried[:] = 0
        trail[0] = starts[index]
        blocked[trail[0, 0], trail[0, 1]] = 0
        depth = 1
        while depth > 0:
            row, col = trail[depth - 1]
            if tried[row, col] == 4:
                depth -= 1
                continue
            down, right = offsets[orders[index, row // 2, col // 2, tried[row, col]]]
            tried[row, col] += 1
            to_row, to_col = row + 2 * down, col + 2 * right
            if 0 < to_row < height and 0 < to_col < width and blocked[to_row, to_col]:
                blocked[row + down, col + right] = 0
                blocked[to_row, to_col] = 0
                trail[depth] = to_row, to_col
                depth += 1

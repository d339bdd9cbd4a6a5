"""The compiled part of ``exact.py``; imported on first use, because numba is slow to load."""

import numpy as np

from vinlab.planning.compiled import compiled


@compiled
def spread_over_maps(first, last, obstacles, goals, offsets, lengths, corner_cutting, costs):
    """Fill ``costs`` with that of the cheapest path to the goal from every cell, for maps ``first`` to ``last``."""
    for index in range(first, last):
        costs[index] = np.inf
        _spread(obstacles[index], goals[index], offsets, lengths, corner_cutting, costs[index])


@compiled
def _spread(blocked, goal, offsets, lengths, corner_cutting, costs):
    """Dijkstra's algorithm from the goal, with buckets one unit wide in place of a heap.

    No move is shorter than a bucket is wide, so a bucket is settled when its turn comes, in any order;
    no move is longer than two, so a ring of three buckets holds every cell that waits.
    """
    height, width = blocked.shape
    waiting = np.empty((3, height * width), np.int32)
    counts = np.zeros(3, np.int64)
    if not blocked[goal[0], goal[1]]:
        costs[goal[0], goal[1]] = 0.0
        waiting[0, 0] = goal[0] * width + goal[1]
        counts[0] = 1
    distance = 0
    while counts[0] + counts[1] + counts[2] > 0:
        bucket = distance % 3
        for place in range(counts[bucket]):
            row, col = divmod(waiting[bucket, place], width)
            if costs[row, col] < distance:
                continue  # a shorter way was found after it was put here
            for move in range(len(offsets)):
                to_row, to_col = row + offsets[move, 0], col + offsets[move, 1]
                if not (0 <= to_row < height and 0 <= to_col < width) or blocked[to_row, to_col]:
                    continue
                if not corner_cutting and (blocked[row, to_col] or blocked[to_row, col]):
                    continue
                known, found = costs[to_row, to_col], costs[row, col] + lengths[move]
                if found < known:
                    costs[to_row, to_col] = found
                    if known == np.inf or int(found) != int(known):
                        target = int(found) % 3
                        waiting[target, counts[target]] = to_row * width + to_col
                        counts[target] += 1
        counts[bucket] = 0
        distance += 1

"""The compiled part of ``expert.py``: breadth-first search over compressed rows."""

import numpy as np

from vinlab.planning.compiled import compiled


@compiled
def search_from(offsets, targets, starts, distances):
    """Fill row i with the number of clicks from start i to every page; unreachable pages keep their entry."""
    queue = np.empty(len(offsets) - 1, np.int64)
    for row in range(len(starts)):
        known = distances[row]
        far = known[0]
        queue[0] = starts[row]
        known[starts[row]] = 0
        head, tail = 0, 1
        while head < tail:
            page = queue[head]
            head += 1
            clicks = known[page] + 1
            if clicks >= far:
                break
            for place in range(offsets[page], offsets[page + 1]):
                target = targets[place]
                if known[target] == far:
                    known[target] = clicks
                    queue[tail] = target
                    tail += 1


@compiled
def search_tree(offsets, targets, start, parents):
    """Fill in the page from which each page is found first, searching from the start; -1 where it is not found."""
    queue = np.empty(len(offsets) - 1, np.int64)
    queue[0] = start
    parents[start] = start
    head, tail = 0, 1
    while head < tail:
        page = queue[head]
        head += 1
        for place in range(offsets[page], offsets[page + 1]):
            target = targets[place]
            if parents[target] < 0:
                parents[target] = page
                queue[tail] = target
                tail += 1

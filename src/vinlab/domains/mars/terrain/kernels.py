"""Compiled loops of this folder, imported on first use: craters, cast shadows, connected free cells."""

import numpy as np

from vinlab.planning.compiled import compiled

REACH = 2.4
"""Radii to which a crater's rim and ejecta are drawn."""


@compiled
def add_craters(height, rows, cols, radii, depths, rims):
    """Add craters to the heights, in place: a bowl with a flat floor and a raised rim that fades out."""
    rows_there, cols_there = height.shape
    for index in range(len(radii)):
        radius, depth, rim = radii[index], depths[index], rims[index]
        reach = REACH * radius
        first_row, last_row = max(0, int(rows[index] - reach)), min(rows_there, int(rows[index] + reach) + 2)
        first_col, last_col = max(0, int(cols[index] - reach)), min(cols_there, int(cols[index] + reach) + 2)
        for row in range(first_row, last_row):
            for col in range(first_col, last_col):
                away = np.sqrt((row - rows[index]) ** 2 + (col - cols[index]) ** 2) / radius
                if away < 1.0:
                    inside = max(away * away, 0.12)
                    height[row, col] += np.float32((depth + rim) * (inside - 1.0) + rim)
                elif away < REACH:
                    fade = 1.0 - (away - 1.0) / (REACH - 1.0)
                    height[row, col] += np.float32(rim * away**-3.0 * fade)


@compiled
def cast_shadows(height, drift, fall):
    """Pixels in the shadow of light from the west, which moves ``drift`` rows and falls by ``fall`` per column."""
    rows, cols = height.shape
    shadow = np.zeros((rows, cols), np.bool_)
    edge = height[:, 0].copy()
    fresh = np.empty(rows, np.float32)
    below = int(np.floor(-drift))
    part = np.float32(-drift - below)
    for col in range(1, cols):
        for row in range(rows):
            first = min(max(row + below, 0), rows - 1)
            second = min(max(row + below + 1, 0), rows - 1)
            light = (1 - part) * edge[first] + part * edge[second] - fall
            here = height[row, col]
            shadow[row, col] = light > here
            fresh[row] = max(light, here)
        edge[:] = fresh
    return shadow


@compiled
def label_regions(blocked):
    """The label of the free region of each cell of each map, and the size of that region."""
    count, rows, cols = blocked.shape
    labels = np.zeros((count, rows, cols), np.int64)
    sizes = np.zeros((count, rows, cols), np.int64)
    queue = np.empty((rows * cols, 2), np.int64)
    for index in range(count):
        label = 0
        for row in range(rows):
            for col in range(cols):
                if not blocked[index, row, col] and labels[index, row, col] == 0:
                    label += 1
                    _fill(blocked[index], labels[index], sizes[index], queue, row, col, label)
    return labels, sizes


@compiled
def _fill(blocked, labels, sizes, queue, row, col, label):
    """Label all free cells that are connected with one."""
    rows, cols = blocked.shape
    queue[0, 0], queue[0, 1] = row, col
    labels[row, col] = label
    done, found = 0, 1
    while done < found:
        row, col = queue[done]
        done += 1
        for there in range(max(0, row - 1), min(rows, row + 2)):
            for aside in range(max(0, col - 1), min(cols, col + 2)):
                if not blocked[there, aside] and labels[there, aside] == 0:
                    labels[there, aside] = label
                    queue[found, 0], queue[found, 1] = there, aside
                    found += 1
    for index in range(found):
        sizes[queue[index, 0], queue[index, 1]] = found

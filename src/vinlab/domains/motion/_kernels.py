"""The compiled parts of ``mazes.py``; imported on first use, as numba is slow to load."""

import numpy as np

from vinlab.planning.compiled import compiled


@compiled
def carve_by_stack(maps, orders):
    """Carve a maze into each blocked map from (1, 1): the last side that was put on the stack is tried first."""
    height, width = maps.shape[1:]
    downs, rights = np.array([-1, 0, 0, 1]), np.array([0, 1, -1, 0])
    stack = np.empty((4 * height * width, 3), np.int64)
    for index in range(len(maps)):
        blocked = maps[index]
        stack[0] = 1, 1, -1
        depth = 1
        while depth > 0:
            depth -= 1
            row, col, side = stack[depth]
            if not blocked[row, col]:
                continue
            blocked[row, col] = 0
            if side >= 0:
                blocked[row - downs[side], col - rights[side]] = 0
            for turn in range(4):
                side = orders[index, row // 2, col // 2, turn]
                to_row, to_col = row + 2 * downs[side], col + 2 * rights[side]
                if 0 <= to_row < height and 0 <= to_col < width and blocked[to_row, to_col]:
                    stack[depth] = to_row, to_col, side
                    depth += 1


@compiled
def far_pairs(maps, chances, shortest):
    """For each map a start and a goal at least ``shortest`` straight moves apart; (-1, -1) without any."""
    height, width = maps.shape[1:]
    starts, goals = np.full((len(maps), 2), -1, np.int64), np.full((len(maps), 2), -1, np.int64)
    queue, distance = np.empty(height * width, np.int64), np.empty(height * width, np.int64)
    for index in range(len(maps)):
        blocked = maps[index].ravel()
        first = int(chances[index, 0] * height * width)
        if blocked[first]:
            continue
        goal = queue[_spread(blocked, width, first, queue, distance) - 1]
        found = _spread(blocked, width, goal, queue, distance)
        far = found
        while far > 0 and distance[queue[far - 1]] >= shortest:
            far -= 1  # the queue is sorted by distance
        if far < found:
            start = queue[far + int(chances[index, 1] * (found - far))]
            starts[index] = start // width, start % width
            goals[index] = goal // width, goal % width
    return starts, goals


@compiled
def _spread(blocked, width, start, queue, distance):
    """Breadth-first search by straight moves: fills the queue and the distances; the number of cells found."""
    distance[:] = -1
    queue[0], distance[start] = start, 0
    taken, put = 0, 1
    while taken < put:
        cell = queue[taken]
        taken += 1
        col = cell % width
        for side in range(4):
            if (side == 0 and col == 0) or (side == 1 and col == width - 1):
                continue
            to = cell + (-1 if side == 0 else 1 if side == 1 else -width if side == 2 else width)
            if 0 <= to < len(blocked) and not blocked[to] and distance[to] < 0:
                distance[to] = distance[cell] + 1
                queue[put] = to
                put += 1
    return put

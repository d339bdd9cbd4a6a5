"""Following a policy over a map: its move in every cell, and the way that these moves make."""

from typing import Any

import numpy as np
from jaxtyping import Int, UInt8

from vinlab.evaluation.rollout import PlanningPolicy, choose
from vinlab.types import MOVE_OFFSETS

OFFSETS = [tuple(offset) for offset in MOVE_OFFSETS.tolist()]


def best_moves(
    policy: PlanningPolicy, plan: Any, batch: int, shape: tuple[int, int]
) -> Int[np.ndarray, "B H W"]:
    """The likeliest move in every cell of every map."""
    rows, cols = np.indices(shape).reshape(2, -1)
    cells = np.tile(np.stack([rows, cols], axis=-1), (batch, 1, 1))
    return choose(policy, plan, cells).reshape(batch, *shape)


def follow(
    moves: Int[np.ndarray, "H W"],
    obstacles: UInt8[np.ndarray, "H W"],
    start: tuple[int, int],
    goal: tuple[int, int],
    *,
    corner_cutting: bool = True,
) -> tuple[Int[np.ndarray, "T 2"], bool]:
    """The way from the start, and whether it comes to the goal.

    Who comes to a cell for the second time would go round for ever, for the moves stay the same; the way ends
    there. It also ends before an obstacle.
    """
    path, seen, here = [start], {start}, start
    while here != goal:
        there = _step(obstacles, here, OFFSETS[moves[here]], corner_cutting)
        if there == here or there in seen:
            break
        path.append(there)
        seen.add(there)
        here = there
    return np.array(path, dtype=np.int64), here == goal


def _step(
    obstacles: np.ndarray, here: tuple[int, int], offset: tuple[int, ...], corner_cutting: bool
) -> tuple[int, int]:
    """Where a move leads; one into an obstacle or off the map leaves you in place."""
    row, col = here[0] + offset[0], here[1] + offset[1]
    height, width = obstacles.shape
    if not (0 <= row < height and 0 <= col < width) or obstacles[row, col]:
        return here
    if not corner_cutting and (obstacles[here[0], col] or obstacles[row, here[1]]):
        return here
    return row, col

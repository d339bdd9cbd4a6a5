"""The dynamics of the grid-world: the one definition that experts, rollouts and environments share."""

import numpy as np
from jaxtyping import Bool, Int, UInt8

from vinlab.types import MOVE_OFFSETS


def step(
    obstacles: UInt8[np.ndarray, "B H W"],
    states: Int[np.ndarray, "B *S 2"],
    moves: Int[np.ndarray, "B *S"],
    *,
    corner_cutting: bool = True,
) -> Int[np.ndarray, "B *S 2"]:
    """The states that follow; a move into an obstacle or off the map leaves the state unchanged."""
    targets = states + MOVE_OFFSETS[moves].astype(states.dtype)
    free = is_free(obstacles, targets)
    if not corner_cutting:
        beside = np.stack([targets[..., 0], states[..., 1]], axis=-1)
        below = np.stack([states[..., 0], targets[..., 1]], axis=-1)
        free &= is_free(obstacles, beside) & is_free(obstacles, below)
    return np.where(free[..., None], targets, states)


def is_free(
    obstacles: UInt8[np.ndarray, "B H W"], positions: Int[np.ndarray, "B *S 2"]
) -> Bool[np.ndarray, "B *S"]:
    """Whether each position is a cell of its map without an obstacle."""
    size = np.array(obstacles.shape[1:])
    inside = ((positions >= 0) & (positions < size)).all(axis=-1)
    row, col = np.moveaxis(np.clip(positions, 0, size - 1), -1, 0)
    problem = np.arange(len(obstacles)).reshape(-1, *[1] * (row.ndim - 1))
    return inside & (obstacles[problem, row, col] == 0)

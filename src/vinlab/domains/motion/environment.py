"""The dynamics of states with layers: the one definition that experts, rollouts and environments share."""

import numpy as np
from jaxtyping import Bool, Int, UInt8

from vinlab.planning.moves import LayeredMoves, swept_cells


def possible_moves(
    obstacles: UInt8[np.ndarray, "B H W"], moves: LayeredMoves, *, corner_cutting: bool = True
) -> Bool[np.ndarray, "B L A H W"]:
    """Which actions can be made in each state: all cells that they pass are free cells of the map."""
    batch, rows, cols = obstacles.shape
    reach = int(np.abs(moves.offsets).max())
    free = np.pad(obstacles == 0, ((0, 0), (reach, reach), (reach, reach)))
    possible = np.zeros((batch, moves.num_layers, moves.num_actions, rows, cols), bool)
    for layer, action in np.argwhere(moves.exists).tolist():
        cells = swept_cells(moves.offsets[layer, action].tolist(), corner_cutting=corner_cutting)
        shifted = [
            free[:, reach + down : reach + down + rows, reach + right : reach + right + cols]
            for down, right in cells
        ]
        possible[:, layer, action] = np.logical_and.reduce(shifted)
    return possible


def step(
    possible: Bool[np.ndarray, "B L A H W"],
    moves: LayeredMoves,
    states: Int[np.ndarray, "B *S 3"],
    actions: Int[np.ndarray, "B *S"],
) -> Int[np.ndarray, "B *S 3"]:
    """The states ``(row, col, layer)`` that follow; an action that is not ``possible`` leaves the state unchanged."""
    row, col, layer = np.moveaxis(states, -1, 0)
    problem = np.arange(len(states)).reshape(-1, *[1] * (states.ndim - 2))
    down, right = np.moveaxis(moves.offsets[layer, actions], -1, 0)
    following = np.stack([row + down, col + right, moves.layers[layer, actions]], axis=-1)
    made = possible[problem, layer, actions, row, col]
    return np.where(made[..., None], following, states).astype(states.dtype)


def at_goal(states: Int[np.ndarray, "B *S 3"], goals: Int[np.ndarray, "B 3"]) -> Bool[np.ndarray, "B *S"]:
    """Whether each state is its problem's goal; a goal's layer of -1 stands for any."""
    ends = goals.reshape(len(goals), *[1] * (states.ndim - 2), 3)
    return (states[..., :2] == ends[..., :2]).all(axis=-1) & (
        (states[..., 2] == ends[..., 2]) | (ends[..., 2] == -1)
    )

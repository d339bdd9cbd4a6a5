"""How terrain answers a move: steep cells are obstacles, by the rule of the grid-world."""

import numpy as np
from jaxtyping import Bool, Int

from vinlab.domains.gridworld import environment as gridworld


def step(
    obstacles: Bool[np.ndarray, "B H W"],
    states: Int[np.ndarray, "B *S 2"],
    moves: Int[np.ndarray, "B *S"],
    *,
    corner_cutting: bool = True,
) -> Int[np.ndarray, "B *S 2"]:
    """The cell that each move leads to; a move into a steep cell or off the map changes nothing."""
    return gridworld.step(obstacles.astype(np.uint8), states, moves, corner_cutting=corner_cutting)

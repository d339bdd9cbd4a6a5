"""The greedy moves of a policy in every cell of a map, and the path that they make."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int, UInt8
from torch import Tensor
from torch.nn.functional import one_hot

from vinlab.evaluation.rollout import PlanningPolicy, greedy_actions
from vinlab.types import MOVE_NAMES, MOVE_OFFSETS, Iterations

OFFSETS = [tuple(offset) for offset in MOVE_OFFSETS.tolist()]


class MoveTable:
    """A policy that reads its moves from a table ``[B H W]``, which stands in place of a plan."""

    def plan(self, observation: Tensor, *, iterations: Iterations = None) -> Any:
        """A table is given, not planned."""
        raise NotImplementedError("expected a table of moves, got an observation")

    def act(self, plan: Int[np.ndarray, "B H W"], states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S M"]:
        """One for the move of the table, zero for the others."""
        batch = torch.arange(len(states))[:, None]
        moves = torch.from_numpy(plan.astype(np.int64))[batch, states[..., 0], states[..., 1]]
        return one_hot(moves, len(MOVE_NAMES)).float()


def greedy_moves(
    policy: PlanningPolicy, plan: Any, batch: int, shape: tuple[int, int]
) -> Int[np.ndarray, "B H W"]:
    """The likeliest move in every cell of every map."""
    rows, cols = np.indices(shape).reshape(2, -1)
    cells = np.tile(np.stack([rows, cols], axis=-1), (batch, 1, 1))
    return greedy_actions(policy, plan, cells).reshape(batch, *shape)


def follow_moves(
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

"""Textbook value iteration and exact shortest paths: the reference of the planners that learn."""

import numpy as np
import torch
from jaxtyping import Float, Float64, Int, UInt8
from torch import Tensor

from vinlab.planning.costs import entered
from vinlab.planning.fused.threads import run_shares
from vinlab.types import MOVE_COSTS, MOVE_OFFSETS, InputError

MOST_BACKUPS = 1_000_000
"""Value iteration that has not settled by then never will."""

UNREACHABLE = 1e6
"""More than any path over weighted cells costs."""


def action_values(
    reward: Float[np.ndarray, "A N"] | Float[np.ndarray, " N"],
    probabilities: Float[np.ndarray, "A N N"],
    value: Float[np.ndarray, " N"],
    *,
    discount: float,
) -> Float64[np.ndarray, "A N"]:
    """The value of each action in each state, given the value of the states that follow."""
    return reward.astype(np.float64) + discount * (probabilities.astype(np.float64) @ value)


def exact_value_iteration(
    reward: Float[np.ndarray, "A N"] | Float[np.ndarray, " N"],
    probabilities: Float[np.ndarray, "A N N"],
    *,
    discount: float,
    iterations: int | None = None,
    tolerance: float = 1e-10,
) -> Float64[np.ndarray, " N"]:
    """The value of each state after ``iterations`` backups from zero, or without it when that has settled.

    ``probabilities[a, s, t]`` is the probability of state t after action a in state s. Settled means that
    no value is further than ``tolerance`` from the true one (at discount 1: that a backup changes less).
    """
    if not 0 <= discount <= 1:
        raise InputError(f"discount: expected 0 to 1, got {discount}.")
    if (probabilities < 0).any() or not np.allclose(probabilities.sum(axis=-1), 1):
        raise InputError(
            "probabilities: expected numbers of at least 0 that add up to 1 over the next states, got others."
        )
    value = np.zeros(probabilities.shape[-1])
    change_allowed = tolerance * (1 - discount) / discount if 0 < discount < 1 else tolerance
    for _ in range(MOST_BACKUPS if iterations is None else iterations):
        previous = value
        value = action_values(reward, probabilities, previous, discount=discount).max(axis=0)
        if iterations is None and np.abs(value - previous).max() <= change_allowed:
            return value
    if iterations is None:
        raise InputError(
            f"Value iteration with discount {discount} has not settled after {MOST_BACKUPS} backups; "
            "give a discount below 1 or a number of iterations."
        )
    return value


def cost_to_go(
    obstacles: UInt8[np.ndarray, "B H W"],
    goals: Int[np.ndarray, "B 2"],
    *,
    corner_cutting: bool = True,
    num_moves: int = 8,
) -> Float64[np.ndarray, "B H W"]:
    """The length of the shortest path from every cell to the goal of its map; infinite where there is none.

    Straight moves cost 1 and diagonal ones the square root of 2. With ``corner_cutting`` only the cell that a
    move leads to must be free; without, a diagonal move also needs both cells that it passes between.
    ``num_moves=4`` leaves the straight moves alone.
    """
    from vinlab.planning._shortest_paths import spread_over_maps

    if num_moves not in (4, 8):
        raise InputError(f"num_moves: expected 4 (straight) or 8 (with diagonals), got {num_moves}.")
    obstacles, goals = require_maps(obstacles, goals)
    costs = np.empty(obstacles.shape)
    moves = MOVE_OFFSETS[:num_moves], MOVE_COSTS[:num_moves]
    arguments = (obstacles, goals, *moves, bool(corner_cutting), costs)
    run_shares(spread_over_maps, arguments, len(obstacles), WORK_PER_CELL * obstacles.size)
    return costs


WORK_PER_CELL = 10
"""Of a search, in backups of a cell."""


def require_maps(obstacles: np.ndarray, goals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Maps and one goal inside each as the compiled search reads them, or a sentence says what does not fit."""
    obstacles, goals = np.ascontiguousarray(obstacles), np.ascontiguousarray(goals)
    if obstacles.ndim != 3 or obstacles.dtype.kind not in "bui":
        raise InputError(
            f"obstacles: expected maps of the shape (B, H, W) with 0 and 1, got {obstacles.dtype} of the shape "
            f"{obstacles.shape}."
        )
    if goals.shape != (len(obstacles), 2) or goals.dtype.kind not in "ui":
        raise InputError(
            f"goals: expected a (row, col) for each of {len(obstacles)} maps, got {goals.dtype} of the shape "
            f"{goals.shape}."
        )
    height, width = obstacles.shape[1:]
    if height * width > np.iinfo(np.int32).max:
        raise InputError(f"obstacles: expected maps of fewer than 2**31 cells, got {height} x {width}.")
    outside = ((goals < 0) | (goals >= (height, width))).any(axis=1)
    if outside.any():
        found = tuple(goals[outside][0].tolist())
        raise InputError(f"goals: expected cells of maps of {height} x {width} cells, got {found}.")
    blocked = obstacles if obstacles.dtype == np.uint8 else (obstacles != 0).view(np.uint8)
    return blocked, goals.astype(np.int64, copy=False)


def weighted_cost_to_go(
    entry_costs: Float[Tensor, "N H W"], goals: Int[Tensor, "N 2"]
) -> Float[Tensor, "N 8 H W"]:
    """The cost of each move and of the cheapest path to the goal after it, in every cell.

    A move costs its length and the ``entry_costs`` of the cell that it enters; no cell is blocked.
    """
    problems = torch.arange(len(goals), device=entry_costs.device)
    lengths = torch.as_tensor(MOVE_COSTS, dtype=entry_costs.dtype, device=entry_costs.device)[:, None, None]
    costs = torch.full_like(entry_costs, UNREACHABLE)
    costs[problems, goals[:, 0], goals[:, 1]] = 0.0
    while True:
        through = entered(costs + entry_costs, value=UNREACHABLE) + lengths
        lower = torch.minimum(costs, through.amin(dim=1))
        if torch.equal(lower, costs):
            return through
        costs = lower

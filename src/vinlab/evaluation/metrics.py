"""The three metrics of the paper's tables and some that the paper lacks, each defined once.

They are shares or means over everything that is given; nothing is dropped.
"""

import numpy as np
from jaxtyping import Bool, Float64, Int

EQUAL = 1e-6
"""Paths closer in length than this are equally long; sums of many steps round."""


def share(holds: Bool[np.ndarray, " B"]) -> float:
    """The share of true entries, from 0 to 1; nan without any entry."""
    return float(holds.mean()) if len(holds) else float("nan")


def success_rate(reached: Bool[np.ndarray, " B"]) -> float:
    """Share of the problems whose rollout reaches the goal in time."""
    return share(reached)


def trajectory_difference(
    lengths: Int[np.ndarray, " B"], expert_lengths: Int[np.ndarray, " B"], reached: Bool[np.ndarray, " B"]
) -> float:
    """Mean of (states of the path - states of the expert's path) over the successes.

    It can be negative: the expert's path is the cheapest, not always the one of fewest steps.
    """
    if not reached.any():
        return float("nan")
    return float((lengths - expert_lengths)[reached].mean())


def prediction_loss(
    moves: Int[np.ndarray, "B T"], expert_moves: Int[np.ndarray, "B T"], counts: Bool[np.ndarray, "B T"]
) -> float:
    """Share of the states that count in which the policy's move is not the expert's own (0-1 loss).

    Where several moves are optimal the expert takes one, so even a perfect planner does not score 0.
    """
    return share((moves != expert_moves)[counts])


def optimal_action_accuracy(
    moves: Int[np.ndarray, "B T"], optimal: Bool[np.ndarray, "B T M"], counts: Bool[np.ndarray, "B T"]
) -> float:
    """Share of the states that count in which the policy's move is one of the optimal ones."""
    right = np.take_along_axis(optimal, moves[..., None], axis=-1)[..., 0]
    return share(right[counts])


def reached_share(reached: Bool[np.ndarray, "B N"], counts: Bool[np.ndarray, "B N"]) -> float:
    """Share of all cells that count from which the policy reaches the goal (GPPN's "success")."""
    return share(reached[counts])


def optimally_reached_share(
    lengths: Float64[np.ndarray, "B N"],
    shortest: Float64[np.ndarray, "B N"],
    counts: Bool[np.ndarray, "B N"],
) -> float:
    """Share of all cells that count from which its path is a shortest one (GPPN's "optimal")."""
    return share((lengths <= shortest + EQUAL)[counts])


def percent_success(reached: Bool[np.ndarray, "B N"], free: Bool[np.ndarray, "B N"]) -> float:
    """Mean over the problems of the percentage of all free states from which the policy reaches the goal.

    The measure of Gated Path Planning Networks: states without any path count too, as failures.
    """
    return _mean_percent(reached, free)


def percent_optimal(
    lengths: Float64[np.ndarray, "B N"],
    shortest: Float64[np.ndarray, "B N"],
    free: Bool[np.ndarray, "B N"],
) -> float:
    """The same for states from which its path is a shortest one; those without any path count as optimal."""
    return _mean_percent(np.isinf(shortest) | (lengths <= shortest + EQUAL), free)


def _mean_percent(holds: np.ndarray, counts: np.ndarray) -> float:
    shares = (holds & counts).sum(axis=1) / counts.sum(axis=1)
    return float(100 * shares.mean()) if len(shares) else float("nan")

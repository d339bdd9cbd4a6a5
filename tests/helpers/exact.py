"""Textbook value iteration: the reference of the planners."""

import numpy as np

from vinlab.types import InputError

MOST_BACKUPS = 1_000_000
"""Value iteration that has not settled by then never will."""


def action_values(
    reward: np.ndarray,
    probabilities: np.ndarray,
    value: np.ndarray,
    *,
    discount: float,
) -> np.ndarray:
    """The value of each action in each state, given the value of the states that follow."""
    return reward.astype(np.float64) + discount * (probabilities.astype(np.float64) @ value)


def exact_value_iteration(
    reward: np.ndarray,
    probabilities: np.ndarray,
    *,
    discount: float,
    iterations: int | None = None,
    tolerance: float = 1e-10,
) -> np.ndarray:
    """The value of each state after ``iterations`` backups from zero, or without it when that has settled.

    ``probabilities[a, s, t]`` is the probability of state t after action a in state s. Settled means that
    no value is further than ``tolerance`` from the true one (at discount 1: that a backup changes less).
    """
    _require_process(probabilities, discount)
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


def _require_process(probabilities: np.ndarray, discount: float) -> None:
    if not 0 <= discount <= 1:
        raise InputError(f"discount: expected 0 to 1, got {discount}.")
    if (probabilities < 0).any() or not np.allclose(probabilities.sum(axis=-1), 1):
        raise InputError(
            "probabilities must be non-negative and add up to 1 over the states that may follow."
        )

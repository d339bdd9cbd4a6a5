"""How well a policy chooses links: errors of single clicks, the paper's success, and whether it arrives."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

TOP = 4
"""The paper counts a click as right when the right link is among the four best."""


@dataclass(frozen=True)
class LinkScores:
    """How well a policy does on a set of problems. Unsolvable problems count, and never as successes."""

    num_problems: int
    num_unsolvable: int
    successes: int
    """The paper's: problems in which every link of one fixed shortest path is within the top 4."""
    any_successes: int
    """The same, where any link that begins a shortest path is right."""
    top1_error: float
    """Share of the clicks on the fixed paths in which the policy's first choice is not the path's link."""
    top4_error: float
    """The same for its first four choices."""
    average_reward: float
    """Share of problems in which the policy, clicking by itself, arrives by a shortest path."""
    arrival_rate: float
    """Share of problems in which it arrives within 10 clicks."""


def ranks(
    scores: Float[np.ndarray, "S L"], right: Bool[np.ndarray, "S L"], *, rng: np.random.Generator
) -> Int[np.ndarray, " S"]:
    """The place of the best right link among all links, 0 for the first; equal scores are ordered at random."""
    best = np.where(right, scores, -np.inf).max(axis=1, keepdims=True)
    better = (scores > best).sum(axis=1)
    tied = ((scores == best) & ~right).sum(axis=1)
    tied_right = ((scores == best) & right).sum(axis=1)
    return better + _first_of(tied_right, tied, rng)


def _first_of(right: np.ndarray, wrong: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """How many wrong ones come before the first right one in a random order."""
    before = np.zeros(len(right), dtype=np.int64)
    for row in np.flatnonzero(wrong > 0):
        order = rng.permutation(right[row] + wrong[row])
        before[row] = int(order[: right[row]].min()) if right[row] else wrong[row]
    return before


def best_links(scores: Float[np.ndarray, "S L"], *, rng: np.random.Generator) -> Int[np.ndarray, " S"]:
    """The place of the link with the highest score; among equals a random one."""
    top = scores == scores.max(axis=1, keepdims=True)
    return np.where(top, rng.random(scores.shape), -1.0).argmax(axis=1)


def all_within(
    places: Int[np.ndarray, " S"], problems: Int[np.ndarray, " S"], count: int
) -> Bool[np.ndarray, " B"]:
    """The problems in which every step's place is among the top 4."""
    failed = np.bincount(problems, weights=places >= TOP, minlength=count)
    return failed == 0

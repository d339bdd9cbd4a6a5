"""How well a policy chooses links: errors of single clicks, the paper's success, and rollouts."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from vinlab.evaluation.metrics import share

TOP = 4
"""The paper counts a click as right when the right link is among the four best."""


@dataclass(frozen=True)
class LinkScores:
    """The scores of a policy on a set of problems. Unsolvable problems count, never as successes."""

    num_problems: int
    num_unsolvable: int
    successes: int
    """The paper's: problems in which every link of one fixed shortest path is within the top 4."""
    any_successes: int
    """The same, where any link that begins a shortest path is right."""
    top1_error: float
    """Share of the clicks on the fixed paths in which the path's link is not the policy's first choice."""
    top4_error: float
    """The same for its first four choices."""
    average_reward: float
    """Share of problems whose rollout reaches the target by a shortest path."""
    arrival_rate: float
    """Share of problems whose rollout reaches the target in time."""
    average_reward_top4: float
    """The paper's: share of problems whose target is reached by a shortest path when the policy clicks its four best
    links on every page that it comes to."""

    @property
    def success_rate(self) -> float:
        """The paper's successes as a share."""
        return self.successes / self.num_problems


@dataclass(frozen=True)
class LinkRanks:
    """The places, from 0, at which a policy ranks the right links in the steps of known shortest paths."""

    problems: Int[np.ndarray, " S"]
    """The problem of each step."""
    fixed: Int[np.ndarray, " S"]
    """The place of the link of the fixed path."""
    any: Int[np.ndarray, " S"]
    """The place of the best link that begins a shortest path."""


def link_scores(
    ranks: LinkRanks,
    clicks: Int[np.ndarray, " B"],
    shortest: Int[np.ndarray, " B"],
    solvable: Bool[np.ndarray, " B"],
    reached_by_top: Bool[np.ndarray, " B"],
) -> LinkScores:
    """The scores from the ranks, and from the clicks of each rollout (-1 where the target is not reached).

    ``reached_by_top`` are the problems whose target is reached in time with four clicks on every page.
    """
    count = len(clicks)
    return LinkScores(
        num_problems=count,
        num_unsolvable=int((~solvable).sum()),
        successes=int((all_within(ranks.fixed, ranks.problems, count) & solvable).sum()),
        any_successes=int((all_within(ranks.any, ranks.problems, count) & solvable).sum()),
        top1_error=share(ranks.fixed > 0),
        top4_error=share(ranks.fixed >= TOP),
        average_reward=share((clicks == shortest) & solvable),
        arrival_rate=share(clicks >= 0),
        average_reward_top4=share(reached_by_top & solvable),
    )


def rank_links(
    logits: Float[np.ndarray, "S L"], right: Bool[np.ndarray, "S L"], *, rng: np.random.Generator
) -> Int[np.ndarray, " S"]:
    """The place of the best right link among all links, from 0; ties are broken at random."""
    best = np.where(right, logits, -np.inf).max(axis=1, keepdims=True)
    better = (logits > best).sum(axis=1)
    tied = ((logits == best) & ~right).sum(axis=1)
    tied_right = ((logits == best) & right).sum(axis=1)
    for row in np.flatnonzero(tied > 0):  # how many wrong ones precede the first right one in a random order
        order = rng.permutation(tied_right[row] + tied[row])
        better[row] += int(order[: tied_right[row]].min()) if tied_right[row] else tied[row]
    return better


def best_links(logits: Float[np.ndarray, "S L"], *, rng: np.random.Generator) -> Int[np.ndarray, " S"]:
    """The index of the link with the highest logit; ties are broken at random."""
    top = logits == logits.max(axis=1, keepdims=True)
    return np.where(top, rng.random(logits.shape), -1.0).argmax(axis=1)


def top_links(logits: Float[np.ndarray, "S L"], *, rng: np.random.Generator) -> Bool[np.ndarray, "S L"]:
    """The four links with the highest logits, never padding (minus infinity); ties are broken at random."""
    shuffled = np.lexsort((rng.random(logits.shape), logits), axis=1)
    chosen = np.zeros(logits.shape, dtype=bool)
    np.put_along_axis(chosen, shuffled[:, -TOP:], True, axis=1)
    return chosen & np.isfinite(logits)


def all_within(
    places: Int[np.ndarray, " S"], problems: Int[np.ndarray, " S"], count: int
) -> Bool[np.ndarray, " B"]:
    """The problems in which every step's place is among the top 4."""
    failed = np.bincount(problems, weights=places >= TOP, minlength=count)
    return failed == 0

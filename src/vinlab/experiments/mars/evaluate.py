"""How policies fare on patches of ground: scores, which problems they solved, and arrivals from everywhere."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int

from vinlab.domains.gridworld.environment import step
from vinlab.domains.mars.expert import TerrainDemonstrations
from vinlab.domains.mars.observation import observe_terrain
from vinlab.domains.mars.problem import MarsProblems
from vinlab.learners.callbacks import Validation
from vinlab.navigation import routes as navigation
from vinlab.networks.terrain.policies import TerrainPolicy
from vinlab.types import Scores

BATCH = 100
"""Patches that are looked at together."""

LENGTHS = (5, 10, 15)
"""Moves of the expert's way at which one class of problems ends and the next begins."""


@dataclass(frozen=True)
class MarsScores:
    """What came of all problems of a set."""

    scores: Scores
    reached: Bool[np.ndarray, " N"]
    steps: Int[np.ndarray, " N"]
    """Moves of the expert's way."""

    def to_plain(self) -> dict[str, Any]:
        """The scores, and for each problem 1 where it was solved."""
        return {
            **asdict(self.scores),
            "success_by_length": success_by_length(self.reached, self.steps),
            "reached": "".join(map(str, self.reached.astype(int))),
        }


@torch.no_grad()
def evaluate_policy(
    policy: TerrainPolicy, problems: MarsProblems, *, iterations: int | None = None
) -> MarsScores:
    """Let the policy find its way on every patch; it sees the picture and the goal alone."""
    policy.eval()
    judged = []
    for part in _parts(problems):
        plan = policy.plan(observe_terrain(part.images, part.goals), iterations=iterations)
        judged.append(navigation.evaluate_plan(policy, plan, part.grid))
    reached = np.concatenate([part.reached for part in judged])
    lengths = np.concatenate([part.expert_lengths for part in judged])
    return MarsScores(navigation.to_scores(judged), reached, lengths - 1)


def success_by_length(
    reached: Bool[np.ndarray, " N"], steps: Int[np.ndarray, " N"]
) -> dict[str, tuple[float | None, int]]:
    """The success rate and the number of problems, for short, middling and long ways."""
    limits = [0, *LENGTHS, None]
    found = {}
    for first, last in itertools.pairwise(limits):
        own = (steps > first) & ((steps <= last) if last else True)
        name = f"{first + 1}-{last}" if last else f"over {first}"
        found[name] = (float(reached[own].mean()) if own.any() else None, int(own.sum()))
    return found


@torch.no_grad()
def reach_rate(policy: TerrainPolicy, lessons: TerrainDemonstrations, *, moves: int = 40) -> float:
    """The share of all cells from which the likeliest moves lead to the goal, for every goal of every patch.

    Thousands of starts on the same ground tell weights apart that a few hundred problems do not.
    """
    policy.eval()
    arrived = []
    for at in range(0, len(lessons), BATCH):
        batch = lessons[np.arange(at, min(at + BATCH, len(lessons)))]
        teaches = batch.moves.any(dim=1).flatten(1).numpy()
        ends = _ends(
            batch.logits(policy).argmax(dim=1).numpy(), ~batch.free.numpy(), batch.goals.numpy(), moves
        )
        arrived.append((ends & teaches).sum(axis=1) / np.maximum(1, teaches.sum(axis=1)))
    return float(np.concatenate(arrived).mean())


def _ends(chosen: np.ndarray, blocked: np.ndarray, goals: np.ndarray, moves: int) -> np.ndarray:
    """Whether one is at the goal after so many moves, from each cell ``[N H·W]``."""
    count, rows, cols = blocked.shape
    cells = np.tile(np.indices((rows, cols)).reshape(2, -1).T, (count, 1, 1))
    following = step(blocked.astype(np.uint8), cells, chosen.reshape(count, -1))
    onward, goal = following[..., 0] * cols + following[..., 1], goals[:, 0] * cols + goals[:, 1]
    onward[np.arange(count), goal] = goal
    here = np.tile(np.arange(rows * cols), (count, 1))
    for _ in range(moves):
        here = np.take_along_axis(onward, here, axis=1)
    return here == goal[:, None]


def validator(lessons: TerrainDemonstrations) -> Callable[[Any], Validation]:
    """A look at the validation ground, by arrivals from everywhere."""

    def validate(policy: Any) -> Validation:
        arrivals = reach_rate(policy, lessons)
        return Validation(score=arrivals, metrics={"validation_arrivals": arrivals})

    return validate


def _parts(problems: MarsProblems) -> Iterator[MarsProblems]:
    for first in range(0, len(problems), BATCH):
        yield problems[first : first + BATCH]

"""The words and axes that every part of vinlab shares, and the records that flow between the parts.

Axis letters: ``B`` problems, ``S`` states read per problem, ``C`` observation channels, ``R`` reward channels,
``A`` planner actions, ``M`` real moves, ``H`` rows, ``W`` columns, ``F`` kernel width, ``L`` convolutions (K + 1),
``N`` nodes, ``E`` edges, ``T`` time. Positions are always ``(row, col)``. In arrays of maps 1 is an obstacle.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Bool, Float, Int, UInt8
from torch import Tensor

MOVE_NAMES: Final = ("N", "S", "E", "W", "NE", "NW", "SE", "SW")
"""The eight moves of a grid-world, in the order of every label, logit and kernel; four straight ones come first."""

MOVE_OFFSETS: Final = np.array(
    [(-1, 0), (1, 0), (0, 1), (0, -1), (-1, 1), (-1, -1), (1, 1), (1, -1)], dtype=np.int64
)
"""What each move adds to ``(row, col)``; north is the row above."""

MOVE_COSTS: Final = np.sqrt((MOVE_OFFSETS**2).sum(axis=1))
"""The length of each move: 1 when straight, the square root of 2 when diagonal."""


GOAL_MARK: Final = 10.0
"""What the goal channel of an observation holds at the goal."""

CELL: Final = 8
"""Pixels along the edge of a cell, where a map is seen as an image."""

Iterations = int | Sequence[int] | None
"""How many backups: K, or K of each level from coarse to fine, or as many as the network has by itself."""


class InputError(ValueError):
    """Something that came from outside cannot be used; the message is one sentence that says what is wanted."""


@dataclass(frozen=True)
class Plan:
    """What the planner found for every cell of a grid; all states of a problem read the same plan."""

    reward: Float[Tensor, "B R H W"]
    """What the planner was told to want."""
    q: Float[Tensor, "B A H W"]
    """The worth of each planner action, from the read that follows the last maximisation."""
    value: Float[Tensor, "B 1 H W"]
    """The worth of each cell after K maximisations."""
    coarser: "Plan | None" = None
    """The plan of the next coarser level, where the planner is hierarchical."""

    def __getitem__(self, chosen: slice) -> "Plan":
        coarser = None if self.coarser is None else self.coarser[chosen]
        return Plan(self.reward[chosen], self.q[chosen], self.value[chosen], coarser)


@dataclass(frozen=True)
class GraphPlan:
    """What the planner found for every node and edge of a graph."""

    reward: Float[Tensor, "B N"]
    q: Float[Tensor, "B E"]
    """The worth of following each edge, from the read that follows the last maximisation."""
    value: Float[Tensor, "B N"]


@dataclass(frozen=True)
class GridProblems:
    """Tasks on maps of one size: find a way from start to goal past the obstacles."""

    obstacles: UInt8[np.ndarray, "B H W"]
    """1 is blocked, 0 is free."""
    starts: Int[np.ndarray, "B 2"]
    goals: Int[np.ndarray, "B 2"]

    def __len__(self) -> int:
        return len(self.obstacles)

    def __getitem__(self, chosen: slice | np.ndarray) -> "GridProblems":
        return GridProblems(self.obstacles[chosen], self.starts[chosen], self.goals[chosen])


@dataclass(frozen=True)
class Demonstrations:
    """What an expert does: for each problem some states, and the moves that are right in them.

    A single label is a set of one move, so one loss serves both kinds of target.
    """

    observations: Float[Tensor, "B C H W"]
    states: Int[Tensor, "B S 2"]
    moves: Bool[Tensor, "B S M"]
    """True where the move is right."""
    weights: Float[Tensor, "B S"]
    """How often the state counts in the loss; 0 marks filler where a problem has fewer states."""

    def __len__(self) -> int:
        return len(self.observations)

    def __getitem__(self, chosen: slice | Tensor) -> "Demonstrations":
        return Demonstrations(
            self.observations[chosen], self.states[chosen], self.moves[chosen], self.weights[chosen]
        )


@dataclass(frozen=True)
class Scores:
    """How well a policy does on a set of problems; every problem counts."""

    num_problems: int
    num_unsolvable: int
    """Problems whose goal cannot be reached at all; they count as problems, not as successes."""
    success_rate: float
    """Share of problems in which the closed-loop rollout reaches the goal in time."""
    trajectory_difference: float
    """Mean of (steps taken - steps of the expert) over the successes; ``nan`` without any."""
    optimal_action_accuracy: float
    """Share of the states on the expert's paths in which the policy's move is one of the optimal ones."""
    prediction_loss: float
    """Share of the same states in which the policy's move is not the expert's own (the paper's 0-1 loss)."""
    unsolvable: tuple[int, ...] = ()
    """Which problems cannot be solved at all, counted from 0."""

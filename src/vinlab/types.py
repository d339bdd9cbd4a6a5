"""The axes, constants and records that all parts of vinlab share.

Axis letters: ``B`` problems, ``S`` states read per problem, ``C`` observation channels, ``R`` reward channels,
``A`` planner actions, ``M`` real moves, ``H`` rows, ``W`` columns, ``F`` kernel width, ``L`` layers of states or
convolutions (K + 1), ``N`` nodes, ``E`` edges, ``T`` time, ``X`` entries of a continuous state, ``U`` entries of a
continuous action.
Positions are always ``(row, col)``. In arrays of maps 1 is an obstacle.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

import numpy as np
from jaxtyping import Bool, Float, Int, UInt8
from torch import Tensor
from torch.utils._pytree import register_pytree_node
from torch.utils.data._utils.collate import default_collate_fn_map

MOVE_NAMES: Final = ("N", "S", "E", "W", "NE", "NW", "SE", "SW")
"""The eight moves on a grid, in the order of every label, logit and kernel; the four straight ones come first."""

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
"""The number of backups: K, or K of each level from coarse to fine, or None for the network's own."""


class InputError(ValueError):
    """An input cannot be used; the message says what was expected and what came instead."""


def missing_library(purpose: str, *libraries: str, extra: str) -> InputError:
    """The error where libraries of an extra are not installed."""
    names = " ".join(libraries)
    return InputError(f"{purpose} needs {names}: pip install {names} (vinlab's extra '{extra}').")


def reason_of(error: BaseException, *, most: int = 120) -> str:
    """The first line of what an error says, for a sentence of ours."""
    return (str(error).splitlines() or [type(error).__name__])[0][:most].rstrip(".")


Batches = TypeVar("Batches", bound="Batch")


@dataclass(frozen=True)
class Batch:
    """A record whose fields all have one entry for each problem; a choice of problems is a record of the same kind."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def __getitem__(self: Batches, chosen: Any) -> Batches:
        return self.map(lambda entries: entries[chosen])

    def map(self: Batches, change: Callable[[Any], Any]) -> Batches:
        """The record with every field changed that it has."""
        entries = (getattr(self, field.name) for field in fields(self))
        return type(self)(*(None if entry is None else change(entry) for entry in entries))


def concatenate(parts: Iterable[Batches]) -> Batches:
    """Records of arrays, one after the other."""
    first, *others = parts
    columns = ([getattr(part, field.name) for part in (first, *others)] for field in fields(first))
    return type(first)(*map(np.concatenate, columns))


@dataclass(frozen=True)
class Plan(Batch):
    """The result of planning for every cell of a grid; all states of a problem read the same plan."""

    reward: Float[Tensor, "B R H W"]
    """The reward that the planner was given."""
    q: Float[Tensor, "B A H W"]
    """The value of each planner action, from the convolution that follows the last maximisation."""
    value: Float[Tensor, "B 1 H W"]
    """The value of each cell after K maximisations."""
    coarser: "Plan | None" = None
    """The plan of the next coarser level, where the planner is hierarchical."""
    features: Float[Tensor, "B D H W"] | None = None
    """The features of each cell, where the policy reads them beside the plan."""


@dataclass(frozen=True)
class GraphPlan:
    """The result of planning for every node and edge of a graph."""

    reward: Float[Tensor, "B N"]
    q: Float[Tensor, "B E"]
    """The value of each edge, from the backup that follows the last maximisation."""
    value: Float[Tensor, "B N"]


@dataclass(frozen=True)
class GridProblems(Batch):
    """Problems on maps of one size: find a path from start to goal that avoids the obstacles."""

    obstacles: UInt8[np.ndarray, "B H W"]
    """1 is blocked, 0 is free."""
    starts: Int[np.ndarray, "B 2"]
    goals: Int[np.ndarray, "B 2"]


@dataclass(frozen=True)
class Demonstrations(Batch):
    """An expert's moves: for each problem some states, and the optimal moves in them.

    A single label is a set of one move, so one loss serves both kinds of target.
    """

    observations: Float[Tensor, "B C H W"]
    states: Int[Tensor, "B S _"]
    """``(row, col)``, or ``(row, col, layer)`` where states have layers."""
    moves: Bool[Tensor, "B S M"]
    """True where the move is optimal."""
    weights: Float[Tensor, "B S"]
    """The weight of the state in the loss; 0 for padding where a problem has fewer states."""

    def __getitem__(self, chosen: Any) -> "Demonstrations":
        """Some problems; a single number gives a batch of one."""
        return super().__getitem__(slice(chosen, chosen + 1 or None) if isinstance(chosen, int) else chosen)

    def __getitems__(self, chosen: list[int]) -> "Demonstrations":
        """A batch, as PyTorch's ``DataLoader`` asks for it."""
        return self[chosen]


@dataclass(frozen=True)
class TimedDemonstrations(Demonstrations):
    """Demonstrations that also tell how far each state is from the goal."""

    distances: Int[Tensor, "B S"]
    """Moves of the shortest path; 0 in padding."""


@dataclass(frozen=True)
class DenseDemonstrations:
    """An expert's moves in every cell, for some goals on each observation; the problems of one follow each other."""

    observations: Float[Tensor, "B C h w"]
    """What the policy sees, whatever the goal."""
    goals: Int[Tensor, "B G 2"]
    moves: Bool[Tensor, "N M H W"]
    """Which moves are right; none in cells without a target."""
    blocked: Bool[Tensor, "B H W"]

    @property
    def free(self) -> Bool[Tensor, "N H W"]:
        """The free cells of each problem."""
        return ~self.blocked.repeat_interleave(self.goals.shape[1], dim=0)


@dataclass(frozen=True)
class LinkChoices:
    """Steps of a batch of queries, each on a page with candidate links."""

    rows: Int[Tensor, " S"]
    """The query of each step, as a row of the batch."""
    pages: Int[Tensor, " S"]
    candidates: Int[Tensor, "S l"]
    """The links on the page, padded with -1."""


@dataclass(frozen=True)
class LinkDemonstrations:
    """Some queries and an expert's steps for them."""

    queries: Float[Tensor, "B D"]
    steps: Sequence[tuple[LinkChoices, Bool[Tensor, "_ _"]]]
    """Steps on pages with about as many links, and which of these links are right."""
    words: Any = None
    """The queries as sparse rows, where the site has sparse features."""


@dataclass(frozen=True)
class ContinuousDemonstrations(Batch):
    """A teacher's actions: for each problem some continuous states, and the action in each with its precision."""

    observations: Float[Tensor, "B C H W"]
    states: Float[Tensor, "B S X"]
    actions: Float[Tensor, "B S U"]
    precisions: Float[Tensor, "B S U U"]
    """The weight of an error in each direction; zero where a state does not count."""

    def pick(self, problems: Int[Tensor, " b"], states: Int[Tensor, "b s"]) -> "ContinuousDemonstrations":
        """Some states of some problems."""
        chosen = problems[:, None], states
        return ContinuousDemonstrations(
            self.observations[problems], self.states[chosen], self.actions[chosen], self.precisions[chosen]
        )


@dataclass(frozen=True)
class ContinuousRollouts:
    """What controllers did in several rollouts of each of several systems."""

    states: Float[np.ndarray, "B N T X"]
    """Before each action."""
    actions: Float[np.ndarray, "B N T U"]
    final: Float[np.ndarray, "B N X"]
    valid: Bool[np.ndarray, "B N"]
    """False where the simulation diverged; such a rollout stays where it was."""

    @property
    def following(self) -> Float[np.ndarray, "B N T X"]:
        """After each action."""
        return np.concatenate([self.states[:, :, 1:], self.final[:, :, None]], axis=2)


@dataclass(frozen=True)
class Scores:
    """The scores of a policy on a set of problems; every problem counts."""

    num_problems: int
    num_unsolvable: int
    """Problems whose goal no path reaches; they count as problems, not as successes."""
    success_rate: float
    """Share of problems in which the closed-loop rollout reaches the goal within the step limit."""
    trajectory_difference: float
    """Mean of (steps taken - steps of the expert) over the successes; ``nan`` without any."""
    optimal_action_accuracy: float
    """Share of the states on the expert's paths in which the policy's move is one of the optimal ones."""
    prediction_loss: float
    """Share of the same states in which the policy's move is not the expert's own (the paper's 0-1 loss)."""
    unsolvable: tuple[int, ...] = ()
    """The indices of these problems."""


def _plan_to_tree(plan: Any) -> tuple[list[Any], list[str]]:
    """The parts of a plan that it has, and their names."""
    parts = {field.name: getattr(plan, field.name) for field in fields(plan)}
    present = {name: part for name, part in parts.items() if part is not None}
    return list(present.values()), list(present)


for _record in (Plan, GraphPlan):  # so that PyTorch's trees and torch.export look into them
    register_pytree_node(
        _record,
        _plan_to_tree,
        lambda parts, names, record=_record: record(**dict(zip(names, parts, strict=True))),
        serialized_type_name=f"vinlab.{_record.__name__}",
    )

# A DataLoader reads demonstrations as whole batches, so there is nothing to put together.
default_collate_fn_map[Demonstrations] = lambda batch, *, collate_fn_map=None: batch

"""Planning with as many backups as a map needs: K grows as long as more cells reach the goal."""

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float64, Int
from torch import nn

from vinlab.domains.gridworld.problem import observe
from vinlab.evaluation.rollout import AllStartsRollout, PlanningPolicy, device_of, rollout_from_all_cells
from vinlab.models import Model
from vinlab.navigation.greedy import greedy_moves, legal_moves, next_cells
from vinlab.planning import GridPlanner, HierarchicalPlanner
from vinlab.types import GridProblems, Iterations, Plan


@dataclass(frozen=True)
class AdaptivePlan:
    """The plans of a model for some problems, and its rollouts from every cell."""

    plan: Plan | None
    """None where the network does not plan on the grid."""
    moves: Int[np.ndarray, "B H W"]
    """The greedy move in every cell."""
    following: Int[np.ndarray, "B N"]
    """The cell that each move leads to, cells counted row by row."""
    rollouts: AllStartsRollout
    """Which cells reach the goal."""
    iterations: int | tuple[int, ...] | None
    """The number of backups."""

    def each(self) -> "list[AdaptivePlan]":
        """The plan of each problem alone."""
        return [
            AdaptivePlan(
                self.plan[one] if self.plan else None,
                self.moves[one],
                self.following[one],
                self.rollouts[one],
                self.iterations,
            )
            for one in (slice(index, index + 1) for index in range(len(self.moves)))
        ]


def plan_adaptively(model: Model, problem: GridProblems, **options: Any) -> AdaptivePlan:
    """The plan for one problem, with the options of ``plan_batch_adaptively``."""
    (planned,) = plan_batch_adaptively(model, problem, **options)
    return planned


def plan_batch_adaptively(
    model: Model,
    problems: GridProblems,
    *,
    must_reach: Bool[np.ndarray, "B H W"],
    iterations: Iterations = None,
    corner_cutting: bool = True,
    legal_only: bool = False,
    max_iterations: int | None = None,
) -> list[AdaptivePlan]:
    """For each problem a plan so deep that all ``must_reach`` cells reach the goal, or as many as with a deeper one.

    K starts from that of training, scaled to the map, and doubles up to the number of cells or ``max_iterations``,
    until it exceeds the length of these paths: the value of cells that are further away has not settled.
    No exact planner is used: rollouts of the model's own moves tell which cells reach the goal. ``iterations`` fixes K.
    With ``legal_only`` the policy chooses among the moves that the map allows. Each round plans one batch.
    """
    rules = {"corner_cutting": corner_cutting, "legal_only": legal_only}
    if iterations is not None:
        return plan_fixed_depth(model, problems, iterations, **rules).each()
    cells = problems.obstacles[0].size
    limit = cells if max_iterations is None else min(cells, max_iterations)
    used = _limited(model.iterations_for(problems.obstacles.shape[1:]), limit)
    plans = plan_fixed_depth(model, problems, used, **rules).each()
    open_ones = [index for index, planned in enumerate(plans) if not _satisfied(planned, must_reach[index])]
    while open_ones and (longer := _limited(used, limit, factor=2)) != used:
        deeper = plan_fixed_depth(model, problems[np.array(open_ones)], longer, **rules)
        better = {
            index: planned
            for index, planned in zip(open_ones, deeper.each(), strict=True)
            if _is_better(planned, plans[index], must_reach[index])
        }
        plans = [better.get(index, planned) for index, planned in enumerate(plans)]
        open_ones = [index for index, planned in better.items() if not _satisfied(planned, must_reach[index])]
        used = longer
    return plans


def _satisfied(planned: AdaptivePlan, must_reach: Bool[np.ndarray, "H W"]) -> bool:
    """Whether the cells reach the goal on paths that cost no more than K moves: further away nothing has settled."""
    longest = float(_lengths(planned, must_reach).max(initial=0.0))
    deep = longest <= planned.iterations if isinstance(planned.iterations, int) else True
    return math.isfinite(longest) and deep


def _is_better(deeper: AdaptivePlan, planned: AdaptivePlan, must_reach: Bool[np.ndarray, "H W"]) -> bool:
    """Whether more cells reach the goal, or as many and the paths that matter are no longer."""
    gained = int(deeper.rollouts.reached.sum()) - int(planned.rollouts.reached.sum())
    before = _lengths(planned, must_reach).sum()
    if not np.isfinite(before):
        return gained > 0
    return bool(_lengths(deeper, must_reach).sum() <= before + SAME_LENGTH)


SAME_LENGTH = 1e-6
"""Sums of the same moves in another order differ by less."""


def _lengths(planned: AdaptivePlan, must_reach: Bool[np.ndarray, "H W"]) -> Float64[np.ndarray, " n"]:
    """The lengths of the paths that matter; infinite where the goal is not reached."""
    return planned.rollouts.lengths.reshape(must_reach.shape)[must_reach]


def plan_fixed_depth(
    model: Model,
    problems: GridProblems,
    iterations: Iterations,
    *,
    corner_cutting: bool = True,
    legal_only: bool = False,
) -> AdaptivePlan:
    """Plans with a given number of backups."""
    plan = make_plan(model.network, problems, iterations)
    _, height, width = problems.obstacles.shape
    legal = legal_moves(problems.obstacles, corner_cutting=corner_cutting) if legal_only else None
    moves = greedy_moves(model.network, plan, len(problems), (height, width), legal=legal)
    return with_rollouts(plan, moves, problems, iterations, corner_cutting=corner_cutting)


def with_rollouts(
    plan: Any,
    moves: Int[np.ndarray, "B H W"],
    problems: GridProblems,
    iterations: Iterations,
    *,
    corner_cutting: bool = True,
) -> AdaptivePlan:
    """Plans that were made already, with the rollouts of their moves."""
    following = next_cells(moves, problems.obstacles, corner_cutting=corner_cutting)
    used = tuple(iterations) if isinstance(iterations, Sequence) else iterations
    rollouts = _rollouts(following, problems)
    return AdaptivePlan(plan if isinstance(plan, Plan) else None, moves, following, rollouts, used)


def _limited(iterations: Any, limit: int, *, factor: int = 1) -> Any:
    """So many times the backups, up to the limit."""
    if isinstance(iterations, tuple):
        return tuple(min(factor * level, limit) for level in iterations)
    return None if iterations is None else min(factor * iterations, limit)


def start_mask(problems: GridProblems) -> Bool[np.ndarray, "B H W"]:
    """True at the start of each problem."""
    starts = np.zeros(problems.obstacles.shape, bool)
    starts[np.arange(len(problems)), problems.starts[:, 0], problems.starts[:, 1]] = True
    return starts


def rollout_all_cells(moves: Int[np.ndarray, "B H W"], problems: GridProblems) -> AllStartsRollout:
    """Which cells reach the goal by the moves, and how long their paths are."""
    return _rollouts(next_cells(moves, problems.obstacles), problems)


def _rollouts(following: Int[np.ndarray, "B N"], problems: GridProblems) -> AllStartsRollout:
    width = problems.obstacles.shape[2]
    here = np.stack(np.divmod(np.arange(following.shape[1]), width))
    down, right = np.divmod(following, width) - here[:, None]
    lengths = np.hypot(down.astype(np.float64), right.astype(np.float64))
    return rollout_from_all_cells(following, lengths, problems.goals[:, 0] * width + problems.goals[:, 1])


@torch.no_grad()
def make_plan(policy: PlanningPolicy, problems: GridProblems, iterations: Iterations) -> Any:
    """One plan for each problem, on the policy's device; on maps without a wall around them the outside is blocked.

    With zero outside, as in the paper, a network may choose moves off the map; all maps of training have the wall.
    """
    observations = observe(problems.obstacles, problems.goals).to(device_of(policy))
    edge = np.ones(problems.obstacles.shape[1:], bool)
    edge[1:-1, 1:-1] = False
    if not problems.obstacles[:, edge].all():
        policy = with_blocked_outside(policy)
    return policy.plan(observations, iterations=iterations)


def with_blocked_outside(policy: PlanningPolicy) -> PlanningPolicy:
    """The same policy with a planner for which all beyond the edge of the map is blocked, where it has a choice."""
    planner = getattr(policy, "planner", None)
    if not isinstance(planner, GridPlanner | HierarchicalPlanner) or not isinstance(policy, nn.Module):
        return policy
    changed = copy(policy)
    changed._modules = {**policy._modules, "planner": planner.with_outside("blocked")}
    return changed  # pyright: ignore[reportReturnType]

"""How long to think about a map: K grows as long as a longer plan brings more cells to the goal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int

from vinlab.domains.gridworld.environment import step
from vinlab.domains.gridworld.problem import observe
from vinlab.evaluation.all_starts import AllStartsRollout, rollout_from_all_cells
from vinlab.evaluation.rollout import PlanningPolicy, device_of
from vinlab.models import Model
from vinlab.navigation.greedy import greedy_moves
from vinlab.types import GridProblems, Iterations, Plan


@dataclass(frozen=True)
class AdaptivePlan:
    """What a model made of some problems."""

    plan: Plan | None
    """None where the network does not plan on the grid."""
    moves: Int[np.ndarray, "B H W"]
    """What it would do in every cell."""
    rollouts: AllStartsRollout
    """Where that leads from every cell."""
    iterations: int | tuple[int, ...] | None
    """How many backups it took."""

    def each(self) -> "list[AdaptivePlan]":
        """What it made of each problem."""
        return [self._of(slice(index, index + 1)) for index in range(len(self.moves))]

    def _of(self, chosen: slice) -> "AdaptivePlan":
        plan = None if self.plan is None else self.plan[chosen]
        return AdaptivePlan(plan, self.moves[chosen], self.rollouts[chosen], self.iterations)


def plan_adaptively(
    model: Model,
    problem: GridProblems,
    *,
    must_reach: Bool[np.ndarray, "1 H W"],
    iterations: Iterations = None,
    corner_cutting: bool = True,
    max_iterations: int | None = None,
) -> AdaptivePlan:
    """A plan deep enough to bring all ``must_reach`` cells to the goal, or as many as a deeper one would.

    K starts from that of training, scaled to the map, and doubles up to the number of cells or ``max_iterations``.
    No exact planner is used: rollouts of the model's own moves tell which cells reach the goal. ``iterations`` fixes K.
    """
    (planned,) = plan_batch_adaptively(
        model,
        problem,
        must_reach=must_reach,
        iterations=iterations,
        corner_cutting=corner_cutting,
        max_iterations=max_iterations,
    )
    return planned


def plan_batch_adaptively(
    model: Model,
    problems: GridProblems,
    *,
    must_reach: Bool[np.ndarray, "B H W"],
    iterations: Iterations = None,
    corner_cutting: bool = True,
    max_iterations: int | None = None,
) -> list[AdaptivePlan]:
    """The plan of each problem that ``plan_adaptively`` makes of it alone; each round takes one batch."""
    if iterations is not None:
        return plan_fixed_depth(model, problems, iterations, corner_cutting=corner_cutting).each()
    cells = problems.obstacles[0].size
    limit = cells if max_iterations is None else min(cells, max_iterations)
    used = _limited(model.iterations_for(problems.obstacles.shape[1:]), limit)
    plans = plan_fixed_depth(model, problems, used, corner_cutting=corner_cutting).each()
    open_ones = [index for index, planned in enumerate(plans) if not _satisfied(planned, must_reach[index])]
    while open_ones and (longer := _limited(_doubled(used), limit)) != used:
        deeper = plan_fixed_depth(model, problems[np.array(open_ones)], longer, corner_cutting=corner_cutting)
        grown = {
            index: planned
            for index, planned in zip(open_ones, deeper.each(), strict=True)
            if planned.rollouts.reached.sum() > plans[index].rollouts.reached.sum()
        }
        for index, planned in grown.items():
            plans[index] = planned
        open_ones = [index for index, planned in grown.items() if not _satisfied(planned, must_reach[index])]
        used = longer
    return plans


def _satisfied(planned: AdaptivePlan, must_reach: Bool[np.ndarray, "H W"]) -> bool:
    return bool(planned.rollouts.reached.reshape(must_reach.shape)[must_reach].all())


def plan_fixed_depth(
    model: Model, problems: GridProblems, iterations: Iterations, *, corner_cutting: bool = True
) -> AdaptivePlan:
    """A plan of so many backups, and where it leads."""
    plan, moves = plan_with_border(model.network, problems, iterations)
    used = tuple(iterations) if isinstance(iterations, Sequence) else iterations
    return AdaptivePlan(
        plan if isinstance(plan, Plan) else None,
        moves,
        rollout_all_cells(moves, problems, corner_cutting=corner_cutting),
        used,
    )


def _doubled(iterations: Any) -> Any:
    if isinstance(iterations, tuple):
        return tuple(2 * level for level in iterations)
    return None if iterations is None else 2 * iterations


def _limited(iterations: Any, limit: int) -> Any:
    if isinstance(iterations, tuple):
        return tuple(min(level, limit) for level in iterations)
    return None if iterations is None else min(iterations, limit)


def start_mask(problems: GridProblems) -> Bool[np.ndarray, "B H W"]:
    """True at the start of each problem."""
    starts = np.zeros(problems.obstacles.shape, bool)
    starts[np.arange(len(problems)), problems.starts[:, 0], problems.starts[:, 1]] = True
    return starts


def rollout_all_cells(
    moves: Int[np.ndarray, "B H W"], problems: GridProblems, *, corner_cutting: bool = True
) -> AllStartsRollout:
    """Where the moves lead from every cell."""
    batch, height, width = moves.shape
    here = np.tile(np.indices((height, width)).reshape(2, -1).T, (batch, 1, 1))
    there = step(problems.obstacles, here, moves.reshape(batch, -1), corner_cutting=corner_cutting)
    lengths = np.hypot(*np.moveaxis((there - here).astype(np.float64), -1, 0))
    goals = problems.goals[:, 0] * width + problems.goals[:, 1]
    return rollout_from_all_cells(there[..., 0] * width + there[..., 1], lengths, goals)


@torch.no_grad()
def make_plan(policy: PlanningPolicy, problems: GridProblems, iterations: Iterations) -> Any:
    """One plan for each problem, made where the policy computes."""
    observations = observe(problems.obstacles, problems.goals).to(device_of(policy))
    return policy.plan(observations, iterations=iterations)


def plan_with_border(
    policy: PlanningPolicy, problems: GridProblems, iterations: Iterations
) -> tuple[Any, Int[np.ndarray, "B H W"]]:
    """A plan for each problem, and the policy's move in every cell.

    All maps of training have a wall around them. Where one lacks it, a network may want to leave the map, so it
    plans with a wall that is taken away again.
    """
    edge = np.ones(problems.obstacles.shape[1:], bool)
    edge[1:-1, 1:-1] = False
    plans = getattr(policy, "iterations", None) is not None
    wall = 1 if plans and not problems.obstacles[:, edge].all() else 0
    around = np.pad(problems.obstacles, ((0, 0), (wall, wall), (wall, wall)), constant_values=1)
    plan = make_plan(policy, GridProblems(around, problems.starts + wall, problems.goals + wall), iterations)
    moves = greedy_moves(policy, plan, len(around), (around.shape[1], around.shape[2]))
    inside = slice(wall, -wall or None)
    if wall and isinstance(plan, Plan):
        parts = (field[..., inside, inside] for field in (plan.reward, plan.q, plan.value))
        plan = Plan(*parts, coarser=plan.coarser)
    return plan, moves[:, inside, inside]

"""How long to think about a map: K grows as long as a longer plan brings more cells to the goal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int

from vinlab.domains.gridworld.environment import step
from vinlab.domains.gridworld.problem import observe
from vinlab.evaluation.all_starts import Everywhere, follow_everywhere
from vinlab.evaluation.rollout import PlanningPolicy, device_of
from vinlab.models import Model
from vinlab.navigation.greedy import best_moves
from vinlab.types import GridProblems, Iterations, Plan


@dataclass(frozen=True)
class Thought:
    """What a model made of some problems."""

    plan: Plan | None
    """None where the network does not plan on the grid."""
    moves: Int[np.ndarray, "B H W"]
    """What it would do in every cell."""
    ways: Everywhere
    """Where that leads from every cell."""
    iterations: int | tuple[int, ...] | None
    """How many backups it took."""

    def each(self) -> "list[Thought]":
        """What it made of each problem."""
        return [self._of(slice(index, index + 1)) for index in range(len(self.moves))]

    def _of(self, chosen: slice) -> "Thought":
        plan = None if self.plan is None else self.plan[chosen]
        return Thought(plan, self.moves[chosen], self.ways[chosen], self.iterations)


def think(
    model: Model,
    problem: GridProblems,
    *,
    wanted: Bool[np.ndarray, "1 H W"],
    iterations: Iterations = None,
    corner_cutting: bool = True,
    most: int | None = None,
) -> Thought:
    """A plan deep enough to bring all ``wanted`` cells to the goal, or as many as a deeper one would.

    K starts from that of training, scaled to the map, and doubles. No way is longer than the map has cells, nor
    is K (or ``most``). No exact planner is asked: the model's own moves, followed in mind, tell how far they lead.
    Where ``iterations`` are given, there are so many.
    """
    rules: dict[str, Any] = {"iterations": iterations, "corner_cutting": corner_cutting, "most": most}
    (thought,) = think_each(model, problem, wanted=wanted, **rules)
    return thought


def think_each(
    model: Model,
    problems: GridProblems,
    *,
    wanted: Bool[np.ndarray, "B H W"],
    iterations: Iterations = None,
    corner_cutting: bool = True,
    most: int | None = None,
) -> list[Thought]:
    """The thought about every problem that ``think`` would have about it alone; each round takes one batch."""
    if iterations is not None:
        return think_once(model, problems, iterations, corner_cutting=corner_cutting).each()
    cells = problems.obstacles[0].size
    limit = cells if most is None else min(cells, most)
    used = _limited(model.iterations_for(problems.obstacles.shape[1:]), limit)
    thoughts = think_once(model, problems, used, corner_cutting=corner_cutting).each()
    open_ones = [index for index, thought in enumerate(thoughts) if not _satisfied(thought, wanted[index])]
    while open_ones and (longer := _limited(_doubled(used), limit)) != used:
        deeper = think_once(model, problems[np.array(open_ones)], longer, corner_cutting=corner_cutting)
        grown = {
            index: thought
            for index, thought in zip(open_ones, deeper.each(), strict=True)
            if thought.ways.reached.sum() > thoughts[index].ways.reached.sum()
        }
        for index, thought in grown.items():
            thoughts[index] = thought
        open_ones = [index for index, thought in grown.items() if not _satisfied(thought, wanted[index])]
        used = longer
    return thoughts


def _satisfied(thought: Thought, wanted: Bool[np.ndarray, "H W"]) -> bool:
    return bool(thought.ways.reached.reshape(wanted.shape)[wanted].all())


def think_once(
    model: Model, problems: GridProblems, iterations: Iterations, *, corner_cutting: bool = True
) -> Thought:
    """A plan of so many backups, and where it leads."""
    plan, moves = plan_within_walls(model.network, problems, iterations)
    used = tuple(iterations) if isinstance(iterations, Sequence) else iterations
    return Thought(
        plan if isinstance(plan, Plan) else None,
        moves,
        ways_of(moves, problems, corner_cutting=corner_cutting),
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


def start_cells(problems: GridProblems) -> Bool[np.ndarray, "B H W"]:
    """True at the start of each problem."""
    starts = np.zeros(problems.obstacles.shape, bool)
    starts[np.arange(len(problems)), problems.starts[:, 0], problems.starts[:, 1]] = True
    return starts


def ways_of(
    moves: Int[np.ndarray, "B H W"], problems: GridProblems, *, corner_cutting: bool = True
) -> Everywhere:
    """Where the moves lead from every cell."""
    batch, height, width = moves.shape
    here = np.tile(np.indices((height, width)).reshape(2, -1).T, (batch, 1, 1))
    there = step(problems.obstacles, here, moves.reshape(batch, -1), corner_cutting=corner_cutting)
    lengths = np.hypot(*np.moveaxis((there - here).astype(np.float64), -1, 0))
    goals = problems.goals[:, 0] * width + problems.goals[:, 1]
    return follow_everywhere(there[..., 0] * width + there[..., 1], lengths, goals)


@torch.no_grad()
def make_plan(policy: PlanningPolicy, problems: GridProblems, iterations: Iterations) -> Any:
    """One plan for each problem, made where the policy computes."""
    observations = observe(problems.obstacles, problems.goals).to(device_of(policy))
    return policy.plan(observations, iterations=iterations)


def plan_within_walls(
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
    moves = best_moves(policy, plan, len(around), (around.shape[1], around.shape[2]))
    inside = slice(wall, -wall or None)
    if wall and isinstance(plan, Plan):
        parts = (field[..., inside, inside] for field in (plan.reward, plan.q, plan.value))
        plan = Plan(*parts, coarser=plan.coarser)
    return plan, moves[:, inside, inside]

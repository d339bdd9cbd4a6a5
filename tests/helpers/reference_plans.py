"""Plans by backups in plain tensor operations, which the planners are compared with."""

import torch
from torch import Tensor

from vinlab.planning.costs import UNREACHABLE, CostMap, MoveTable
from vinlab.planning.policy_evaluation import evaluate_moves, next_cells, settle
from vinlab.planning.policy_iteration import UncertainProblem, evaluate_policy, settled_policy


def reference_plan(problem: CostMap, moves: MoveTable) -> tuple[Tensor, Tensor, Tensor]:
    """The q, value and greedy moves, by backups until they settle."""
    greedy = settle(problem, moves)
    return *evaluate_moves(problem, moves, greedy), greedy


def reference_fixed_point(problem: UncertainProblem) -> tuple[Tensor, Tensor]:
    """The q and value at the fixed point, by policy iteration."""
    return evaluate_policy(problem, settled_policy(problem), problem.moves.offsets)


def unrolled_plan(problem: CostMap, moves: MoveTable, iterations: int) -> tuple[Tensor, Tensor]:
    """The q and value of K backups, each kept for the gradient: what an unrolled VIN computes with these costs."""
    costs, terminals = problem.costs.flatten(2), problem.terminals.flatten(1)
    value = torch.where(terminals, 0.0, UNREACHABLE).to(costs)
    following, possible = next_cells(problem, moves)

    def read_q(value: Tensor) -> Tensor:
        onwards = value[:, following]
        return (onwards - costs).where(possible & (onwards > UNREACHABLE / 2), UNREACHABLE)

    for _ in range(iterations):
        value = read_q(value).max(dim=1).values.masked_fill(terminals, 0.0)
    return read_q(value).view_as(problem.costs), value.view_as(problem.terminals)[:, None]

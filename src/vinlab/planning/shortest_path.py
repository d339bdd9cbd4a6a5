"""Value iteration to its fixed point where moves are known: a search from the goals, as a layer."""

from dataclasses import dataclass, replace
from typing import Final

import torch
from jaxtyping import Int8
from torch import Tensor, nn

from vinlab.planning.border import Outside
from vinlab.planning.costs import CostMap, MoveTable, refuse_iterations, require_cost_map, require_memory
from vinlab.planning.fused.search_function import is_searchable, search_plan
from vinlab.planning.settled import plan_anywhere
from vinlab.planning.tensors import at_least_float32, without_autocast
from vinlab.types import Iterations, Plan

MEMORY_LIMIT: Final = 8 * 2**30
"""Bytes that a plan may need unless told otherwise; 4,096 x 4,096 cells with eight moves need 2.4 GiB."""


@dataclass(frozen=True)
class ShortestPathPlan(Plan):
    """A plan whose value has settled, with the greedy move of every cell."""

    moves: Int8[Tensor, "B H W"] | None = None
    """The first of the best moves, compared in float64; -1 in terminal cells and in those without a path."""


class ShortestPathPlanner(nn.Module):
    """Value iteration with known moves, as many backups deep as it takes to settle (K = infinity).

    ``value = max over moves of q`` and ``q = -cost + value of the cell moved to``; in a terminal cell the value is 0
    whatever q says. Cells without a path to a terminal cell, and moves that leave the map, are not allowed or lead to
    such a cell, are worth ``UNREACHABLE`` and have no gradient. The gradient of a value goes to the costs along the
    path of greedy moves; of moves that are equally good the first in the table is greedy.

    The value is found by a search from the terminal cells and the gradient by one pass over the cells in the opposite
    order, so time and memory do not grow with the length of the paths. Sums are made in float64; the plan has the
    precision of the costs, at least float32.
    """

    iterations: None = None
    """There is no number of backups to choose."""
    outside: Outside = "blocked"
    """What lies beyond the edge of the map; there is no other rule."""

    def __init__(self, *, memory_limit: int = MEMORY_LIMIT) -> None:
        super().__init__()
        self.memory_limit = memory_limit

    def forward(
        self, problem: CostMap, moves: MoveTable | None = None, *, iterations: Iterations = None
    ) -> ShortestPathPlan:
        """Plan for every cell at once; works on any H and W. Without a table, the moves are the eight of a grid."""
        refuse_iterations(iterations)
        moves = MoveTable() if moves is None else moves
        require_memory(problem.costs.shape, item=problem.costs.element_size(), limit=self.memory_limit)
        with without_autocast(problem.costs):
            problem = replace(problem, costs=at_least_float32(problem.costs))
            if is_searchable(problem):
                require_cost_map(problem, moves)
                q, value, greedy = search_plan(problem, moves)
            else:
                q, value, greedy = plan_anywhere(problem, moves)
        return ShortestPathPlan(-problem.costs, q, value, moves=greedy.to(torch.int8))

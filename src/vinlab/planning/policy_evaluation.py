"""The fixed point of value iteration with known moves, in plain tensor operations: the reference for the search.

``settle`` backs up until nothing changes, which finds the greedy moves; ``evaluate_moves`` adds up the costs along
them, and can be differentiated any number of times. Both work on any device; sums are made in float64, so no move may
be 1e15 times cheaper than a path that it is part of (the search orders such moves rightly).
"""

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from vinlab.planning.costs import NO_MOVE, UNREACHABLE, CostMap, MoveTable
from vinlab.planning.tensors import are_transformed


@torch.no_grad()
def settle(problem: CostMap, moves: MoveTable) -> Int64[Tensor, "B H W"]:
    """The greedy move of every cell when value iteration has settled; of equal ones the first."""
    costs, terminals = problem.costs.double(), problem.terminals.flatten(1)
    distance = torch.where(terminals, 0.0, torch.inf).to(costs)
    following, possible = next_cells(problem, moves)
    while True:
        through = costs.flatten(2) + _read(distance, following).where(possible, torch.inf)
        best = through.min(dim=1)
        backed_up = best.values.masked_fill(terminals, 0.0)
        if torch.equal(backed_up, distance):
            decided = distance.isfinite() & ~terminals
            return best.indices.where(decided, NO_MOVE).view_as(problem.terminals)
        distance = backed_up


def evaluate_moves(
    problem: CostMap, moves: MoveTable, greedy: Int64[Tensor, "B H W"]
) -> tuple[Float[Tensor, "B A H W"], Float[Tensor, "B 1 H W"]]:
    """The q and value of making the given move in every cell, which must lead to a terminal cell.

    The number of moves that are added up doubles with every round, so a path of L moves takes log2(L) of them.
    """
    costs, going = problem.costs.double().flatten(2), greedy.flatten(1)
    following, possible = next_cells(problem, moves)
    chosen = going.clamp(min=0)[:, None]
    goes, here = going != NO_MOVE, torch.arange(going.shape[1], device=going.device)
    cost = costs.gather(1, chosen)[:, 0].where(goes, 0.0)
    cell = following.expand(len(going), -1, -1).gather(1, chosen)[:, 0].where(goes, here)
    for _ in range(int(going.shape[1]).bit_length()):
        if not are_transformed(costs, cell) and not goes.gather(1, cell).any():
            break  # what a transform of PyTorch follows must not depend on the numbers
        cost = cost + cost.gather(1, cell)
        cell = cell.gather(1, cell)
    reached = goes | problem.terminals.flatten(1)
    onwards = _read(cost, following)
    possible = possible & _read(reached, following)
    q = (-(costs + onwards)).where(possible, UNREACHABLE).view_as(problem.costs)
    value = (-cost).where(reached, UNREACHABLE).view_as(problem.terminals)[:, None]
    return q.to(problem.costs), value.to(problem.costs)


def next_cells(
    problem: CostMap, moves: MoveTable
) -> tuple[Int64[Tensor, "A N"], Bool[Tensor, "A N"] | Bool[Tensor, "B A N"]]:
    """The cell that each move leads to from each cell (0 where it leaves the map), and whether it is possible."""
    rows, cols = problem.costs.shape[2:]
    offsets = torch.as_tensor(moves.offsets, device=problem.costs.device)
    cells = torch.arange(rows * cols, device=offsets.device)
    row, col = cells // cols + offsets[:, :1], cells % cols + offsets[:, 1:]
    inside = (row >= 0) & (row < rows) & (col >= 0) & (col < cols)
    possible = inside if problem.allowed is None else inside & problem.allowed.flatten(2)
    return (row * cols + col).where(inside, 0), possible


def _read(image: Tensor, cells: Int64[Tensor, "A N"]) -> Tensor:
    """What ``image [B N]`` holds in the cells that moves lead to."""
    return image[:, cells]

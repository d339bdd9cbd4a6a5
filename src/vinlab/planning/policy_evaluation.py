"""The fixed point of value iteration with known moves, in plain tensor operations: the reference for the search.

``settle`` backs up until nothing changes, which finds the greedy moves; ``evaluate_moves`` adds up the costs along
them, and can be differentiated any number of times. Both work on any device; sums are made in float64, so no move may
be 1e15 times cheaper than a path that it is part of (the search orders such moves rightly).
"""

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from vinlab.planning.costs import NO_MOVE, UNREACHABLE, CostMap, MoveTable
from vinlab.planning.tensors import are_transformed


def settle(problem: CostMap, moves: MoveTable) -> Int64[Tensor, "B H W"]:
    """The greedy move of every cell when value iteration has settled; of equal ones the first."""
    costs, terminals = problem.costs.flatten(2), problem.terminals.flatten(1)
    return settled_states(costs, terminals, *next_cells(problem, moves)).view_as(problem.terminals)


@torch.no_grad()
def settled_states(
    costs: Float[Tensor, "B A N"],
    terminals: Bool[Tensor, "B N"],
    following: Int64[Tensor, "A N"],
    possible: Bool[Tensor, "A N"] | Bool[Tensor, "B A N"],
) -> Int64[Tensor, "B N"]:
    """The same for states in a row, given where each action leads and whether it is possible."""
    costs = costs.double()
    distance = torch.where(terminals, 0.0, torch.inf).to(costs)
    while True:
        best = (costs + distance[:, following].where(possible, torch.inf)).min(dim=1)
        backed_up = best.values.masked_fill(terminals, 0.0)
        if torch.equal(backed_up, distance):
            return best.indices.where(distance.isfinite() & ~terminals, NO_MOVE)
        distance = backed_up


def evaluate_moves(
    problem: CostMap, moves: MoveTable, greedy: Int64[Tensor, "B H W"]
) -> tuple[Float[Tensor, "B A H W"], Float[Tensor, "B 1 H W"]]:
    """The q and value of making the given move in every cell, which must lead to a terminal cell."""
    costs, terminals = problem.costs.flatten(2), problem.terminals.flatten(1)
    q, value = evaluate_states(costs, terminals, *next_cells(problem, moves), greedy.flatten(1))
    return q.view_as(problem.costs), value.view_as(problem.terminals)[:, None]


def evaluate_states(
    costs: Float[Tensor, "B A N"],
    terminals: Bool[Tensor, "B N"],
    following: Int64[Tensor, "A N"],
    possible: Bool[Tensor, "A N"] | Bool[Tensor, "B A N"],
    greedy: Int64[Tensor, "B N"],
) -> tuple[Float[Tensor, "B A N"], Float[Tensor, "B N"]]:
    """The same for states in a row.

    The number of moves that are added up doubles with every round, so a path of L moves takes log2(L) of them.
    """
    exact, chosen = costs.double(), greedy.clamp(min=0)[:, None]
    goes, here = greedy != NO_MOVE, torch.arange(greedy.shape[1], device=greedy.device)
    cost = exact.gather(1, chosen)[:, 0].where(goes, 0.0)
    state = following.expand(len(greedy), -1, -1).gather(1, chosen)[:, 0].where(goes, here)
    for _ in range(int(greedy.shape[1]).bit_length()):
        if not are_transformed(exact, state) and not goes.gather(1, state).any():
            break  # what a transform of PyTorch follows must not depend on the numbers
        cost = cost + cost.gather(1, state)
        state = state.gather(1, state)
    reached = goes | terminals
    q = (-(exact + cost[:, following])).where(possible & reached[:, following], UNREACHABLE)
    return q.to(costs), (-cost).where(reached, UNREACHABLE).to(costs)


def next_cells(
    problem: CostMap, moves: MoveTable
) -> tuple[Int64[Tensor, "A N"], Bool[Tensor, "A N"] | Bool[Tensor, "B A N"]]:
    """The cell that each move leads to from each cell (0 where it leaves the map), and whether it is possible."""
    cells, inside = shifted_cells(moves.offsets, problem.costs)
    return cells, inside if problem.allowed is None else inside & problem.allowed.flatten(2)


def shifted_cells(
    offsets: Int64[np.ndarray, "K 2"] | Int64[Tensor, "K 2"], maps: Float[Tensor, "_ _ H W"]
) -> tuple[Int64[Tensor, "K N"], Bool[Tensor, "K N"]]:
    """The cell at each offset from every cell of a map (0 off the map), and whether it is on the map."""
    rows, cols = maps.shape[2:]
    steps = torch.as_tensor(offsets, device=maps.device)
    here = torch.arange(rows * cols, device=steps.device)
    row, col = here // cols + steps[:, :1], here % cols + steps[:, 1:]
    inside = (row >= 0) & (row < rows) & (col >= 0) & (col < cols)
    return (row * cols + col).where(inside, 0), inside

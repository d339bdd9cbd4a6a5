"""One cost a cell, for networks and experts: costs of moves as tensors, and cheapest paths on many maps at once."""

import numpy as np
import torch
from jaxtyping import Bool, Float, Float64, Int, Int8
from torch import Tensor

from vinlab.planning.costs import CostMap, entered, mean_cost, terminals_at
from vinlab.planning.shortest_path import ShortestPathPlanner
from vinlab.types import MOVE_COSTS, InputError

LEAST_SHARE = 1e-9
"""Of the highest cost of a map, that a cell costs at least in a search, which needs costs above zero."""


def cell_move_costs(costs: Float[Tensor, "B H W"]) -> Float[Tensor, "B 8 H W"]:
    """The cost of each of the eight moves in each cell; a move off the map costs as if the map went on."""
    lengths = torch.as_tensor(MOVE_COSTS, dtype=costs.dtype, device=costs.device)[:, None, None]
    return mean_cost(lengths, costs[:, None], entered(costs, mode="replicate"))


def free_moves(blocked: Bool[Tensor, "B H W"]) -> Bool[Tensor, "B 8 H W"]:
    """The moves that enter a free cell; corners may be cut."""
    return entered((~blocked).float(), mode="replicate") > 0


def cheapest_moves(
    costs: Float[np.ndarray, "B H W"],
    goals: Int[np.ndarray, "B 2"],
    blocked: Bool[np.ndarray, "B H W"] | None = None,
) -> tuple[Int8[np.ndarray, "B H W"], Float64[np.ndarray, "B H W"]]:
    """The first move of a cheapest path from every cell, and its cost; -1 and infinity where there is none.

    The move at a goal is -1 too.
    """
    require_cell_costs(costs)
    cells = torch.from_numpy(np.ascontiguousarray(costs, dtype=np.float64))
    cells = cells.clamp(min=max(float(costs.max(initial=0.0)), 1e-30) * LEAST_SHARE)
    allowed = None if blocked is None else free_moves(torch.from_numpy(np.ascontiguousarray(blocked)))
    terminals = terminals_at(goals[:, None], costs.shape[1], costs.shape[2])
    plan = ShortestPathPlanner()(CostMap(cell_move_costs(cells), terminals, allowed))
    assert plan.moves is not None
    moves, value = plan.moves.numpy(), plan.value[:, 0].numpy()
    lost = (moves < 0) & ~terminals.numpy()
    return moves, np.where(lost, np.inf, -value)


def require_cell_costs(costs: Float[np.ndarray, "B H W"]) -> None:
    """Costs are finite and at least zero, or a sentence says what is not."""
    wrong = costs[~(np.isfinite(costs) & (costs >= 0))]
    if wrong.size:
        raise InputError(f"costs: expected finite costs of at least 0, got {wrong.flat[0]:g}.")


def path_cost(costs: Float[np.ndarray, "H W"], path: Int[np.ndarray, "T 2"]) -> float:
    """The cost of a path of neighbouring cells."""
    along = costs[tuple(path.T)].astype(np.float64)
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    return float(mean_cost(lengths, along[:-1], along[1:]).sum())

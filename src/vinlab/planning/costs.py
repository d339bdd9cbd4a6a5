"""What a planner with known moves is given: the cost of each move in each cell, the terminal cells, the moves."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Bool, Float, Float64, Int, Int64
from numpy.typing import ArrayLike
from torch import Tensor
from torch.nn import functional

from vinlab.types import MOVE_OFFSETS, InputError, Iterations

UNREACHABLE: Final = -1e30
"""The value of a cell without a path to a terminal cell, and q of a move that is impossible or leads to such a cell.

It has no gradient."""

MOST_COST: Final = 1e20
"""No move costs more, so that the value of every cell with a path is far above ``UNREACHABLE``."""

MOST_MOVES: Final = 127
"""The greedy move of a cell is kept in one signed byte."""

NO_MOVE: Final = -1
"""The greedy move of terminal cells and of cells without a path."""


@dataclass(frozen=True)
class CostMap:
    """The cost of each move in each cell, and the cells in which a path may end."""

    costs: Float[Tensor, "B A H W"]
    """Above zero; the cost of making the move in the cell, to be paid on leaving it."""
    terminals: Bool[Tensor, "_ _ _"]
    """The goals ``[B H W]``, at least one for each problem."""
    allowed: Bool[Tensor, "_ _ _ _"] | None = None
    """Moves ``[B A H W]`` that can be made at all; without it all moves that stay on the map."""

    def __post_init__(self) -> None:
        if self.costs.ndim != 4 or not self.costs.is_floating_point():
            raise InputError(
                f"expected costs with 4 axes and a decimal point, got {self.costs.dtype} of the shape "
                f"{tuple(self.costs.shape)}."
            )
        batch, _, *sides = self.costs.shape
        for name, part in (("terminal cells", self.terminals), ("allowed moves", self.allowed)):
            if part is not None and (part.dtype != torch.bool or part.device != self.costs.device):
                raise InputError(
                    f"expected {name} as booleans on {self.costs.device}, got {part.dtype} on {part.device}."
                )
        if tuple(self.terminals.shape) != (batch, *sides):
            raise InputError(
                f"expected terminal cells of the shape {(batch, *sides)}, got {tuple(self.terminals.shape)}."
            )
        if self.allowed is not None and self.allowed.shape != self.costs.shape:
            raise InputError(
                f"expected allowed moves of the shape {tuple(self.costs.shape)}, got {tuple(self.allowed.shape)}."
            )


@dataclass(frozen=True)
class MoveTable:
    """What each move adds to ``(row, col)``."""

    offsets: Int64[np.ndarray, "A 2"] = field(default_factory=lambda: MOVE_OFFSETS)

    def __post_init__(self) -> None:
        if self.offsets.dtype != np.int64 or self.offsets.ndim != 2 or self.offsets.shape[1] != 2:
            raise InputError(
                f"expected offsets of moves in int64 of the shape (A, 2), got {self.offsets.dtype} of the shape "
                f"{self.offsets.shape}; MoveTable.of converts them."
            )

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def lengths(self) -> Float64[np.ndarray, " A"]:
        """The length of each move in cells; one that stays takes as long as a step."""
        return np.maximum(np.hypot(self.offsets[:, 0], self.offsets[:, 1]), 1.0)

    @classmethod
    def of(cls, offsets: ArrayLike) -> "MoveTable":
        """The table of some offsets, checked."""
        table = np.asarray(offsets)
        if table.ndim != 2 or table.shape[1] != 2 or table.dtype.kind not in "iu":
            raise InputError(
                f"expected a table of moves with a whole (row, col) offset each, got {table.dtype} of the "
                f"shape {table.shape}."
            )
        if not 1 <= len(table) <= MOST_MOVES:
            raise InputError(f"expected 1 to {MOST_MOVES} moves, got {len(table)}.")
        return cls(np.ascontiguousarray(table, dtype=np.int64))


def mean_cost(lengths: Any, here: Any, there: Any) -> Any:
    """What a move costs where cells have costs: its length times the mean of the two cells that it joins.

    This is the rule of scikit-image's ``route_through_array`` with ``geometric=True``. Numbers, arrays and tensors will
    do; the compiled search computes the same from half the lengths.
    """
    return lengths * (here + there) / 2


def entered(
    cells: Float[Tensor, "B H W"],
    offsets: Int64[np.ndarray, "A 2"] = MOVE_OFFSETS,
    *,
    mode: str = "constant",
    value: float | None = None,
) -> Float[Tensor, "B A H W"]:
    """For each move the entry of the cell that it leads to; off the map ``value``, or as ``mode`` of PyTorch pads."""
    rows, cols = cells.shape[1:]
    reach = int(abs(offsets).max())
    around = functional.pad(cells[:, None], (reach,) * 4, mode=mode, value=value)[:, 0]
    corners = [(reach + int(down), reach + int(right)) for down, right in offsets]
    return torch.stack([around[:, y : y + rows, x : x + cols] for y, x in corners], dim=1)


def terminals_at(
    goals: Int[np.ndarray, "B G 2"] | Int[Tensor, "B G 2"], rows: int, cols: int
) -> Bool[Tensor, "B {rows} {cols}"]:
    """A map of terminal cells for each problem, from the ``(row, col)`` of its goals."""
    cells = torch.as_tensor(goals).long()
    outside = ((cells < 0) | (cells >= torch.tensor([rows, cols], device=cells.device))).any(dim=-1)
    if outside.any():
        first = tuple(cells[outside][0].tolist())
        raise InputError(f"expected goals inside the map of {rows} x {cols} cells, got {first}.")
    terminals = torch.zeros(len(cells), rows * cols, dtype=torch.bool, device=cells.device)
    terminals.scatter_(1, cells[..., 0] * cols + cells[..., 1], True)
    return terminals.view(len(cells), rows, cols)


def require_cost_map(problem: CostMap, moves: MoveTable) -> None:
    """Costs can be added up, every problem has a goal, and the moves fit, or a sentence says what does not."""
    actions = problem.costs.shape[1]
    if len(moves) != actions:
        raise InputError(f"expected one cost for each of the {len(moves)} moves, got {actions} in each cell.")
    _require_costs(problem.costs.detach())
    _require_goals(problem.terminals)


def _require_costs(costs: Tensor) -> None:
    if not costs.numel():
        return
    least, most = (float(bound) for bound in torch.aminmax(costs))
    if not (np.isfinite(least) and np.isfinite(most)):
        wrong = costs[~costs.isfinite()][0].item()
        raise InputError(f"expected finite costs, got {wrong}.")
    if least <= 0:
        raise InputError(f"expected costs above zero, got {least}.")
    if most > MOST_COST:
        raise InputError(f"expected costs of at most {MOST_COST:g}, got {most:g}.")


def _require_goals(terminals: Tensor) -> None:
    missing = (~terminals.flatten(1).any(dim=1)).nonzero()
    if len(missing):
        raise InputError(
            f"expected at least one goal for each problem, got none for problem {int(missing[0])} "
            f"of {len(terminals)}."
        )


def refuse_iterations(iterations: Iterations) -> None:
    """A planner to the fixed point has no number of backups."""
    if iterations is not None:
        raise InputError(
            f"expected no number of iterations, as this planner runs until the value settles, got {iterations}."
        )


def require_memory(shape: Sequence[int], *, item: int, limit: int) -> None:
    """The plan fits into the memory that it may use, or a sentence says how much it needs."""
    batch, actions, rows, cols = shape
    needed = memory_needed(shape, item=item)
    if needed > limit or rows * cols > np.iinfo(np.int32).max:
        raise InputError(
            f"expected maps that can be planned in {limit / 2**30:.1f} GiB, got {batch} of {rows} x {cols} cells "
            f"with {actions} moves, which need {needed / 2**30:.1f} GiB."
        )


def memory_needed(shape: Sequence[int], *, item: int) -> int:
    """Bytes of a plan and of the search for it, for costs ``[B A H W]`` of ``item`` bytes each.

    For each problem costs, reward and q, the value, and 13 bytes of distance, greedy move and order of search in
    every cell; for each problem that is searched at a time the costs once more, and 9 bytes in every cell.
    """
    batch, actions, rows, cols = shape
    kept = 3 * actions * item + item + 13
    searched = actions * item + 9
    return rows * cols * (batch * kept + min(batch, torch.get_num_threads()) * searched)

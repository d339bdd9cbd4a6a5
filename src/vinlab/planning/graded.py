"""Exact planning on graded grids: cells or moves with costs, and blocked cells apart.

A move costs its length (1 or the square root of 2) times the mean of its two cells (``mean_cost``); or each move in
each cell has a cost of its own, so that uphill and downhill can differ.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Float64, Int, Int64, Shaped

from vinlab.planning.costs import MOST_COST, mean_cost
from vinlab.types import MOVE_COSTS, MOVE_NAMES, MOVE_OFFSETS, InputError

BORDER = 1
"""Blocked cells around a grid, so that no move leaves it."""


@dataclass(frozen=True)
class GradedGrid:
    """What moves on a grid cost."""

    cells: Float64[np.ndarray, "H W"]
    """The cost of each cell, above zero; infinite where it is blocked."""
    moves: Float64[np.ndarray, "8 _ _"] | Callable[[int], Float64[np.ndarray, "_ _"]] | None = None
    """The cost of each move in each cell, infinite where it is impossible, or a function that gives those of one move,
    so that all eight are never held at once; without it that of the two cells."""
    corner_cutting: bool = True
    """Whether a diagonal move may pass the corner of a blocked cell."""

    def __post_init__(self) -> None:
        require_costs(self.cells, "costs")
        if isinstance(self.moves, np.ndarray):
            if self.moves.shape[1:] != self.cells.shape:
                raise InputError(
                    f"moves: expected costs of moves on {self.cells.shape} cells, got {self.moves.shape[1:]}."
                )
            require_costs(self.moves, "moves")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.cells.shape[0], self.cells.shape[1]

    def move_costs(self) -> Float64[np.ndarray, "8 H W"]:
        """The cost of each move in each cell; infinite where it is impossible."""
        return np.stack([self.costs_of(move) for move in range(len(MOVE_NAMES))])

    def costs_of(self, move: int) -> Float64[np.ndarray, "H W"]:
        """The cost of one move in each cell; infinite where it is impossible."""
        around = np.pad(self.cells, BORDER, constant_values=np.inf)
        down, right = MOVE_OFFSETS[move].tolist()
        if self.moves is None:
            found = mean_cost(MOVE_COSTS[move], self.cells, shifted(around, down, right))
        else:
            entered = np.isfinite(self.cells) & np.isfinite(shifted(around, down, right))
            found = np.where(entered, self._own_costs(move), np.inf)
        if not self.corner_cutting and down and right:
            beside = np.isfinite(shifted(around, down, 0)) & np.isfinite(shifted(around, 0, right))
            found[~beside] = np.inf
        return found

    def _own_costs(self, move: int) -> Float64[np.ndarray, "H W"]:
        """What a move costs by itself in each cell, whatever is blocked."""
        if not callable(self.moves):
            assert self.moves is not None
            return self.moves[move]
        found = self.moves(move)
        require_costs(found, "moves")
        return found


def shifted(padded: Shaped[np.ndarray, "*B P Q"], down: int, right: int) -> Shaped[np.ndarray, "*B H W"]:
    """The entry of each cell's neighbour, without the padding of one cell."""
    rows, cols = padded.shape[-2:]
    return padded[..., 1 + down : rows - 1 + down, 1 + right : cols - 1 + right]


def require_costs(costs: Float[np.ndarray, "..."], name: str) -> None:
    """Costs are above zero and not too large to be added up; infinity means blocked."""
    # A comparison with not-a-number is false.
    wrong = ~((costs > 0) & ((costs <= MOST_COST) | (costs == np.inf)))
    if wrong.any():
        raise InputError(
            f"{name}: expected costs above zero and at most {MOST_COST:g}, or infinity for blocked, got "
            f"{costs[wrong].flat[0]:g}."
        )


def require_cells(cells: Any, shape: tuple[int, int], name: str) -> Int64[np.ndarray, "N 2"]:
    """Some cells ``(row, col)`` of a grid, or one of them, as an array."""
    found = np.asarray(cells)
    if found.ndim == 1 and len(found) == 2:
        found = found[None]
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise InputError(
            f"{name}: expected whole numbers (row, col), got {found.dtype} of the shape {found.shape}."
        )
    outside = ((found < 0) | (found >= shape)).any(axis=1)
    if outside.any():
        first = tuple(found[outside][0].tolist())
        raise InputError(f"{name}: expected cells of a map of {shape[0]} x {shape[1]} cells, got {first}.")
    return np.ascontiguousarray(found, dtype=np.int64)


class MoveSteps(NamedTuple):
    """The moves on a grid whose cells are counted row by row, for the compiled search."""

    jumps: np.ndarray
    """What each move adds to the number of a cell."""
    down: np.ndarray
    """The same of the part along the column,"""
    right: np.ndarray
    """and along the row."""
    half: np.ndarray
    """Half the length of each move."""


def move_steps(width: int) -> MoveSteps:
    """The moves on a grid of so many columns, the border included."""
    down, right = MOVE_OFFSETS[:, 0] * width, MOVE_OFFSETS[:, 1].copy()
    return MoveSteps(down + right, down, right, MOVE_COSTS / 2)


def graded_cost_to_go(grid: GradedGrid, goals: Any) -> Float64[np.ndarray, "H W"]:
    """The cost of the cheapest path from every cell to the nearest goal; infinite where there is none."""
    from vinlab.planning.replanning import CostField

    return CostField(grid, goals).costs


def graded_path_cost(grid: GradedGrid, path: Int[np.ndarray, "T 2"]) -> float:
    """What a path of neighbouring cells costs; infinite where one of its moves is impossible."""
    return float(graded_step_costs(grid, path).sum())


def graded_step_costs(grid: GradedGrid, path: Int[np.ndarray, "T 2"]) -> Float64[np.ndarray, " S"]:
    """The cost of each move of a path of neighbouring cells."""
    here, there = (path[:-1, 0], path[:-1, 1]), (path[1:, 0], path[1:, 1])
    steps = np.diff(path, axis=0)
    matches = (steps[:, None] == MOVE_OFFSETS).all(axis=-1)
    if not matches.any(axis=1).all():
        raise InputError("path: expected moves between neighbouring cells, got a step that is none.")
    moves = matches.argmax(axis=1)
    if grid.moves is None:
        costs = mean_cost(MOVE_COSTS[moves], grid.cells[here], grid.cells[there])
    else:
        costs = np.empty(len(moves))
        for move in set(moves.tolist()):
            costs[moves == move] = grid.costs_of(move)[here][moves == move]
    if not grid.corner_cutting:
        beside = np.isfinite(grid.cells[here[0], there[1]]) & np.isfinite(grid.cells[there[0], here[1]])
        costs = np.where(beside, costs, np.inf)
    return costs

"""The cost to go of a graded grid, kept while cells of the grid change."""

from functools import cached_property
from typing import Any, Final

import numpy as np
from jaxtyping import Float64, Int64

from vinlab.planning.graded import BORDER, GradedGrid, move_steps, require_cells, require_costs
from vinlab.types import MOVE_NAMES, InputError

ORDER_BUCKETS: Final = 1 << 16
"""How finely a repair sorts cells by their old cost to go."""

SWEEP_BUCKETS: Final = 1 << 12
"""How finely a sweep sorts them."""

BLOCKS, FEW_BLOCKS = 16, 0.25
"""A change that touches more than this share of 16 x 16 blocks of the grid is scattered over it."""

LONGEST: Final = 1.5
"""More than the longest move is long."""

LARGEST_UNIT: Final = 0.999
"""Of the cheapest move, the width of a bucket, so that no move stays within one."""


class CostField:
    """The cost of the cheapest path from every cell to the nearest of some goals.

    ``update`` changes costs of cells and corrects the field. Where this changes the cost to go of few cells, these
    alone are computed anew; where of many, all are, in their old order. The result is the same to the last bit as that
    of a new search. Not safe for use by several threads at once.
    """

    def __init__(self, grid: GradedGrid, goals: Any) -> None:
        self._rows, self._cols = grid.shape
        self._width = self._cols + 2 * BORDER
        self._corner_cutting = grid.corner_cutting
        self._cells = np.pad(grid.cells, BORDER, constant_values=np.inf).ravel()
        self._moves = np.empty(0) if grid.moves is None else _moves_by_cell(grid)
        self._steps = move_steps(self._width)
        size = len(self._cells)
        self._distance = np.empty(size)
        links = [np.full(count, -1, np.int32) for count in (65, size, size)]
        self._queue = (*links, np.empty(size, np.uint8))
        self._least, self._most = np.inf, 0.0
        self._widen_range(self._moves if len(self._moves) else self._cells)
        self.recomputed = size
        """How many cells the last search or update computed anew."""
        self.set_goals(goals)

    def set_goals(self, goals: Any) -> None:
        """Search anew, for other goals."""
        from vinlab.planning.fused.graded import search_grid

        cells = require_cells(np.asarray(goals), (self._rows, self._cols), "goals")
        if not len(cells):
            raise InputError("goals: expected at least one cell, got none.")
        self._goals = np.zeros(len(self._cells), np.bool_)
        self._goals[self._numbers(cells)] = True
        search_grid(*self._ground(), self._goals, self._scale, self._distance, self._queue)
        self.recomputed = len(self._cells)
        reached = self._distance[np.isfinite(self._distance)]
        farthest = float(reached.max()) if len(reached) else 0.0
        self._unit = (ORDER_BUCKETS - 2) / farthest if farthest else 1.0

    @property
    def grid(self) -> GradedGrid:
        """The grid as it is now."""
        moves = None
        if len(self._moves):
            by_cell = self._moves.reshape(-1, self._width, len(MOVE_NAMES))
            moves = np.moveaxis(by_cell[BORDER:-BORDER, BORDER:-BORDER], -1, 0).copy()
        return GradedGrid(self._inside(self._cells).copy(), moves, self._corner_cutting)

    @property
    def costs(self) -> Float64[np.ndarray, "H W"]:
        """The cost to go of every cell; infinite where no path leads to a goal."""
        return self._inside(self._distance).copy()

    def cost_from(self, start: tuple[int, int]) -> float:
        """The cost to go of one cell."""
        (cell,) = require_cells(np.asarray(start), (self._rows, self._cols), "start")
        return float(self._distance[self._numbers(cell[None])[0]])

    def path(self, start: tuple[int, int]) -> Int64[np.ndarray, "T 2"]:
        """The cheapest path from a cell to a goal; the cell alone where there is none."""
        from vinlab.planning.fused.graded_repair import follow

        cells = require_cells(np.asarray(start), (self._rows, self._cols), "start")
        room = np.empty(len(self._cells), np.int32)
        count = follow(*self._ground(), self._distance, int(self._numbers(cells)[0]), room)
        return np.stack(np.divmod(room[:count].astype(np.int64), self._width), axis=-1) - BORDER

    def update(self, cells: Any, costs: Any) -> None:
        """Give some cells other costs, infinity for blocked, and correct the field."""
        if len(self._moves):
            raise InputError(
                "cells: expected a grid with a cost for each cell, got one with a cost for each move."
            )
        where, values = self._require_change(cells, np.asarray(costs, dtype=np.float64))
        self._cells[where] = values
        self._correct(where, values)

    def update_moves(self, cells: Any, costs: Any, moves: Float64[np.ndarray, "_ _"]) -> None:
        """The same where moves have costs of their own: those of all moves that start in a changed cell.

        ``costs`` says which cells are blocked, by infinity.
        """
        if not len(self._moves):
            raise InputError(
                "moves: expected a grid with a cost for each move, got one with a cost for each cell."
            )
        where, values = self._require_change(cells, np.asarray(costs, dtype=np.float64))
        require_costs(moves, "moves")
        if moves.shape != (len(where), len(MOVE_NAMES)):
            raise InputError(f"moves: expected {len(where)} rows of 8 costs, got the shape {moves.shape}.")
        self._cells[where] = values
        self._moves.reshape(-1, len(MOVE_NAMES))[where] = moves
        self._correct(where, moves.ravel())

    def _require_change(self, cells: Any, costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the changed cells and their costs, checked before anything is changed."""
        found = np.asarray(cells)
        if found.size == 0:
            found = found.reshape(0, 2).astype(np.int64)
        places = require_cells(found, (self._rows, self._cols), "cells")
        values = np.broadcast_to(costs, len(places)) if costs.ndim == 0 else costs
        if values.shape != (len(places),):
            raise InputError(
                f"costs: expected one for each of {len(places)} cells, got the shape {costs.shape}."
            )
        require_costs(values, "costs")
        return self._numbers(places), values

    def _correct(self, changed: Int64[np.ndarray, " N"], costs: Float64[np.ndarray, " M"]) -> None:
        self._widen_range(costs)
        if len(self._moves) or not self._is_scattered(changed):
            self.recomputed = self._repair(changed)
            if self.recomputed >= 0:
                return
            changed = np.concatenate([changed, self._touched[: -self.recomputed]])
        self._sweep(changed)
        self.recomputed = len(self._cells)

    def _is_scattered(self, changed: Int64[np.ndarray, " N"]) -> bool:
        """Whether cells lie all over the grid, so that nearly every cost to go changes."""
        rows, cols = np.divmod(changed, self._width)
        heights, widths = (-(-side // BLOCKS) for side in (self._rows, self._cols))
        blocks = (rows - BORDER) // heights * BLOCKS + (cols - BORDER) // widths
        touched = np.count_nonzero(np.bincount(blocks, minlength=BLOCKS * BLOCKS))
        return bool(touched > FEW_BLOCKS * BLOCKS * BLOCKS)

    def _repair(self, changed: Int64[np.ndarray, " N"]) -> int:
        """Compute anew what follows from a change: how many cells; negative where it gave up before the end."""
        from vinlab.planning.fused.graded_repair import repair_grid

        # As fine as the queue of the search at most, and coarser where its buckets would be too many.
        unit = min(self._unit, self._scale or np.inf)
        fixed = [*self._ground(), self._goals, self._scale, unit, changed]
        kept = [self._distance, self._queue, self._repair_space, self._touched]
        return int(repair_grid(*fixed, *kept))

    def _sweep(self, changed: Int64[np.ndarray, " N"]) -> None:
        """Compute all cells anew in their old order."""
        from vinlab.planning.fused.graded_sweep import sweep_grid

        counts = np.empty(SWEEP_BUCKETS + 2, np.int32)
        kept = [self._distance, self._queue, counts, self._touched]
        sweep_grid(*self._ground(), self._goals, self._scale, changed, *kept)

    @cached_property
    def _repair_space(self) -> tuple[Any, ...]:
        """What repairs need beside the search, 5 bytes a cell; a field that is never changed has none."""
        size = len(self._cells)
        first = np.full(ORDER_BUCKETS, -1, np.int32)
        return np.full(size, 0, np.uint8), first, np.full(size, -1, np.int32)

    @cached_property
    def _touched(self) -> np.ndarray:
        """Room for all cells twice, for repairs and sweeps; 8 bytes a cell."""
        return np.empty(2 * len(self._cells), np.int32)

    def _ground(self) -> tuple[Any, ...]:
        """What moves cost, as the compiled search takes it."""
        return self._cells, self._moves, self._steps, self._corner_cutting

    def _widen_range(self, costs: Float64[np.ndarray, " N"]) -> None:
        """Note the least and most that any move may cost now or has cost."""
        known = np.isfinite(costs)
        self._least = float(np.min(costs, initial=self._least, where=known))
        self._most = float(np.max(costs, initial=self._most, where=known))

    @property
    def _scale(self) -> float:
        """Buckets of the search for a cost of 1; 0 where there would be too many, and it sorts by bits instead."""
        from vinlab.planning.fused.search import MOST_UNITS

        if not 0 < len(self._cells) * LONGEST * self._most < MOST_UNITS * self._least:
            return 0.0
        return 1.0 / (LARGEST_UNIT * self._least)

    def _numbers(self, cells: Int64[np.ndarray, "N 2"]) -> Int64[np.ndarray, " N"]:
        return (cells[:, 0] + BORDER) * self._width + cells[:, 1] + BORDER

    def _inside(self, values: np.ndarray) -> np.ndarray:
        return values.reshape(-1, self._width)[BORDER:-BORDER, BORDER:-BORDER]


def _moves_by_cell(grid: GradedGrid) -> Float64[np.ndarray, " N"]:
    """The costs of the moves of one cell after those of another."""
    rows, cols = (side + 2 * BORDER for side in grid.shape)
    found = np.full((rows, cols, len(MOVE_NAMES)), np.inf)
    for move in range(len(MOVE_NAMES)):
        found[BORDER:-BORDER, BORDER:-BORDER, move] = grid.costs_of(move)
    return found.ravel()

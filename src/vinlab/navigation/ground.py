"""What moves cost on a map that changes, exactly or by a model, for planners with a memory."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float64, Int64

from vinlab.domains.gridworld.problem import observe
from vinlab.maps import GridMap
from vinlab.models import Model
from vinlab.navigation.graded import grid_of, observe_map
from vinlab.navigation.greedy import settles_alone, takes_costs
from vinlab.planning.costs import MOST_COST
from vinlab.planning.graded import GradedGrid, require_cells
from vinlab.types import MOVE_OFFSETS, InputError


@dataclass(frozen=True)
class Change:
    """The cells whose moves cost something else now."""

    cells: Int64[np.ndarray, "N 2"]
    costs: Float64[np.ndarray, " N"]
    """Of the cells; infinite where they are blocked."""
    moves: Float64[np.ndarray, "N 8"] | None = None
    """Of all moves that start in them, where moves have costs of their own."""


class Ground:
    """A map that can change, and what moves on it cost: what the map says, unless a subclass knows better."""

    map: GridMap

    def grid(self) -> GradedGrid:
        """What moves cost now."""
        return grid_of(self.map)

    def is_free(self, cell: tuple[int, int]) -> bool:
        """Whether a cell is free now."""
        return not self.map.obstacles[cell]

    def change(self, cells: Int64[np.ndarray, "N 2"], values: np.ndarray) -> Change | None:
        """Give cells other values; what this changes, or None where it may be everything."""
        raise NotImplementedError


def ground_of(model: Model | None, map: GridMap, *, corner_cutting: bool | None = None) -> Ground:
    """The ground of a map, with the exact costs or those of a model."""
    cutting = map.corner_cutting if corner_cutting is None else corner_cutting
    map = replace(copy_of(map), corner_cutting=cutting)
    if model is None:
        return ExactGround(map)
    if not settles_alone(model.network):
        raise InputError(
            "expected a model that plans to the fixed point with known moves, such as grid/any, grid/strict or "
            f"grid/costs, got {model.id}."
        )
    return LearnedGround(model, map)


def copy_of(map: GridMap) -> GridMap:
    """The same map, whose arrays can change without the first one's."""
    costs = None if map.costs is None else map.costs.copy()
    relief = None if map.relief is None else replace(map.relief, elevation=map.relief.elevation.copy())
    return replace(map, obstacles=map.obstacles.copy(), costs=costs, relief=relief)


class ExactGround(Ground):
    """Moves that cost what the map says: its costs, its slopes, or their length."""

    def __init__(self, map: GridMap) -> None:
        self.map = map

    def change(self, cells: Int64[np.ndarray, "N 2"], values: np.ndarray) -> Change:
        """Give cells other values; what this changes."""
        places = _set_values(self, cells, values)
        if self.map.relief is None:
            return Change(places, _cell_costs(self.map, places))
        around = _with_neighbours(places, self.map.obstacles.shape)
        window = _window(around, 1, self.map.obstacles.shape)
        return _moves_change(self.map, around, window, grid_of(_cut(self.map, window)).move_costs())


class LearnedGround(Ground):
    """Moves that cost what a model says, where they are possible on the map."""

    def __init__(self, model: Model, map: GridMap) -> None:
        self.map, self._network = map, model.network
        self._shown = takes_costs(model.network)
        if map.is_graded and not self._shown:
            raise InputError(
                f"expected a map without costs for {model.id}, which does not see them, got one with."
            )
        if map.relief is not None:
            observe_map(map, np.zeros(map.obstacles.shape, bool))  # says that heights cannot be shown
        self._reach = self._network.reward.features.kernel_size[0] // 2
        self._lowest = _lowest(map)

    def grid(self) -> GradedGrid:
        """What moves cost now."""
        return self._grid(self.map)

    def change(self, cells: Int64[np.ndarray, "N 2"], values: np.ndarray) -> Change | None:
        """Give cells other values; what this changes, for which the model looks at the part around them again."""
        places = _set_values(self, cells, values)
        shape = self.map.obstacles.shape
        if _lowest(self.map) != self._lowest:
            # What the model is shown are multiples of the lowest cost.
            self._lowest = _lowest(self.map)
            return None
        if self._reach == 0 and hasattr(self._network.reward, "prices"):
            # A price depends on its own cell alone: the model is shown these cells, wherever they lie.
            return Change(places, self._grid(_in_a_row(self.map, places)).cells[0])
        for _ in range(self._reach + 1):
            places = _with_neighbours(places, shape)
        window = _window(places, self._reach + 1, shape)
        grid = self._grid(_cut(self.map, window))
        if grid.moves is not None:
            return _moves_change(self.map, places, window, grid.move_costs())
        return Change(places, grid.cells[tuple((places - (window[0].start, window[1].start)).T)])

    @torch.no_grad()
    def _grid(self, map: GridMap) -> GradedGrid:
        nothing = np.zeros(map.obstacles.shape, bool)
        if self._shown:
            seen = observe_map(map, nothing, lowest=self._lowest)
        else:
            seen = observe(map.obstacles[None], np.zeros((1, 2), np.int64))
        device = next(self._network.parameters()).device
        reward, blocked = self._network.reward, map.obstacles != 0
        if hasattr(reward, "prices"):
            # Moves cost the mean of two cells: their prices are an eighth of the numbers, and the search is faster.
            prices = reward.prices(seen.to(device))[0].cpu().numpy().astype(np.float64)
            return GradedGrid(np.where(blocked, np.inf, prices), corner_cutting=map.corner_cutting)
        moves = reward.costs(seen.to(device))[0].cpu().numpy().astype(np.float64)
        return GradedGrid(np.where(blocked, np.inf, 1.0), moves, map.corner_cutting)


def _set_values(ground: Ground, cells: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Write values into the map: obstacles, costs or heights; the cells, checked."""
    map = ground.map
    places = require_cells(cells, (map.obstacles.shape[0], map.obstacles.shape[1]), "cells")
    if values.ndim == 0:
        values = np.broadcast_to(values, len(places))
    if values.shape != (len(places),):
        raise InputError(
            f"values: expected one for each of {len(places)} cells, got the shape {values.shape}."
        )
    where = tuple(places.T)
    if not map.is_graded:
        strange = values[(values != 0) & (values != 1)]
        if strange.size:
            raise InputError(f"values: expected only 0 (free) and 1 (blocked), got {strange.flat[0]:g}.")
        map.obstacles[where] = values
        return places
    blocked = np.isposinf(values)
    low = 0.0 if map.relief is None else -np.inf
    wrong = values[~(blocked | ((np.abs(values) <= MOST_COST) & (values > low)))]
    if wrong.size:
        kind = "costs above zero" if map.relief is None else "heights"
        raise InputError(f"values: expected finite {kind}, or infinity for blocked, got {wrong.flat[0]:g}.")
    map.obstacles[where] = blocked
    kept = map.costs if map.relief is None else map.relief.elevation
    assert kept is not None
    kept[where] = np.where(blocked, kept[where] if map.relief is not None else 1.0, values)
    return places


def _cell_costs(map: GridMap, cells: Int64[np.ndarray, "N 2"]) -> Float64[np.ndarray, " N"]:
    where = tuple(cells.T)
    costs = np.ones(len(cells)) if map.costs is None else map.costs[where]
    return np.where(map.obstacles[where] != 0, np.inf, costs)


def _lowest(map: GridMap) -> float:
    """The lowest cost of a free cell."""
    return 1.0 if map.costs is None else float(map.costs[map.obstacles == 0].min(initial=np.inf))


def _with_neighbours(cells: Int64[np.ndarray, "N 2"], shape: Iterable[int]) -> Int64[np.ndarray, "M 2"]:
    """The cells and those around them."""
    rows, cols = shape
    around = (cells[:, None] + np.concatenate([[[0, 0]], MOVE_OFFSETS])).reshape(-1, 2)
    inside = ((around >= 0) & (around < (rows, cols))).all(axis=1)
    numbers = np.unique(around[inside] @ (cols, 1))
    return np.stack(np.divmod(numbers, cols), axis=-1)


def _window(cells: np.ndarray, margin: int, shape: Iterable[int]) -> tuple[slice, slice]:
    """The part of the map around some cells."""
    if not len(cells):
        return slice(0, 1), slice(0, 1)
    low, high = cells.min(axis=0) - margin, cells.max(axis=0) + margin + 1
    rows, cols = (
        slice(max(int(a), 0), min(int(b), side)) for a, b, side in zip(low, high, shape, strict=True)
    )
    return rows, cols


def _cut(map: GridMap, window: tuple[slice, slice]) -> GridMap:
    """A part of a map."""
    relief = map.relief if map.relief is None else replace(map.relief, elevation=map.relief.elevation[window])
    costs = None if map.costs is None else map.costs[window]
    return replace(map, obstacles=map.obstacles[window], costs=costs, relief=relief, water_obstacles=None)


def _in_a_row(map: GridMap, cells: Int64[np.ndarray, "N 2"]) -> GridMap:
    """A map of one row, of some cells of another."""
    where = tuple(cells[None].transpose(2, 0, 1))
    costs = None if map.costs is None else map.costs[where]
    return replace(map, obstacles=map.obstacles[where], costs=costs, water_obstacles=None)


def _moves_change(
    map: GridMap,
    cells: Int64[np.ndarray, "N 2"],
    window: tuple[slice, slice],
    moves: Float64[np.ndarray, "8 h w"],
) -> Change:
    """The change of some cells, from the costs of moves in a window that holds them and what they depend on."""
    inside = cells - (window[0].start, window[1].start)
    return Change(cells, _cell_costs(map, cells), moves[:, *inside.T].T)

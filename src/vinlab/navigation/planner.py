"""A planner with a memory, for robots: the map changes, and only what follows from the change is planned anew."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from vinlab.domains.gridworld.validation import require_map, require_position
from vinlab.maps import GridMap
from vinlab.maps.transform import CELLS
from vinlab.models import Model, load
from vinlab.navigation.ground import Ground, copy_of, ground_of
from vinlab.navigation.picture_ground import PictureGround, sees_pixels
from vinlab.planning.replanning import CostField
from vinlab.types import InputError

MANY = 8
"""Where more than one in so many cells have other costs of their moves, planning anew is faster than a repair."""


class Planner:
    """The cheapest paths on a map that changes, to the nearest of some goals.

    Without a model they are exact; with one they are cheapest by the costs that it has learned, on the moves that are
    possible on the map. A model of ground in images is given the image ``[C h w]`` in place of a map. All methods may
    be called by several threads: a lock lets one of them in at a time.
    """

    def __init__(
        self,
        model: Model | str | Path | None,
        map: Any,
        *,
        corner_cutting: bool | None = None,
    ) -> None:
        self._lock = threading.RLock()
        named = load(model) if isinstance(model, str | Path) else model
        if named is not None and sees_pixels(named) and not isinstance(map, GridMap):
            self._ground: Ground = PictureGround(named, map, corner_cutting=corner_cutting)
        else:
            known = map if isinstance(map, GridMap) else GridMap(require_map(map), "An array.")
            self._ground = ground_of(named, known, corner_cutting=corner_cutting)
        self._frame = self._ground.map.frame
        self._field: CostField | None = None
        self._goals: list[tuple[int, int]] = []

    def goal(self, cells: Any, *, world: bool = False) -> None:
        """Plan to a goal ``(row, col)``, or to the nearest of several; with ``world`` they are ``(x, y)``."""
        places = np.atleast_2d(np.asarray(cells))
        if places.ndim != 2 or places.shape[1] != 2 or not len(places):
            raise InputError(f"goal: expected (row, col) or a list of them, got the shape {places.shape}.")
        goals = [self._cell(place, "goal", world) for place in places]
        with self._lock:
            for row, col in goals:
                if not self._ground.is_free((row, col)):
                    raise InputError(f"goal ({row}, {col}) lies on an obstacle; expected a free cell.")
            self._goals = goals
            if self._field is None:
                self._field = CostField(self._ground.grid(), goals)
            else:
                self._field.set_goals(goals)

    def update(self, cells: Any, values: Any) -> None:
        """Give some cells other values, and correct the plan.

        The values are what the map holds: 0 for free and 1 for blocked; on a map with costs their costs, infinity for
        blocked; on a map of heights their heights, infinity for blocked; in an image the values ``[N C]`` of their
        pixels. A change that is refused changes nothing.
        """
        places = np.asarray(cells)
        places = np.empty((0, 2), np.int64) if places.size == 0 else np.atleast_2d(places)
        with self._lock:
            change = self._ground.change(places, np.asarray(values, dtype=np.float64))
            if self._field is None:
                return
            size = self._ground.map.obstacles.size
            if change is None or (change.moves is not None and len(change.cells) * MANY > size):
                self._field = CostField(self._ground.grid(), self._goals)
            elif change.moves is None:
                self._field.update(change.cells, change.costs)
            else:
                self._field.update_moves(change.cells, change.costs, change.moves)

    def path(self, start: Any, *, world: bool = False) -> Any:
        """The cells ``[T 2]`` from the start to the nearest goal; with ``world`` the start and they are ``(x, y)``.

        Without any cell where no path exists.
        """
        cell = self._cell(start, "start", world)
        with self._lock:
            field = self._planned()
            found = field.path(cell) if np.isfinite(field.cost_from(cell)) else np.empty((0, 2), np.int64)
        return self._frame.to_world(found) if world else found

    def cost(self, start: Any, *, world: bool = False) -> float:
        """What the path from a start costs, in the costs of the map or the model; infinite where none exists."""
        cell = self._cell(start, "start", world)
        with self._lock:
            return self._planned().cost_from(cell)

    @property
    def costs(self) -> Float64[np.ndarray, "H W"]:
        """The cost to go of every cell."""
        with self._lock:
            return self._planned().costs

    @property
    def map(self) -> GridMap:
        """The map as it is now."""
        with self._lock:
            return copy_of(self._ground.map)

    def _planned(self) -> CostField:
        if self._field is None:
            raise InputError("expected a goal before a path: call planner.goal((row, col)) first.")
        return self._field

    def _cell(self, place: Any, name: str, world: bool) -> tuple[int, int]:
        if not world:
            cell = require_position(place, name)
        elif self._frame.unit == CELLS.unit:
            raise InputError(f"{name}: expected (row, col), as the map has no world coordinates.")
        else:
            x, y = np.asarray(place, dtype=np.float64).tolist()
            cell = self._frame.to_cell(x, y)
        rows, cols = self._ground.map.obstacles.shape
        if not (0 <= cell[0] < rows and 0 <= cell[1] < cols):
            raise InputError(f"{name} {cell} lies outside the map of {rows} x {cols} cells.")
        return cell

"""The maps of ``.npz`` files that hold ``costs``, with blocked cells apart."""

from collections.abc import Callable

import numpy as np

from vinlab.maps.arrays import one_map, position_in
from vinlab.maps.costs import CostOptions, require_cell_costs
from vinlab.maps.grid_map import GridMap, MapOptions, require_graded_size, require_side
from vinlab.types import InputError

BLOCKED = ("obstacles", "blocked")
"""The arrays that may say which cells are blocked; without one those of infinite cost are."""


def map_of_costs(
    member: Callable[[str, str], np.ndarray], names: set[str], name: str, options: MapOptions
) -> GridMap:
    """The map of an archive with ``costs``: finite and above zero in free cells; ``member`` reads an array."""
    options.refuse_values("A file with costs")
    if options.grading != CostOptions():
        raise InputError(
            f"{name}: expected no --costs for a file that holds costs, got {options.grading.costs}."
        )
    costs = one_map(member("costs", name), name, options.index, f"'costs' in {name}").astype(np.float64)
    require_side(costs.shape[0], costs.shape[1], name)
    require_graded_size(costs.shape)
    blocked, words = np.isposinf(costs), "infinite ones are blocked"
    for key in BLOCKED:
        if key in names:
            words = f"'{key}' in {name}"
            named = _blocked(one_map(member(key, name), name, options.index, words), words)
            if named.shape != costs.shape:
                raise InputError(
                    f"{name}: expected costs and {key} of one shape, got {costs.shape} and {named.shape}."
                )
            blocked |= named
            words = f"cells of '{key}' are blocked"
    require_cell_costs(costs, blocked, f"'costs' in {name}")
    start, goal = (
        position_in(member(key, name), options.index) if key in names else None for key in ("starts", "goals")
    )
    told = f"An array of costs; {words}, and a move costs its length times the mean of its two cells."
    return GridMap(
        blocked.astype(np.uint8), told, start=start, goal=goal, costs=np.where(blocked, 1.0, costs)
    )


def _blocked(values: np.ndarray, name: str) -> np.ndarray:
    strange = values[(values != 0) & (values != 1)]
    if strange.size:
        raise InputError(f"{name}: expected only 0 and 1, got {strange.flat[0]:g}.")
    return values == 1

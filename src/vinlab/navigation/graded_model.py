"""Routes of models that are shown the costs of a map."""

import time
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Bool

from vinlab.domains.gridworld.graded import observe_costs
from vinlab.domains.gridworld.validation import require_free
from vinlab.maps import GridMap
from vinlab.models import Model
from vinlab.navigation.graded import cheapest_route, with_costs
from vinlab.navigation.greedy import follow_settled_moves
from vinlab.navigation.routes import Route
from vinlab.types import InputError


def observe_map(map: GridMap, goals: Bool[np.ndarray, "H W"], *, lowest: float | None = None) -> torch.Tensor:
    """What a model with costs sees of a map; ``lowest`` is the lowest cost of the map that this one is a part of."""
    if map.relief is not None:
        raise InputError(
            "expected a map with costs of cells for this model, got heights, whose costs depend on the direction; plan "
            "with --exact, or read slopes in degrees with --costs slope."
        )
    costs = np.ones(map.obstacles.shape) if map.costs is None else map.costs
    return observe_costs(map.obstacles[None], costs[None], goals[None], lowest=lowest)


@torch.no_grad()
def navigate_graded(
    model: Model, map: GridMap, start: tuple[int, int], goal: tuple[int, int], *, corner_cutting: bool
) -> Route:
    """The route of a model that is shown costs, beside the cheapest one."""
    start, goal = require_free(map.obstacles, start, "start"), require_free(map.obstacles, goal, "goal")
    marked = np.zeros(map.obstacles.shape, bool)
    marked[goal] = True
    began = time.perf_counter()
    plan = model.network.plan(observe_map(map, marked))
    moves = plan.moves[0].cpu().numpy()
    path, reached = follow_settled_moves(moves, map.obstacles, start, goal, corner_cutting=corner_cutting)
    seconds = time.perf_counter() - began
    route = cheapest_route(map, start, [goal], corner_cutting=corner_cutting)
    found = replace(route, path=path, reached=reached, plan=plan, seconds=seconds)
    return with_costs(found, map, corner_cutting=corner_cutting)

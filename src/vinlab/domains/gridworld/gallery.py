"""Ten maps to start from, each of another kind, with ends that lie far apart; the same on every machine."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from vinlab.domains.gridworld import places
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems, InputError


@dataclass(frozen=True)
class GalleryMap:
    """One map of the gallery."""

    about: str
    draw: Callable[[np.random.Generator], np.ndarray]
    seed: int = 0


GALLERY = {
    "offices": GalleryMap("Offices along a corridor", places.offices, seed=3),
    "laboratory": GalleryMap("A robot's scan of a laboratory", places.laboratory),
    "warehouse": GalleryMap("A warehouse with shelves", places.warehouse),
    "city": GalleryMap("Streets, a river and its bridges", places.city),
    "maze": GalleryMap("A maze with many dead ends", places.maze),
    "cave": GalleryMap("A cave", places.cave),
    "rooms": GalleryMap("Rooms with narrow doors", places.rooms),
    "obstacles": GalleryMap("Random obstacles, as in the paper", places.obstacles),
    "mountains": GalleryMap("Mountains, steep slopes blocked", places.mountains),
    "harbour": GalleryMap("Islands and piers", places.harbour),
}


def gallery_problem(name: str) -> GridProblems:
    """A map of the gallery with a start and a goal, as one problem."""
    if name not in GALLERY:
        raise InputError(f"map: expected one of {', '.join(GALLERY)}, got '{name}'.")
    chosen = GALLERY[name]
    obstacles = chosen.draw(np.random.default_rng(chosen.seed))
    start, goal = _far_ends(obstacles)
    return GridProblems(obstacles[None], start[None], goal[None])


def _far_ends(obstacles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two cells of the largest region that are far apart: the farthest from some cell, and the farthest from that."""
    free = np.argwhere(obstacles == 0)
    order = np.argsort(np.abs(free - np.array(obstacles.shape) / 2).sum(axis=1), kind="stable")
    for cell in free[order]:  # the first in the middle that at least half of the free cells can reach
        costs = _costs(obstacles, cell)
        if np.isfinite(costs).sum() >= len(free) / 2:
            first = _farthest(costs)
            return first, _farthest(_costs(obstacles, first))
    raise AssertionError("no region holds half of the free cells")


def _costs(obstacles: np.ndarray, cell: np.ndarray) -> Float64[np.ndarray, "H W"]:
    return cost_to_go(obstacles[None], cell[None])[0]


def _farthest(costs: np.ndarray) -> np.ndarray:
    return np.array(np.unravel_index(np.where(np.isfinite(costs), costs, -1).argmax(), costs.shape))

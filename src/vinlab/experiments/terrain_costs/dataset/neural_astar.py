"""The datasets of Neural A* (Yonetani et al., 2021) as they are: maps, goals, optimal moves and distances.

Twelve arrays ``arr_0`` to ``arr_11``: for each of training, validation and test the maps (1 is free), the goal, the
optimal move in each cell for eight moves, and minus the distance to the goal. As there, paths start in cells whose
distance lies in the upper part of their map: four for each map, one between each two of the 55th, 70th, 85th and 100th
percentile and one at the farthest cell.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np

from vinlab.domains.gridworld.files import read_arrays
from vinlab.experiments.terrain_costs.dataset.record import PathDataset
from vinlab.types import InputError

MOVES = np.array([(-1, 0), (0, 1), (0, -1), (1, 0), (-1, 1), (-1, -1), (1, 1), (1, -1)])
"""What each of their moves adds to ``(row, col)``."""

PERCENTILES = (55, 70, 85, 100)
PARTS = ("train", "validation", "test")
ARRAYS = tuple(f"arr_{number}" for number in range(12))


def read_neural_astar(path: Path) -> PathDataset:
    """The maps as images of one channel, in which walls are blocked; the file's own split is kept."""
    arrays = read_arrays(path, ARRAYS)
    maps, paths, owners, groups = [], [], [], []
    for number, part in enumerate(PARTS):
        free, goals, policies, distances = (arrays[f"arr_{4 * number + place}"] for place in range(4))
        _require_shapes(free, goals, policies, distances, path)
        for index in range(len(free)):
            found = _paths(policies[index].squeeze(1), distances[index].squeeze(0))
            owners += [len(maps)] * len(found)
            paths += found
            maps.append(free[index])
            groups.append(part)
    images = np.stack(maps).astype(np.float32)
    return PathDataset(
        name=str(path),
        images=tuple(images[:, None]),
        blocked=tuple(images < 0.5),
        paths=tuple(paths),
        path_image=np.array(owners, np.int64),
        groups=tuple(groups),
        notes=("A dataset of Neural A*: its own split is kept, and walls are blocked.",),
        files=tuple(f"map {number}" for number in range(len(maps))),
    )


def _require_shapes(
    free: np.ndarray, goals: np.ndarray, policies: np.ndarray, distances: np.ndarray, path: Path
) -> None:
    count, rows, cols = free.shape if free.ndim == 3 else (0, 0, 0)
    found = goals.shape, policies.shape, distances.shape
    cells = (count, 1, rows, cols)
    if not count or found != (cells, (count, len(MOVES), 1, rows, cols), cells):
        raise InputError(
            f"{path}: expected maps (N, H, W) of Neural A* with goals, eight moves and distances, got the shapes "
            f"{free.shape}, {', '.join(map(str, found))}."
        )


def _paths(policy: np.ndarray, distance: np.ndarray) -> list[np.ndarray]:
    """Paths from one cell of each class of distances, the one in the middle of its class."""
    known = np.flatnonzero((distance.ravel() > distance.min()) & (distance.ravel() < 0))
    if not len(known):
        return []
    order = known[np.argsort(-distance.ravel()[known], kind="stable")]
    ends = [int(share / 100 * (len(order) - 1)) for share in PERCENTILES]
    places = [(low + high) // 2 for low, high in pairwise(ends)] + [ends[-1]]
    moves = policy.argmax(axis=0)
    starts = dict.fromkeys(int(order[place]) for place in places)
    return [_follow(moves, distance, np.array(divmod(start, distance.shape[1]))) for start in starts]


def _follow(moves: np.ndarray, distance: np.ndarray, start: np.ndarray) -> np.ndarray:
    path = [start]
    while distance[tuple(path[-1])] < 0 and len(path) <= distance.size:
        path.append(path[-1] + MOVES[moves[tuple(path[-1])]])
    return np.array(path, np.int64)

"""The datasets of Neural A* (Yonetani et al., 2021) as they are: maps, goals, optimal moves and distances.

Twelve arrays ``arr_0`` to ``arr_11``: for each of training, validation and test the maps (1 is free), the goal, the
optimal move in each cell for eight moves, and minus the distance to the goal. As there, paths start in cells whose
distance lies in the upper part of their map: four for each map, one between each two of the 55th, 70th, 85th and 100th
percentile and one at the farthest cell.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np

from vinlab.domains.gridworld.files import read_arrays, require_maps
from vinlab.domains.gridworld.validation import require_binary
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
        _require_values(free, policies, distances, path)
        for index in range(len(free)):
            name = f"{path}: map {index} of the {part} part"
            found = _paths(free[index] > 0, policies[index].squeeze(1), distances[index].squeeze(0), name)
            owners += [len(maps)] * len(found)
            paths += found
            maps.append(free[index])
            groups.append(part)
    if len({one.shape for one in maps}) > 1 or not paths:
        raise InputError(f"{path}: expected maps of one size with paths to their goals, got others.")
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


def _require_values(free: np.ndarray, policies: np.ndarray, distances: np.ndarray, path: Path) -> None:
    require_maps(free, f"maps in {path}")
    require_binary(free, f"maps in {path}")
    if not (np.isfinite(distances).all() and (distances <= 0).all()):
        raise InputError(f"{path}: expected finite distances, negative as in Neural A*, got others.")
    if not np.isfinite(policies).all():
        raise InputError(f"{path}: expected finite numbers for the eight moves, got others.")


def _paths(free: np.ndarray, policy: np.ndarray, distance: np.ndarray, name: str) -> list[np.ndarray]:
    """Paths from one cell of each class of distances, the one in the middle of its class."""
    known = np.flatnonzero((distance.ravel() > distance.min()) & (distance.ravel() < 0))
    if not len(known):
        return []
    order = known[np.argsort(-distance.ravel()[known], kind="stable")]
    ends = [int(share / 100 * (len(order) - 1)) for share in PERCENTILES]
    places = [(low + high) // 2 for low, high in pairwise(ends)] + [ends[-1]]
    moves = policy.argmax(axis=0)
    starts = dict.fromkeys(int(order[place]) for place in places)
    ends = [divmod(start, distance.shape[1]) for start in starts]
    return [_follow(free, moves, distance, end, name) for end in ends]


def _follow(
    free: np.ndarray, moves: np.ndarray, distance: np.ndarray, start: tuple[int, int], name: str
) -> np.ndarray:
    """The path along the file's moves, which must lead over free cells to the goal."""
    rows, cols = distance.shape
    path = [start]
    while distance[path[-1]] < 0:
        down, right = MOVES[moves[path[-1]]].tolist()
        row, col = path[-1][0] + down, path[-1][1] + right
        if not (0 <= row < rows and 0 <= col < cols and free[row, col]) or len(path) > distance.size:
            raise InputError(f"{name}: expected moves over free cells to the goal from {start}, got others.")
        path.append((row, col))
    return np.array(path, np.int64)

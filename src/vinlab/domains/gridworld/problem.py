"""Grid-world problems: sampled maps with a goal and a start from which it can be reached."""

import hashlib
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int, Int64, UInt8
from torch import Tensor

from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.obstacles import ObstacleConfig, ScatterConfig
from vinlab.planning.exact import cost_to_go
from vinlab.types import GOAL_MARK, GridProblems, InputError, concatenate

FEWEST_ATTEMPTS = 1000
"""After this many attempts without a single new problem, sampling stops with an error."""


@dataclass(frozen=True)
class GridworldConfig:
    """Which maps, how large, and the rules for moves on them."""

    size: int | tuple[int, int] = 8
    """Side of a square map, or (rows, columns)."""
    family: ObstacleConfig | ScatterConfig | MazeConfig | None = None
    """How maps are drawn; by default the authors' obstacles for the size."""
    trajectories: int = 7
    """How many starts per map the expert demonstrates."""
    corner_cutting: bool = True
    """Whether a diagonal move may pass an obstacle's corner."""

    def __post_init__(self) -> None:
        if min(self.shape) < 1 or self.trajectories < 1:
            raise InputError(f"expected a size and trajectories of at least 1, got {self}.")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a map."""
        return (self.size, self.size) if isinstance(self.size, int) else self.size

    @property
    def maps(self) -> ObstacleConfig | ScatterConfig | MazeConfig:
        """The family that maps are drawn from."""
        return ObstacleConfig.for_size(*self.shape) if self.family is None else self.family


def sample_problems(
    config: GridworldConfig,
    count: int,
    *,
    rng: np.random.Generator,
    apart_from: Iterable[GridProblems] = (),
) -> GridProblems:
    """Solvable problems, none of which has the map and goal of one in ``apart_from``."""
    if count < 1:
        raise InputError(f"the number of problems: expected at least 1, got {count}.")
    taken = set().union(*(content_keys(problems) for problems in apart_from))
    parts, found, attempts = [], 0, 0
    while found < count:
        wanted = max(count - found, attempts)  # double the batch each time: some problems are rare
        attempted = attempt_problems(config, wanted, rng=rng)
        parts.append(attempted[are_new(attempted, taken)])
        found, attempts = found + len(parts[-1]), attempts + wanted
        if found == 0 and attempts >= FEWEST_ATTEMPTS:
            raise InputError(f"expected a new problem, got none in {attempts} attempts with {config}.")
    return concatenate(parts)[:count]


def attempt_problems(config: GridworldConfig, attempts: int, *, rng: np.random.Generator) -> GridProblems:
    """The problems of some attempts; those whose goal no other cell can reach are left out."""
    obstacles, goals = config.maps.draw(*config.shape, attempts, rng=rng)
    costs = cost_to_go(obstacles, goals, corner_cutting=config.corner_cutting)
    starts, found = random_cells(np.isfinite(costs) & (costs > 0), rng)
    return GridProblems(obstacles[found], starts[found], goals[found])


def random_cells(
    allowed: Bool[np.ndarray, "B *S"], rng: np.random.Generator
) -> tuple[Int64[np.ndarray, "B _"], Bool[np.ndarray, " B"]]:
    """One allowed cell of each map (or of each map's layers), drawn uniformly, and whether there is one."""
    flat = allowed.reshape(len(allowed), math.prod(allowed.shape[1:]))
    chosen = np.where(flat, rng.random(flat.shape), -1.0).argmax(axis=1)
    cells = np.stack(np.unravel_index(chosen, allowed.shape[1:]), axis=-1)
    return cells, np.take_along_axis(flat, chosen[:, None], axis=1)[:, 0]


def observe(
    obstacles: UInt8[np.ndarray, "B H W"], goals: Int[np.ndarray, "B 2"]
) -> Float32[Tensor, "B 2 H W"]:
    """The observation of a network: the obstacles as ones, and a mark of 10 at the goal."""
    images = np.zeros((len(obstacles), 2, *obstacles.shape[1:]), np.float32)
    images[:, 0] = obstacles
    images[np.arange(len(goals)), 1, goals[:, 0], goals[:, 1]] = GOAL_MARK
    return torch.from_numpy(images)


def content_keys(problems: GridProblems) -> list[str]:
    """A hash of each problem's size, map and goal."""
    size = np.array(problems.obstacles.shape[1:], np.int64).tobytes()
    rows = zip(problems.obstacles, problems.goals.astype(np.int64), strict=True)
    return [hashlib.sha256(size + map_.tobytes() + goal.tobytes()).hexdigest() for map_, goal in rows]


def content_hash(problems: GridProblems) -> str:
    """One hash of all maps, goals and starts, and of their order."""
    keys = "".join(content_keys(problems)).encode()
    return hashlib.sha256(keys + problems.starts.astype(np.int64).tobytes()).hexdigest()


def without(problems: GridProblems, others: GridProblems) -> GridProblems:
    """The problems whose map and goal do not occur among the others."""
    return problems[are_new(problems, set(content_keys(others)))]


def are_new(problems: GridProblems, taken: Collection[str]) -> Bool[np.ndarray, " B"]:
    """Which problems have a map and goal whose key is not taken."""
    if not taken:
        return np.ones(len(problems), dtype=bool)
    return np.array([key not in taken for key in content_keys(problems)], dtype=bool)

"""An expert that knows the slopes: exact solutions, and demonstrations for several goals on each patch."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int64, UInt8
from torch import Tensor

from vinlab.domains.gridworld.expert import (
    NO_MOVE,
    ExactSolution,
    expert_moves,
    optimal_moves,
    states_on_paths,
)
from vinlab.domains.gridworld.expert import solve as solve_grid
from vinlab.domains.mars.problem import MarsProblems, normalise
from vinlab.planning.exact import cost_to_go
from vinlab.types import DenseDemonstrations, GridProblems

CHUNK = 1000
"""Patches that are solved together."""


def solve(problems: MarsProblems, *, corner_cutting: bool = True) -> ExactSolution:
    """The exact solution of all problems."""
    return solve_grid(problems.grid, corner_cutting=corner_cutting)


@dataclass(frozen=True)
class TerrainDemonstrations:
    """Demonstrations on patches; the moves of a cell are packed into the bits of a byte to save memory."""

    images: UInt8[np.ndarray, "P h w"]
    obstacles: Bool[np.ndarray, "P H W"]
    goals: Int64[np.ndarray, "P G 2"]
    packed: UInt8[np.ndarray, "P G H W"]
    """Bit m is set where move m begins a shortest path."""
    weights: Float32[Tensor, " P"]
    """The number of cells with a target, over all goals of each patch."""

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, chosen: Any) -> DenseDemonstrations:
        chosen = np.asarray(chosen)
        packed = torch.from_numpy(self.packed[chosen]).flatten(0, 1)[:, None]
        bits = 2 ** torch.arange(8, dtype=torch.uint8)[:, None, None]
        return DenseDemonstrations(
            normalise(self.images[chosen]),
            torch.from_numpy(self.goals[chosen]),
            (packed & bits) > 0,
            torch.from_numpy(self.obstacles[chosen]),
        )


@dataclass(frozen=True)
class DemonstrationConfig:
    """What the expert demonstrates on each patch."""

    goals: int = 4
    """The number of goals: the problem's own, and others from the same free region."""
    trajectories: int | None = None
    """With a number, only the expert's own move along this number of paths to each goal, as in the paper; otherwise
    all optimal moves in every cell."""
    mirror: bool = True
    """Whether a random half of the patches is flipped vertically; light from the west stays in the west."""


def demonstrate(
    problems: MarsProblems, config: DemonstrationConfig | None = None, *, rng: np.random.Generator
) -> TerrainDemonstrations:
    """Demonstrations on each patch; where a free region has too few cells, goals repeat."""
    config = config or DemonstrationConfig()
    if config.mirror:
        problems = flip_vertically(problems, rng.random(len(problems)) < 0.5)
    parts = [_demonstrate(problems[at : at + CHUNK], config, rng) for at in range(0, len(problems), CHUNK)]
    goals, packed = (np.concatenate(column) for column in zip(*parts, strict=True))
    weights = torch.from_numpy((packed > 0).sum(axis=(1, 2, 3)).astype(np.float32))
    return TerrainDemonstrations(problems.images, problems.obstacles, goals, packed, weights)


def flip_vertically(problems: MarsProblems, chosen: Bool[np.ndarray, " N"]) -> MarsProblems:
    """The same problems, the chosen ones with north below."""
    last, by_patch = problems.obstacles.shape[1] - 1, chosen[:, None, None]

    def flip(cells: np.ndarray) -> np.ndarray:
        rows = np.where(chosen, last - cells[:, 0], cells[:, 0])
        return np.stack([rows, cells[:, 1]], axis=-1)

    return MarsProblems(
        np.where(by_patch, problems.images[:, ::-1], problems.images),
        np.where(by_patch, problems.obstacles[:, ::-1], problems.obstacles),
        flip(problems.starts),
        flip(problems.goals),
        problems.block_ids,
    )


def _demonstrate(
    problems: MarsProblems, config: DemonstrationConfig, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The goals of each patch ``[P G 2]`` and the packed moves for them ``[P G H W]``."""
    obstacles = problems.grid.obstacles
    reachable = np.isfinite(cost_to_go(obstacles, problems.goals)).reshape(len(obstacles), -1)
    ranked = np.argsort(np.where(reachable, -rng.random(reachable.shape), 1.0), axis=1)
    goals = [problems.goals]
    for number in range(config.goals - 1):
        flat = ranked[np.arange(len(ranked)), number % reachable.sum(axis=1)]
        goals.append(np.stack(np.unravel_index(flat, obstacles.shape[1:]), axis=-1).astype(np.int64))
    packed = [_packed_moves(GridProblems(obstacles, problems.starts, own), config, rng) for own in goals]
    return np.stack(goals, axis=1), np.stack(packed, axis=1)


def _packed_moves(
    problems: GridProblems, config: DemonstrationConfig, rng: np.random.Generator
) -> np.ndarray:
    """The moves that the expert demonstrates on each map, packed into bits."""
    costs = cost_to_go(problems.obstacles, problems.goals)
    if config.trajectories is None:
        bits = 2 ** np.arange(8, dtype=np.uint8)[:, None, None]
        return (optimal_moves(costs, problems.obstacles) * bits).sum(axis=1, dtype=np.uint8)
    labels = expert_moves(costs, problems.obstacles)
    index, states = states_on_paths(problems, labels, config.trajectories, rng=rng)
    rows, cols = states.T
    packed = np.zeros(labels.shape, np.uint8)
    packed[index, rows, cols] = 1 << labels[index, rows, cols].astype(np.uint8)
    packed[labels == NO_MOVE] = 0
    return packed

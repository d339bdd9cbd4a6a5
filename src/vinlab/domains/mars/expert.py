"""What an expert that knows the slopes shows on patches of ground: several goals on each, every cell at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int64, UInt8
from torch import Tensor

from vinlab.domains.gridworld.expert import NO_MOVE, expert_moves, expert_paths, optimal_moves, sample_starts
from vinlab.domains.mars.observation import normalise
from vinlab.domains.mars.patches import MarsProblems
from vinlab.planning.exact import cost_to_go
from vinlab.types import GridProblems

CHUNK = 1000
"""So many patches are solved together."""


@dataclass(frozen=True)
class TerrainBatch:
    """Some patches with their goals; the goals of one patch follow each other."""

    images: Float32[Tensor, "B 1 h w"]
    goals_of_patches: Int64[Tensor, "B G 2"]
    moves: Bool[Tensor, "N 8 H W"]
    """Which moves begin a shortest way; none in blocked cells and at the goal."""
    blocked: Bool[Tensor, "B H W"]

    @property
    def goals(self) -> Int64[Tensor, "N 2"]:
        """The goal of each problem."""
        return self.goals_of_patches.flatten(0, 1)

    @property
    def free(self) -> Bool[Tensor, "N H W"]:
        """Where one can be."""
        return ~self.blocked.repeat_interleave(self.goals_of_patches.shape[1], dim=0)

    def logits(self, policy: Any) -> Float32[Tensor, "N M H W"]:
        """The policy's logits of the moves in every cell."""
        return policy.dense_logits(self.images, self.goals_of_patches)


@dataclass(frozen=True)
class TerrainDemonstrations:
    """Patches to learn from; the moves are packed into the bits of a byte, for there are many."""

    images: UInt8[np.ndarray, "P h w"]
    obstacles: Bool[np.ndarray, "P H W"]
    goals: Int64[np.ndarray, "P G 2"]
    packed: UInt8[np.ndarray, "P G H W"]
    """Bit m is set where move m begins a shortest way."""
    weights: Float32[Tensor, " P"]
    """How many cells of each patch have something to teach, over all its goals."""

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, chosen: Any) -> TerrainBatch:
        chosen = np.asarray(chosen)
        packed = torch.from_numpy(self.packed[chosen]).flatten(0, 1)[:, None]
        bits = 2 ** torch.arange(8, dtype=torch.uint8)[:, None, None]
        return TerrainBatch(
            normalise(self.images[chosen]),
            torch.from_numpy(self.goals[chosen]),
            (packed & bits) > 0,
            torch.from_numpy(self.obstacles[chosen]),
        )


@dataclass(frozen=True)
class DemonstrationConfig:
    """What the expert shows on each patch."""

    goals: int = 4
    """How many: the problem's own, and others from the same free region."""
    trajectories: int | None = None
    """With a number, only the expert's own move along so many ways to each goal, as in the paper; otherwise all
    optimal moves in every cell."""
    mirror: bool = True
    """Whether every other patch, by chance, is turned upside down: light from the west stays where it is then."""


def demonstrate(
    problems: MarsProblems, config: DemonstrationConfig, *, rng: np.random.Generator
) -> TerrainDemonstrations:
    """Lessons on each patch; where a free region has too few cells, goals occur twice."""
    if config.mirror:
        problems = flip_vertically(problems, rng.random(len(problems)) < 0.5)
    parts = [_teach(problems[at : at + CHUNK], config, rng) for at in range(0, len(problems), CHUNK)]
    goals, packed = (np.concatenate(column) for column in zip(*parts, strict=True))
    weights = torch.from_numpy((packed > 0).sum(axis=(1, 2, 3)).astype(np.float32))
    return TerrainDemonstrations(problems.images, problems.obstacles, goals, packed, weights)


def flip_vertically(problems: MarsProblems, chosen: Bool[np.ndarray, " N"]) -> MarsProblems:
    """The same problems, the chosen ones with north below."""
    last, by_patch = problems.obstacles.shape[1] - 1, chosen[:, None, None]

    def turn(cells: np.ndarray) -> np.ndarray:
        rows = np.where(chosen, last - cells[:, 0], cells[:, 0])
        return np.stack([rows, cells[:, 1]], axis=-1)

    return MarsProblems(
        np.where(by_patch, problems.images[:, ::-1], problems.images),
        np.where(by_patch, problems.obstacles[:, ::-1], problems.obstacles),
        turn(problems.starts),
        turn(problems.goals),
        problems.block_ids,
    )


def _teach(
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
    shown = [_show(GridProblems(obstacles, problems.starts, own), config, rng) for own in goals]
    return np.stack(goals, axis=1), np.stack(shown, axis=1)


def _show(problems: GridProblems, config: DemonstrationConfig, rng: np.random.Generator) -> np.ndarray:
    """The packed moves that the expert shows on each map."""
    costs = cost_to_go(problems.obstacles, problems.goals)
    if config.trajectories is None:
        bits = 2 ** np.arange(8, dtype=np.uint8)[:, None, None]
        return (optimal_moves(costs, problems.obstacles) * bits).sum(axis=1, dtype=np.uint8)
    labels = expert_moves(costs, problems.obstacles)
    starts = sample_starts(problems, config.trajectories, rng=rng)
    paths, lengths = expert_paths(labels, problems.obstacles, starts, problems.goals)
    index, *_ = np.nonzero(on_the_way := np.arange(paths.shape[2]) < lengths[..., None] - 1)
    rows, cols = paths[on_the_way].T
    shown = np.zeros(labels.shape, np.uint8)
    shown[index, rows, cols] = 1 << labels[index, rows, cols].astype(np.uint8)
    shown[labels == NO_MOVE] = 0
    return shown

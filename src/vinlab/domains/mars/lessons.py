"""What an expert that knows the slopes shows on patches of ground: several goals on each, every cell at once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int64, UInt8
from torch import Tensor

from vinlab.domains.gridworld.expert import optimal_moves
from vinlab.domains.mars.observation import even_out
from vinlab.domains.mars.patches import MarsProblems
from vinlab.planning.exact import cost_to_go

CHUNK = 1000
"""So many patches are solved together."""


@dataclass(frozen=True)
class GroundBatch:
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

    def ask(self, policy: Any) -> Float32[Tensor, "N M H W"]:
        """The policy's logits of the moves in every cell."""
        return policy.everywhere(self.images, self.goals_of_patches)


@dataclass(frozen=True)
class GroundLessons:
    """Patches to learn from; the moves are packed into the bits of a byte, for there are many."""

    images: UInt8[np.ndarray, "P h w"]
    obstacles: Bool[np.ndarray, "P H W"]
    goals: Int64[np.ndarray, "P G 2"]
    packed: UInt8[np.ndarray, "P G H W"]
    """Bit m is set where move m begins a shortest way."""

    def __len__(self) -> int:
        return len(self.images)

    @cached_property
    def weights(self) -> Float32[Tensor, " P"]:
        """How many cells of each patch have something to teach, over all its goals."""
        return torch.from_numpy((self.packed > 0).sum(axis=(1, 2, 3)).astype(np.float32))

    def __getitem__(self, chosen: Any) -> GroundBatch:
        chosen = np.asarray(chosen)
        packed = torch.from_numpy(self.packed[chosen]).flatten(0, 1)[:, None]
        bits = 2 ** torch.arange(8, dtype=torch.uint8)[:, None, None]
        return GroundBatch(
            even_out(self.images[chosen]),
            torch.from_numpy(self.goals[chosen]),
            (packed & bits) > 0,
            torch.from_numpy(self.obstacles[chosen]),
        )


def teach(problems: MarsProblems, *, goals: int, rng: np.random.Generator, mirror: bool) -> GroundLessons:
    """Lessons on each patch for the goal it has and others from the same free region.

    With ``mirror`` every other patch, by chance, is turned upside down: light from the west or the east stays as
    it is then. Where a region has too few cells, goals occur twice.
    """
    if mirror:
        problems = upside_down(problems, rng.random(len(problems)) < 0.5)
    parts = [_teach(problems[first : first + CHUNK], goals, rng) for first in range(0, len(problems), CHUNK)]
    return GroundLessons(
        problems.images,
        problems.obstacles,
        np.concatenate([chosen for chosen, _ in parts]),
        np.concatenate([packed for _, packed in parts]),
    )


def upside_down(problems: MarsProblems, chosen: Bool[np.ndarray, " N"]) -> MarsProblems:
    """The same problems, the chosen ones with north below."""
    last = problems.obstacles.shape[1] - 1

    def turn(cells: np.ndarray) -> np.ndarray:
        rows = np.where(chosen, last - cells[:, 0], cells[:, 0])
        return np.stack([rows, cells[:, 1]], axis=-1)

    by_patch = chosen[:, None, None]
    return MarsProblems(
        np.where(by_patch, problems.images[:, ::-1], problems.images),
        np.where(by_patch, problems.obstacles[:, ::-1], problems.obstacles),
        turn(problems.starts),
        turn(problems.goals),
        problems.blocks,
    )


def _teach(problems: MarsProblems, goals: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The goals of each patch ``[P G 2]`` and the packed optimal moves for them."""
    obstacles = problems.grid.obstacles
    costs = [cost_to_go(obstacles, problems.goals)]
    order = np.where(np.isfinite(costs[0]), rng.random(costs[0].shape), -1.0).reshape(len(obstacles), -1)
    ranked = np.argsort(-order, axis=1)
    reachable = (order >= 0).sum(axis=1)
    chosen = [problems.goals]
    for number in range(goals - 1):
        flat = ranked[np.arange(len(ranked)), number % reachable]
        chosen.append(np.stack(np.unravel_index(flat, obstacles.shape[1:]), axis=-1).astype(np.int64))
        costs.append(cost_to_go(obstacles, chosen[-1]))
    bits = 2 ** np.arange(8, dtype=np.uint8)[:, None, None]
    packed = [(optimal_moves(own, obstacles) * bits).sum(axis=1, dtype=np.uint8) for own in costs]
    return np.stack(chosen, axis=1), np.stack(packed, axis=1)

"""Grid problems with costs: maps of several kinds on which some cells are dearer than others."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float32, Float64, Int, UInt8
from torch import Tensor

from vinlab.domains.gridworld.expert import pack_demonstrations
from vinlab.domains.gridworld.mazes import MazeConfig
from vinlab.domains.gridworld.problem import random_cells
from vinlab.planning.graded import GradedGrid, graded_cost_to_go, shifted
from vinlab.types import GOAL_MARK, MOVE_NAMES, MOVE_OFFSETS, Batch, Demonstrations, concatenate

TIE = 1e-9
"""Paths that differ by less than this share of their cost are equally cheap."""

CostKind = Literal["noise", "patches", "cells", "costmap", "mazes"]


@dataclass(frozen=True)
class GradedProblems(Batch):
    """Problems on maps of one size: find the cheapest path from start to goal."""

    obstacles: UInt8[np.ndarray, "B H W"]
    """1 is blocked, 0 is free."""
    costs: Float64[np.ndarray, "B H W"]
    """Of each cell, above zero; a move costs its length times the mean of its two cells."""
    starts: Int[np.ndarray, "B 2"]
    goals: Int[np.ndarray, "B 2"]

    def grid(self, index: int, *, corner_cutting: bool = True) -> GradedGrid:
        """What moves cost on one map."""
        cells = np.where(self.obstacles[index] != 0, np.inf, self.costs[index])
        return GradedGrid(cells, corner_cutting=corner_cutting)


@dataclass(frozen=True)
class GradedSet:
    """Maps of one size and kind: smooth noise, patches of ground, independent cells, costs around obstacles (as in a
    robot's costmap), or mazes with costs in their corridors.
    """

    kind: CostKind
    size: int
    ratio: float = 20.0
    """Of the highest to the lowest cost."""

    @property
    def name(self) -> str:
        """Such as ``noise 64`` or, where costs differ by another factor, ``noise 64, 1:100``."""
        return f"{self.kind} {self.size}" + ("" if self.ratio == 20.0 else f", 1:{self.ratio:g}")

    def sample(self, count: int, *, stream: int, taken: Collection[str] = ()) -> GradedProblems:
        """Solvable problems of a random stream, none with a key among ``taken``."""
        rng = np.random.default_rng([stream, int.from_bytes(self.name.encode(), "little")])
        parts: list[GradedProblems] = []
        while sum(map(len, parts)) < count:
            drawn = self._attempt(count, rng)
            new = np.array([key not in taken for key in content_keys(drawn)], bool)
            parts.append(drawn[new])
        return concatenate(parts)[:count]

    def _attempt(self, count: int, rng: np.random.Generator) -> GradedProblems:
        obstacles, height = _draw(self.kind, self.size, count, rng)
        costs = self.ratio**height
        goals, free = random_cells(obstacles == 0, rng)
        drawn = GradedProblems(obstacles, costs, goals, goals)
        reach = costs_to_go(drawn)
        starts, found = random_cells(np.isfinite(reach) & (reach > 0), rng)
        found &= free
        return GradedProblems(obstacles, costs, starts, goals)[found]


def _draw(
    kind: CostKind, size: int, count: int, rng: np.random.Generator
) -> tuple[UInt8[np.ndarray, "B H W"], Float64[np.ndarray, "B H W"]]:
    """Obstacles, and how dear each cell is, from 0 to 1."""
    shape = (count, size, size)
    if kind == "mazes":
        obstacles, _ = MazeConfig(0.2).draw(size, size, count, rng=rng)
        return obstacles, rng.random(shape)
    if kind == "cells":
        return (rng.random(shape) < 0.15).astype(np.uint8), rng.random(shape)
    if kind == "costmap":
        obstacles = (_noise(shape, rng) > 0.72).astype(np.uint8)
        return obstacles, _nearness(obstacles)
    smooth = _noise(shape, rng)
    obstacles = (rng.random(shape) < rng.uniform(0, 0.2, (count, 1, 1))).astype(np.uint8)
    if kind == "noise":
        return obstacles, smooth
    grounds = rng.random((count, 6))
    which = np.minimum((smooth * 6).astype(np.int64), 5)
    return obstacles, np.take_along_axis(grounds, which.reshape(count, -1), axis=1).reshape(shape)


def _noise(shape: tuple[int, int, int], rng: np.random.Generator) -> Float64[np.ndarray, "B H W"]:
    """Smooth noise of several scales, from 0 to 1 on each map."""
    from scipy.ndimage import gaussian_filter

    total = np.zeros(shape)
    for width in (1, 2, 4, 8):
        layer = np.asarray(gaussian_filter(rng.standard_normal(shape), (0, width, width), mode="reflect"))
        total += width * layer
    low, high = (getattr(total, bound)(axis=(1, 2), keepdims=True) for bound in ("min", "max"))
    return (total - low) / np.maximum(high - low, 1e-12)


def _nearness(obstacles: UInt8[np.ndarray, "B H W"]) -> Float64[np.ndarray, "B H W"]:
    """1 beside an obstacle, and falling with the distance from it."""
    from scipy.ndimage import distance_transform_edt

    found = [
        np.exp(-(np.asarray(distance_transform_edt(one == 0)) - 1) / 3) if one.any() else np.zeros(one.shape)
        for one in obstacles
    ]
    return np.where(obstacles != 0, 1.0, np.stack(found))


def observe_costs(
    obstacles: UInt8[np.ndarray, "B H W"],
    costs: Float64[np.ndarray, "B H W"],
    goals: Bool[np.ndarray, "B H W"],
    *,
    lowest: float | None = None,
) -> Float32[Tensor, "B 3 H W"]:
    """The observation of a network: obstacles as ones, a mark of 10 at the goals, and the logarithm of the costs.

    Costs count as multiples of the lowest of a free cell of their map, or of a given one: a route does not depend on
    their unit.
    """
    free = obstacles == 0
    unit = np.where(free, costs, np.inf).min(axis=(1, 2), keepdims=True) if lowest is None else lowest
    shown = np.log(np.where(free, costs, 1.0) / np.where(np.isfinite(unit), unit, 1.0))
    channels = (obstacles, goals * GOAL_MARK, np.where(free, shown, 0.0))
    return torch.from_numpy(np.stack(channels, axis=1).astype(np.float32))


def goal_mask(problems: GradedProblems) -> Bool[np.ndarray, "B H W"]:
    """True at the goal of each problem."""
    found = np.zeros(problems.obstacles.shape, bool)
    found[np.arange(len(found)), problems.goals[:, 0], problems.goals[:, 1]] = True
    return found


def costs_to_go(problems: GradedProblems) -> Float64[np.ndarray, "B H W"]:
    """The cost of the cheapest path from every cell to the goal of its map."""
    return np.stack(
        [graded_cost_to_go(problems.grid(index), problems.goals[[index]]) for index in range(len(problems))]
    )


def demonstrate_costs(problems: GradedProblems) -> Demonstrations:
    """All optimal moves in every cell that can reach the goal."""
    to_go = costs_to_go(problems)
    optimal = np.zeros((len(problems), len(MOVE_NAMES), *to_go.shape[1:]), bool)
    around = np.pad(to_go, ((0, 0), (1, 1), (1, 1)), constant_values=np.inf)
    for index in range(len(problems)):
        moves = problems.grid(index).move_costs()
        for move, (down, right) in enumerate(MOVE_OFFSETS.tolist()):
            optimal[index, move] = moves[move] + shifted(around[index], down, right) <= to_go[index] * (
                1 + TIE
            )
    index, row, col = np.nonzero(np.isfinite(to_go) & (to_go > 0))
    seen = observe_costs(problems.obstacles, problems.costs, goal_mask(problems))
    return pack_demonstrations(seen, index, np.stack([row, col], axis=-1), optimal[index, :, row, col])


def content_keys(problems: GradedProblems) -> list[str]:
    """A hash of each problem's size, map, costs and goal."""
    rows = zip(problems.obstacles, problems.costs, problems.goals, strict=True)
    parts = (
        repr(one.shape).encode() + one.tobytes() + costs.tobytes() + goal.tobytes()
        for one, costs, goal in rows
    )
    return [hashlib.sha256(part).hexdigest() for part in parts]

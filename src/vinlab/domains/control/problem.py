"""Control problems: squares with walls, traps and boxes, a start and a goal on their borders."""

import hashlib
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float32, Float64
from torch import Tensor

from vinlab.domains.control.geometry import (
    FINE,
    HALF_SIDE,
    RADIUS,
    Boxes,
    cell_centres,
    cells_of,
    covered,
    downsample_mean,
    touches,
)
from vinlab.planning.exact import cost_to_go
from vinlab.types import GOAL_MARK, Batch, InputError, concatenate

IMAGE = 16
"""Cells along a side of the observed image, as in the paper."""

GOAL_RADIUS = 0.09
"""Of the disc that marks the goal in the fine image."""

MIN_ATTEMPTS = 2000
"""Sampling gives up after so many attempts without a single problem."""


@dataclass(frozen=True)
class ControlConfig:
    """How domains are sampled; lengths are in units of half the square's side."""

    walls: tuple[int, int] = (2, 3)
    """Least and greatest number of long walls."""
    traps: tuple[int, int] = (0, 1)
    """Least and greatest number of traps: three walls around a space that is open on one side."""
    boxes: tuple[int, int] = (2, 4)
    """Least and greatest number of boxes."""
    half_thickness: float = 0.07
    """Of walls."""
    wall_half_length: tuple[float, float] = (0.25, 0.55)
    box_half_size: tuple[float, float] = (0.08, 0.2)
    border: float = 0.1
    """The distance of start and goal from the edge."""
    clearance: float = 0.04
    """The least free space beside the particle along a route."""
    detour: tuple[float, float] = (1.1, 2.2)
    """Least and greatest ratio of the shortest route to the one without obstacles."""
    min_distance: float = 1.2
    """Between start and goal."""

    @property
    def max_boxes(self) -> int:
        """The greatest number of boxes in a domain; a trap has three."""
        return self.walls[1] + 3 * self.traps[1] + self.boxes[1]


@dataclass(frozen=True)
class ControlProblems(Batch):
    """Problems in squares of one kind: move the particle from the start to the goal."""

    boxes: Boxes
    starts: Float64[np.ndarray, "B 2"]
    goals: Float64[np.ndarray, "B 2"]


def sample_problems(config: ControlConfig, count: int, *, rng: np.random.Generator) -> ControlProblems:
    """``count`` problems, each with a shortest route whose detour is within the bounds."""
    if count < 1:
        raise InputError(f"count: expected at least 1, got {count}.")
    parts, found, attempts = [], 0, 0
    while found < count:
        drawn = attempt_problems(config, 4 * (count - found), rng=rng)
        detours = detour_of(drawn, margin=RADIUS + config.clearance)
        parts.append(drawn[(detours >= config.detour[0]) & (detours <= config.detour[1])])
        found, attempts = found + len(parts[-1]), attempts + 4 * (count - found)
        if found == 0 and attempts >= MIN_ATTEMPTS:
            raise InputError(f"expected solvable problems with {config}, got none in {attempts} attempts.")
    return concatenate(parts)[:count]


def attempt_problems(config: ControlConfig, attempts: int, *, rng: np.random.Generator) -> ControlProblems:
    """The problems of so many attempts, blocked ones included; those with a covered start or goal are left out."""
    boxes = np.stack([_draw_boxes(config, rng) for _ in range(attempts)])
    starts, goals = (_on_the_border(config, attempts, rng) for _ in range(2))
    margin = RADIUS + config.clearance
    far = np.linalg.norm(starts - goals, axis=1) >= config.min_distance
    kept = far & ~touches(boxes, starts, margin) & ~touches(boxes, goals, margin)
    return ControlProblems(boxes, starts, goals)[kept]


def detour_of(problems: ControlProblems, *, margin: float = RADIUS) -> Float64[np.ndarray, " B"]:
    """The ratio of the shortest route to the one without obstacles; infinite where the goal cannot be reached."""
    costs = route_costs(problems, margin=margin)
    start, goal = cells_of(problems.starts, FINE), cells_of(problems.goals, FINE)
    apart = np.abs(start - goal)
    straight = apart.max(axis=1) + (np.sqrt(2) - 1) * apart.min(axis=1)
    return costs[np.arange(len(costs)), start[:, 0], start[:, 1]] / straight


def is_blocked(problems: ControlProblems) -> Bool[np.ndarray, " B"]:
    """Whether no route to the goal is wide enough for the particle."""
    return ~np.isfinite(detour_of(problems))


def route_costs(problems: ControlProblems, *, margin: float) -> Float64[np.ndarray, "B H W"]:
    """The length of the shortest route to the goal from each fine cell, in cells; it keeps off by the margin."""
    blocked = covered(problems.boxes, FINE, margin=margin)
    return cost_to_go(blocked, cells_of(problems.goals, FINE), corner_cutting=False)


def observe(problems: ControlProblems) -> Float32[Tensor, "B 2 H W"]:
    """The observation: a fine image of obstacles and goal, averaged to 16 x 16; the goal channel sums to 10."""
    obstacles = covered(problems.boxes, 2 * FINE).astype(np.float64)
    centres = cell_centres(2 * FINE)
    rows = (centres - problems.goals[:, :1]) ** 2
    cols = (centres - problems.goals[:, 1:]) ** 2
    discs = (rows[:, :, None] + cols[:, None, :] <= GOAL_RADIUS**2).astype(np.float64)
    marks = downsample_mean(discs, IMAGE)
    marks *= GOAL_MARK / marks.sum(axis=(1, 2), keepdims=True)
    return torch.from_numpy(np.stack([downsample_mean(obstacles, IMAGE), marks], axis=1).astype(np.float32))


def content_hash(problems: ControlProblems) -> str:
    """A hash of all boxes, starts and goals, in their order."""
    arrays = (problems.boxes, problems.starts, problems.goals)
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def _draw_boxes(config: ControlConfig, rng: np.random.Generator) -> Float64[np.ndarray, "O 4"]:
    """Walls, traps and boxes in random number, position and size; absent ones have size zero."""
    drawn = [_wall(config, rng) for _ in range(_number(config.walls, rng))]
    for _ in range(_number(config.traps, rng)):
        drawn += _trap(config, rng)
    drawn += [
        np.concatenate([rng.uniform(-0.8, 0.8, 2), rng.uniform(*config.box_half_size, 2)])
        for _ in range(_number(config.boxes, rng))
    ]
    boxes = np.zeros((config.max_boxes, 4))
    boxes[: len(drawn)] = drawn
    return boxes


def _number(bounds: tuple[int, int], rng: np.random.Generator) -> int:
    return int(rng.integers(bounds[0], bounds[1] + 1))


def _wall(config: ControlConfig, rng: np.random.Generator) -> np.ndarray:
    half = np.array([config.half_thickness, rng.uniform(*config.wall_half_length)])
    return np.concatenate([rng.uniform(-0.7, 0.7, 2), half if rng.random() < 0.5 else half[::-1]])


def _trap(config: ControlConfig, rng: np.random.Generator) -> list[np.ndarray]:
    """A back and two arms, open towards one of the four sides."""
    thick, (low, high) = config.half_thickness, config.wall_half_length
    wide, deep = rng.uniform(low, (low + high) / 2), rng.uniform(0.15, 0.3)
    parts = np.array(
        [[0, 0, thick, wide], [deep, wide - thick, deep, thick], [deep, thick - wide, deep, thick]]
    )
    if rng.random() < 0.5:
        parts[:, 0] *= -1
    if rng.random() < 0.5:
        parts = parts[:, [1, 0, 3, 2]]
    parts[:, :2] += rng.uniform(-0.5, 0.5, 2)
    return list(parts)


def _on_the_border(config: ControlConfig, count: int, rng: np.random.Generator) -> Float64[np.ndarray, "B 2"]:
    """Positions near one of the four sides, a little inside."""
    limit = HALF_SIDE - config.border
    positions = rng.uniform(-limit, limit, (count, 2))
    axis, end = rng.integers(2, size=count), rng.choice([-limit, limit], size=count)
    positions[np.arange(count), axis] = end
    return positions

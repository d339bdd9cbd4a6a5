"""Control problems: squares with walls, traps and boxes, a start and a goal on their borders."""

import hashlib
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float32, Float64
from torch import Tensor

from vinlab.domains.control.geometry import FINE, HALF_SIDE, RADIUS, Boxes, cells_of, covered, shrink, touches
from vinlab.planning.exact import cost_to_go
from vinlab.types import InputError

GOAL_MARK = 10.0
"""The goal channel of an observation adds up to this."""

IMAGE = 16
"""Cells along a side of the picture that the network sees, as in the paper."""

GOAL_RADIUS = 0.09
"""Of the disc that marks the goal in the picture before it is made coarse."""

FEWEST_ATTEMPTS = 2000
"""After so many attempts without a single problem, sampling gives up."""


@dataclass(frozen=True)
class ControlConfig:
    """How domains are drawn; lengths are in units of half the square's side."""

    walls: tuple[int, int] = (2, 3)
    """Fewest and most long walls."""
    traps: tuple[int, int] = (0, 1)
    """Fewest and most traps: three walls around a space that is open on one side."""
    boxes: tuple[int, int] = (2, 4)
    """Fewest and most boxes."""
    half_thickness: float = 0.07
    """Of walls."""
    wall_half_length: tuple[float, float] = (0.25, 0.55)
    box_half_size: tuple[float, float] = (0.08, 0.2)
    border: float = 0.1
    """How far start and goal lie from the edge."""
    clearance: float = 0.04
    """How much room beside the particle a route must have."""
    detour: tuple[float, float] = (1.1, 2.2)
    """Least and greatest length of the shortest route by that of the one without obstacles."""
    least_distance: float = 1.2
    """Between start and goal."""

    @property
    def most_boxes(self) -> int:
        """How many boxes a domain can have at most; a trap has three."""
        return self.walls[1] + 3 * self.traps[1] + self.boxes[1]


@dataclass(frozen=True)
class ControlProblems:
    """Tasks in squares of one kind: push the particle from the start to the goal."""

    boxes: Boxes
    starts: Float64[np.ndarray, "B 2"]
    goals: Float64[np.ndarray, "B 2"]

    def __len__(self) -> int:
        return len(self.boxes)

    def __getitem__(self, chosen: slice | np.ndarray) -> "ControlProblems":
        return ControlProblems(self.boxes[chosen], self.starts[chosen], self.goals[chosen])


def sample_problems(config: ControlConfig, count: int, *, rng: np.random.Generator) -> ControlProblems:
    """As many problems as asked for, each with a route that is a detour of the wanted size."""
    if count < 1:
        raise InputError(f"The number of problems must be at least 1, but {count} came.")
    parts, found, attempts = [], 0, 0
    while found < count:
        drawn = attempt_problems(config, 4 * (count - found), rng=rng)
        detours = detour_of(drawn, margin=RADIUS + config.clearance)
        parts.append(drawn[(detours >= config.detour[0]) & (detours <= config.detour[1])])
        found, attempts = found + len(parts[-1]), attempts + 4 * (count - found)
        if found == 0 and attempts >= FEWEST_ATTEMPTS:
            raise InputError(f"No problem came of {attempts} attempts with {config}.")
    return concatenate(parts)[:count]


def attempt_problems(config: ControlConfig, attempts: int, *, rng: np.random.Generator) -> ControlProblems:
    """The problems of so many attempts, blocked ones included, but none whose start or goal is covered."""
    boxes = np.stack([_draw_boxes(config, rng) for _ in range(attempts)])
    starts, goals = (_on_the_border(config, attempts, rng) for _ in range(2))
    margin = RADIUS + config.clearance
    far = np.linalg.norm(starts - goals, axis=1) >= config.least_distance
    kept = far & ~touches(boxes, starts, margin) & ~touches(boxes, goals, margin)
    return ControlProblems(boxes, starts, goals)[kept]


def detour_of(problems: ControlProblems, *, margin: float = RADIUS) -> Float64[np.ndarray, " B"]:
    """The shortest route's length by that of the one without obstacles; infinite where the goal is walled off."""
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
    """What a network sees: a fine picture of obstacles and goal, made coarse; each goal adds up to 10."""
    obstacles = covered(problems.boxes, 2 * FINE).astype(np.float64)
    centres = HALF_SIDE * ((2 * np.arange(2 * FINE) + 1) / (2 * FINE) - 1)
    rows = (centres - problems.goals[:, :1]) ** 2
    cols = (centres - problems.goals[:, 1:]) ** 2
    discs = (rows[:, :, None] + cols[:, None, :] <= GOAL_RADIUS**2).astype(np.float64)
    marks = shrink(discs, IMAGE)
    marks *= GOAL_MARK / marks.sum(axis=(1, 2), keepdims=True)
    return torch.from_numpy(np.stack([shrink(obstacles, IMAGE), marks], axis=1).astype(np.float32))


def content_hash(problems: ControlProblems) -> str:
    """One text that changes with any box, start or goal, and with their order."""
    arrays = (problems.boxes, problems.starts, problems.goals)
    return hashlib.sha256(b"".join(np.ascontiguousarray(one).tobytes() for one in arrays)).hexdigest()


def concatenate(parts: list[ControlProblems]) -> ControlProblems:
    """Problems of one kind, one after the other."""
    return ControlProblems(
        np.concatenate([part.boxes for part in parts]),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.goals for part in parts]),
    )


def _draw_boxes(config: ControlConfig, rng: np.random.Generator) -> Float64[np.ndarray, "O 4"]:
    """Walls, traps and boxes in random number, place and size; what is left over stays without size."""
    drawn = [_wall(config, rng) for _ in range(_number(config.walls, rng))]
    for _ in range(_number(config.traps, rng)):
        drawn += _trap(config, rng)
    drawn += [_box(config, rng) for _ in range(_number(config.boxes, rng))]
    boxes = np.zeros((config.most_boxes, 4))
    boxes[: len(drawn)] = drawn
    return boxes


def _number(bounds: tuple[int, int], rng: np.random.Generator) -> int:
    return int(rng.integers(bounds[0], bounds[1] + 1))


def _wall(config: ControlConfig, rng: np.random.Generator) -> np.ndarray:
    half = np.array([config.half_thickness, rng.uniform(*config.wall_half_length)])
    return np.concatenate([rng.uniform(-0.7, 0.7, 2), half if rng.random() < 0.5 else half[::-1]])


def _box(config: ControlConfig, rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([rng.uniform(-0.8, 0.8, 2), rng.uniform(*config.box_half_size, 2)])


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
    """A place on one of the four sides, a little inside."""
    reach = HALF_SIDE - config.border
    places = rng.uniform(-reach, reach, (count, 2))
    axis, end = rng.integers(2, size=count), rng.choice([-reach, reach], size=count)
    places[np.arange(count), axis] = end
    return places

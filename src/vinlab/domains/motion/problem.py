"""Problems of states with layers: maps with a start and a goal, each a cell and a layer."""

import hashlib
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int, UInt8
from torch import Tensor

from vinlab.domains.gridworld.problem import random_cells
from vinlab.domains.motion.environment import possible_moves
from vinlab.domains.motion.mazes import GppnMazes
from vinlab.planning.layered_search import LayeredCostMap, LayeredPlan, LayeredShortestPathPlanner
from vinlab.planning.moves import LayeredMoves, motion_named
from vinlab.types import GOAL_MARK, Batch, InputError, concatenate

MOST_ATTEMPTS = 100
"""Rounds of drawing without a single problem, after which sampling stops with an error."""


@dataclass(frozen=True)
class MotionProblems(Batch):
    """Problems on maps of one size: drive from start to goal around the obstacles."""

    obstacles: UInt8[np.ndarray, "B H W"]
    """1 is blocked, 0 is free."""
    starts: Int[np.ndarray, "B 3"]
    """``(row, col, layer)``."""
    goals: Int[np.ndarray, "B 3"]
    """``(row, col, layer)``; a layer of -1 stands for any."""


@runtime_checkable
class MapFamily(Protocol):
    """What draws maps with goals."""

    def draw(
        self, height: int, width: int, attempts: int, *, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Maps ``[B H W]`` and goals ``[B 2]``."""
        ...


@dataclass(frozen=True)
class MotionConfig:
    """Which maps, how large, and the moves on them."""

    size: int = 15
    motion: str = "differential"
    """A ready table of moves."""
    family: MapFamily = field(default_factory=GppnMazes)


def sample_problems(config: MotionConfig, count: int, *, rng: np.random.Generator) -> MotionProblems:
    """Problems that can be solved, with a start that is not the goal."""
    if count < 1:
        raise InputError(f"the number of problems: expected at least 1, got {count}.")
    moves, parts = motion_named(config.motion), []
    for _ in range(MOST_ATTEMPTS):
        drawn = draw_problems(config, count, rng=rng)
        costs = cost_to_go(drawn, moves)
        starts, found = random_cells(np.isfinite(costs) & (costs > 0), rng)
        parts.append(MotionProblems(drawn.obstacles, np.roll(starts, -1, axis=1), drawn.goals)[found])
        if sum(map(len, parts)) >= count:
            return concatenate(parts)[:count]
    raise InputError(f"expected {count} problems with a path, got {sum(map(len, parts))} with {config}.")


def draw_problems(config: MotionConfig, count: int, *, rng: np.random.Generator) -> MotionProblems:
    """Maps with a goal, whether or not any path leads there; the start is the goal."""
    maps, goals = config.family.draw(config.size, config.size, count, rng=rng)
    layer = rng.integers(motion_named(config.motion).num_layers, size=(len(maps), 1))
    states = np.concatenate([goals, layer], axis=1)
    return MotionProblems(maps, states, states)


def observe(
    obstacles: UInt8[np.ndarray, "B H W"], goals: Int[np.ndarray, "B 3"], layers: int
) -> Float32[Tensor, "B C H W"]:
    """The observation of a network: the obstacles as ones, and a channel of goal marks for each layer."""
    images = np.zeros((len(obstacles), 1 + layers, *obstacles.shape[1:]), np.float32)
    images[:, 0] = obstacles
    images[:, 1:] = GOAL_MARK * goal_states(goals, (layers, *obstacles.shape[1:]))
    return torch.from_numpy(images)


def goal_states(goals: Int[np.ndarray, "B 3"], shape: tuple[int, ...]) -> Bool[np.ndarray, "B L H W"]:
    """The states in which a path may end, from goals with or without a layer."""
    marked = np.zeros((len(goals), *shape), bool)
    index = np.arange(len(goals))
    marked[index, np.maximum(goals[:, 2], 0), goals[:, 0], goals[:, 1]] = True
    anywhere = goals[:, 2] < 0
    marked[index[anywhere], :, goals[anywhere, 0], goals[anywhere, 1]] = True
    return marked


def cost_to_go(problems: MotionProblems, moves: LayeredMoves, *, corner_cutting: bool = True) -> np.ndarray:
    """The length of the shortest path from every state ``[B L H W]``; infinite without one and in obstacles."""
    plan = exact_plan(problems, moves, corner_cutting=corner_cutting)
    costs = -plan.value.numpy()
    return np.where((costs < 1e29) & (problems.obstacles[:, None] == 0), costs, np.inf)


def exact_plan(problems: MotionProblems, moves: LayeredMoves, *, corner_cutting: bool = True) -> LayeredPlan:
    """The exact plan of all problems, from the lengths of the moves and what is possible."""
    require_free_maps(problems.obstacles)
    possible = torch.from_numpy(possible_moves(problems.obstacles, moves, corner_cutting=corner_cutting))
    lengths = torch.from_numpy(moves.lengths)[None, :, :, None, None].expand(possible.shape)
    shape = (moves.num_layers, *problems.obstacles.shape[1:])
    terminals = torch.from_numpy(goal_states(problems.goals, shape))
    return LayeredShortestPathPlanner()(LayeredCostMap(lengths, terminals, possible), moves)


def require_free_maps(obstacles: UInt8[np.ndarray, "B H W"]) -> None:
    """Every map has a free cell, or a sentence names the first without."""
    full = (obstacles != 0).reshape(len(obstacles), -1).all(axis=1)
    if full.any():
        raise InputError(f"expected a free cell in every map, got none in map {int(full.argmax())}.")


def content_hash(problems: MotionProblems) -> str:
    """One hash of all maps, goals and starts, and of their order."""
    parts = (problems.obstacles, problems.goals.astype(np.int64), problems.starts.astype(np.int64))
    size = np.array(problems.obstacles.shape, np.int64).tobytes()
    return hashlib.sha256(size + b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()

"""An expert that knows the hidden costs: cheapest paths, and a demonstrator who sometimes strays from them."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64, Int, Int8

from vinlab.domains.terrain_costs.environment import step
from vinlab.domains.terrain_costs.problem import TerrainCostsProblems
from vinlab.planning.cell_costs import cheapest_moves
from vinlab.types import MOVE_OFFSETS, InputError


@dataclass(frozen=True)
class CheapestPaths:
    """The exact solution of problems."""

    moves: Int8[np.ndarray, "N H W"]
    """The first move of a cheapest path; -1 at the goal."""
    costs: Float64[np.ndarray, "N H W"]
    """Of a cheapest path from every cell."""


def solve(problems: TerrainCostsProblems) -> CheapestPaths:
    """The exact solution of all problems."""
    return CheapestPaths(*cheapest_moves(problems.costs, problems.goals))


def demonstrate(
    problems: TerrainCostsProblems, *, detours: float = 0.0, rng: np.random.Generator
) -> list[Int[np.ndarray, "_ 2"]]:
    """A path to the goal of each problem.

    With the probability ``detours`` the demonstrator makes a random move in place of the best one, and goes on from
    where that leads.
    """
    if not 0 <= detours < 1:
        raise InputError(f"detours: expected a probability of at least 0 and below 1, got {detours}.")
    return paths_between(problems.costs, problems.starts, problems.goals, detours=detours, rng=rng)


def paths_between(
    costs: Float[np.ndarray, "N H W"],
    starts: Int[np.ndarray, "N 2"],
    goals: Int[np.ndarray, "N 2"],
    *,
    detours: float = 0.0,
    rng: np.random.Generator | None = None,
) -> list[Int[np.ndarray, "_ 2"]]:
    """A cheapest path on each map of costs, or one with detours."""
    moves, _ = cheapest_moves(costs, goals)
    rng = rng or np.random.default_rng(0)
    ends = zip(starts, goals, strict=True)
    return [_walk(moves[index], *pair, detours, rng) for index, pair in enumerate(ends)]


def _walk(
    moves: np.ndarray, start: np.ndarray, goal: np.ndarray, detours: float, rng: np.random.Generator
) -> np.ndarray:
    """The path of one demonstrator; a detour ends neither off the map nor at the goal."""
    path = [tuple(start)]
    while path[-1] != tuple(goal):
        move = int(moves[path[-1]])
        if detours and rng.random() < detours:
            move = int(rng.integers(len(MOVE_OFFSETS)))
        following = tuple(step(moves.shape, np.array(path[-1]), np.array(move)))
        if following != path[-1]:
            path.append(following)
    return np.array(path, dtype=np.int64)

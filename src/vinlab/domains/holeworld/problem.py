"""Problems of the hole world: maps of the grid-world with a goal, and starts at chosen distances from it."""

from collections.abc import Collection

import numpy as np
from jaxtyping import Float64, Int, UInt8

from vinlab.domains.gridworld.problem import FEWEST_ATTEMPTS, GridworldConfig, are_new, random_cells
from vinlab.domains.holeworld.environment import HoleWorldBatch
from vinlab.domains.holeworld.expert import moves_to_goal
from vinlab.types import GridProblems, InputError, concatenate


def sample_problems(
    config: GridworldConfig,
    count: int,
    *,
    rng: np.random.Generator,
    difficulty: int | None = None,
    taken: Collection[str] = (),
) -> GridProblems:
    """Problems whose start is ``difficulty`` moves from the goal, or without it any cell that reaches the goal.

    No map and goal has its key among those ``taken``.
    """
    parts, found, attempts = [], 0, 0
    while found < count:
        wanted = max(count - found, attempts)  # double the batch each time: some difficulties are rare
        obstacles, goals, distances = _draw_maps(config, wanted, rng, taken)
        allowed = np.isfinite(distances) & (distances > 0)
        if difficulty is not None:
            allowed &= distances == difficulty
        kept = allowed.any(axis=(1, 2))
        starts, _ = random_cells(allowed[kept], rng)
        parts.append(GridProblems(obstacles[kept], starts, goals[kept]))
        found, attempts = found + int(kept.sum()), attempts + wanted
        if found == 0 and attempts >= 10 * FEWEST_ATTEMPTS:
            raise InputError(
                f"expected a problem of difficulty {difficulty}, got none in {attempts} maps with {config}."
            )
    return concatenate(parts)[:count]


def sample_worlds(
    config: GridworldConfig,
    count: int,
    *,
    episodes: int,
    hardest: int,
    rng: np.random.Generator,
    taken: Collection[str] = (),
) -> HoleWorldBatch:
    """Maps, each with starts whose distances from the goal are uniform over 1..``hardest``.

    Where a map has no cell at a distance, its largest distance is used. No map and goal has its key among those
    ``taken``.
    """
    obstacles, goals, distances = _draw_maps(config, count, rng, taken)
    furthest = np.where(np.isfinite(distances), distances, 0).max(axis=(1, 2))
    wanted = rng.integers(1, hardest, endpoint=True, size=(count, episodes))
    wanted = np.minimum(wanted, furthest[:, None])
    starts = [random_cells(distances == wanted[:, i, None, None], rng)[0] for i in range(episodes)]
    return HoleWorldBatch(obstacles, goals, np.stack(starts, axis=1))


def _draw_maps(
    config: GridworldConfig, count: int, rng: np.random.Generator, taken: Collection[str]
) -> tuple[UInt8[np.ndarray, "B H W"], Int[np.ndarray, "B 2"], Float64[np.ndarray, "B H W"]]:
    """Maps, goals and the moves from each cell to the goal, which at least one other cell can reach."""
    drawn: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    found, attempts = 0, 0
    while found < count:
        obstacles, goals = config.maps.draw(*config.shape, 2 * (count - found) + 8, rng=rng)
        distances = moves_to_goal(obstacles, goals)
        kept = (np.isfinite(distances) & (distances > 0)).any(axis=(1, 2))
        kept &= are_new(GridProblems(obstacles, goals, goals), taken)
        drawn.append((obstacles[kept], goals[kept], distances[kept]))
        found, attempts = found + int(kept.sum()), attempts + len(kept)
        if found == 0 and attempts >= FEWEST_ATTEMPTS:
            raise InputError(f"expected a new problem, got none in {attempts} attempts with {config}.")
    obstacles, goals, distances = (np.concatenate(parts)[:count] for parts in zip(*drawn, strict=True))
    return obstacles, goals, distances

"""The grid-world of the paper's reinforcement learning: four moves, and obstacles that are holes to fall into."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, Float64, Int, UInt8
from torch import Tensor

from vinlab.domains.gridworld.environment import is_free
from vinlab.domains.gridworld.problem import FEWEST_ATTEMPTS, GridworldConfig, content_keys, observe
from vinlab.planning.exact import cost_to_go
from vinlab.types import MOVE_OFFSETS, GridProblems, InputError

NUM_MOVES = 4
"""North, south, east, west: the first four of all moves."""

GOAL_REWARD, HOLE_REWARD, STEP_REWARD = 1.0, -1.0, -0.01
"""What a move brings that reaches the goal, that ends in a hole, and any other."""


@dataclass(frozen=True)
class Outcome:
    """What a move leads to."""

    states: Int[np.ndarray, "B *S 2"]
    """Where one is now; who fell stays at the edge of the hole."""
    rewards: Float32[np.ndarray, "B *S"]
    reached: Bool[np.ndarray, "B *S"]
    fallen: Bool[np.ndarray, "B *S"]

    @property
    def ended(self) -> Bool[np.ndarray, "B *S"]:
        """Whether the episode is over."""
        return self.reached | self.fallen


def step_holeworld(
    obstacles: UInt8[np.ndarray, "B H W"],
    goals: Int[np.ndarray, "B 2"],
    states: Int[np.ndarray, "B *S 2"],
    moves: Int[np.ndarray, "B *S"],
) -> Outcome:
    """What each move leads to; an obstacle is a hole, and so is everything off the map."""
    targets = states + MOVE_OFFSETS[moves].astype(states.dtype)
    fallen = ~is_free(obstacles, targets)
    reached = ~fallen & (targets == goals.reshape(-1, *[1] * (states.ndim - 2), 2)).all(axis=-1)
    rewards = np.where(fallen, HOLE_REWARD, np.where(reached, GOAL_REWARD, STEP_REWARD))
    states = np.where(fallen[..., None], states, targets)
    return Outcome(states, rewards.astype(np.float32), reached, fallen)


class HoleWorldBatch:
    """Maps with a goal each, on which many episodes go on at once; what a learner acts in."""

    def __init__(self, obstacles: np.ndarray, goals: np.ndarray, starts: Int[np.ndarray, "B S 2"]) -> None:
        self.obstacles = obstacles
        self.goals = goals
        self.starts = starts

    @property
    def observations(self) -> Float32[Tensor, "B 2 H W"]:
        """What a network sees of each map."""
        return observe(self.obstacles, self.goals)

    def step(
        self, states: Int[np.ndarray, "B S 2"], moves: Int[np.ndarray, "B S"]
    ) -> tuple[Int[np.ndarray, "B S 2"], Float32[np.ndarray, "B S"], Bool[np.ndarray, "B S"]]:
        """The states that follow, the rewards, and which episodes are over."""
        outcome = step_holeworld(self.obstacles, self.goals, states, moves)
        return outcome.states, outcome.rewards, outcome.ended


def moves_to_goal(
    obstacles: UInt8[np.ndarray, "B H W"], goals: Int[np.ndarray, "B 2"]
) -> Float64[np.ndarray, "B H W"]:
    """How many moves the goal is away from each cell; infinite where there is no way."""
    return cost_to_go(obstacles, goals, num_moves=NUM_MOVES)


def sample_worlds(
    config: GridworldConfig,
    count: int,
    *,
    episodes: int,
    hardest: int,
    rng: np.random.Generator,
    taken: Collection[str] = (),
) -> HoleWorldBatch:
    """As many maps as asked for, each with starts whose distances are uniform over 1..``hardest``.

    Where a map has no cell at a distance the start is one at the next smaller. No map and goal has its key
    among those ``taken``.
    """
    obstacles, goals, distances = _draw(config, count, rng, taken)
    furthest = np.where(np.isfinite(distances), distances, 0).max(axis=(1, 2))
    wanted = rng.integers(1, hardest, endpoint=True, size=(count, episodes))
    wanted = np.minimum(wanted, furthest[:, None])
    starts = np.stack([_cells_at(distances, wanted[:, one], rng) for one in range(episodes)], axis=1)
    return HoleWorldBatch(obstacles, goals, starts)


def sample_hole_problems(
    config: GridworldConfig,
    count: int,
    *,
    rng: np.random.Generator,
    difficulty: int | None = None,
    taken: Collection[str] = (),
) -> GridProblems:
    """Problems whose start is exactly so many moves from the goal, or without a difficulty anywhere."""
    parts, found, attempts = [], 0, 0
    while found < count:
        wanted = max(count - found, attempts)  # twice as many each time, lest rare ones take for ever
        obstacles, goals, distances = _draw(config, wanted, rng, taken)
        fitting = np.isfinite(distances) & (distances > 0)
        if difficulty is not None:
            fitting &= distances == difficulty
        kept = fitting.any(axis=(1, 2))
        starts = _random_cells(fitting[kept], rng)
        parts.append(GridProblems(obstacles[kept], starts, goals[kept]))
        found, attempts = found + int(kept.sum()), attempts + wanted
        if found == 0 and attempts >= 10 * FEWEST_ATTEMPTS:
            raise InputError(f"No problem of difficulty {difficulty} came of {attempts} maps with {config}.")
    return GridProblems(
        np.concatenate([part.obstacles for part in parts])[:count],
        np.concatenate([part.starts for part in parts])[:count],
        np.concatenate([part.goals for part in parts])[:count],
    )


def _draw(
    config: GridworldConfig, count: int, rng: np.random.Generator, taken: Collection[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Maps, goals and distances; every goal can be reached from some other cell."""
    drawn: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    found, attempts = 0, 0
    while found < count:
        obstacles, goals = config.maps.draw(*config.shape, 2 * (count - found) + 8, rng=rng)
        distances = moves_to_goal(obstacles, goals)
        kept = (np.isfinite(distances) & (distances > 0)).any(axis=(1, 2)) & _are_new(obstacles, goals, taken)
        drawn.append((obstacles[kept], goals[kept], distances[kept]))
        found, attempts = found + int(kept.sum()), attempts + len(kept)
        if found == 0 and attempts >= FEWEST_ATTEMPTS:
            raise InputError(f"No new problem came of {attempts} attempts with {config}.")
    obstacles, goals, distances = (np.concatenate(parts)[:count] for parts in zip(*drawn, strict=True))
    return obstacles, goals, distances


def _are_new(obstacles: np.ndarray, goals: np.ndarray, taken: Collection[str]) -> np.ndarray:
    if not taken:
        return np.ones(len(obstacles), dtype=bool)
    keys = content_keys(GridProblems(obstacles, goals, goals))
    return np.array([key not in taken for key in keys], dtype=bool)


def _cells_at(distances: np.ndarray, wanted: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return _random_cells(distances == wanted[:, None, None], rng)


def _random_cells(fitting: Bool[np.ndarray, "B H W"], rng: np.random.Generator) -> Int[np.ndarray, "B 2"]:
    """One of the fitting cells of each map, each as likely as the others."""
    flat = fitting.reshape(len(fitting), fitting.shape[1] * fitting.shape[2])
    chosen = np.where(flat, rng.random(flat.shape), -1.0).argmax(axis=1)
    return np.stack(np.unravel_index(chosen, fitting.shape[1:]), axis=-1)

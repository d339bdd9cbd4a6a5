"""Controllers that know the map: one tracks the shortest route and demonstrates, one moves straight to the goal."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.domains.control.geometry import FINE, HALF_SIDE, RADIUS, cell_centres, cells_of
from vinlab.domains.control.problem import ControlProblems, observe, route_costs
from vinlab.planning.graded import shifted
from vinlab.types import MOVE_COSTS, MOVE_OFFSETS, ContinuousDemonstrations


@dataclass(frozen=True)
class Gains:
    """Of a proportional-derivative controller that tracks a target."""

    stiffness: float = 6.0
    damping: float = 1.0
    lookahead: float = 0.3
    """The distance of the target along the route."""
    clearance: float = 0.04
    """The least free space beside the particle along the route."""


class StraightController:
    """Moves straight to the goal and ignores the obstacles."""

    def __init__(self, problems: ControlProblems, gains: Gains | None = None) -> None:
        self._goals = problems.goals
        self._gains = gains or Gains()

    def __call__(self, time: int, states: Float64[np.ndarray, "B N 4"]) -> Float64[np.ndarray, "B N 2"]:
        """The forces in N states of each square, the same at all times."""
        positions, velocities = states[..., :2], states[..., 2:]
        away = self._targets(positions) - positions
        forces = self._gains.stiffness * away - self._gains.damping * velocities
        # A force beyond the limit keeps its direction.
        return forces / np.maximum(np.abs(forces).max(axis=-1, keepdims=True), 1.0)

    def _targets(self, positions: Float64[np.ndarray, "B N 2"]) -> Float64[np.ndarray, "B _ 2"]:
        return self._goals[:, None]


class RouteController(StraightController):
    """Tracks the shortest route on a fine map, from any position."""

    def __init__(self, problems: ControlProblems, gains: Gains | None = None) -> None:
        super().__init__(problems, gains)
        costs = route_costs(problems, margin=RADIUS + self._gains.clearance)
        self._next = next_cells(costs)
        self._hops = max(1, round(self._gains.lookahead / (2 * HALF_SIDE / FINE)))

    def _targets(self, positions: Float64[np.ndarray, "B N 2"]) -> Float64[np.ndarray, "B N 2"]:
        """The position on the route a little ahead; near its end, the goal itself."""
        cells, problem = cells_of(positions, FINE), np.arange(len(positions))[:, None]
        for _ in range(self._hops):
            cells = self._next[problem, cells[..., 0], cells[..., 1]]
        at_goal = (cells == cells_of(self._goals, FINE)[:, None]).all(axis=-1)
        return np.where(at_goal[..., None], self._goals[:, None], cell_centres(FINE)[cells])


def next_cells(costs: Float64[np.ndarray, "B H W"]) -> Int64[np.ndarray, "B H W 2"]:
    """The next cell on the shortest path from each cell; from a covered cell, the nearest free one."""
    from scipy.ndimage import distance_transform_edt

    count, height, width = costs.shape
    padded = np.pad(costs, ((0, 0), (1, 1), (1, 1)), constant_values=np.inf)
    around = np.stack([shifted(padded, *offset) for offset in MOVE_OFFSETS.tolist()])
    best = (around + MOVE_COSTS[:, None, None, None]).argmin(axis=0)
    here = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), axis=-1)
    following = np.where((costs == 0)[..., None], here, here + MOVE_OFFSETS[best])
    for index in range(count):
        covered = ~np.isfinite(costs[index])
        nearest = distance_transform_edt(covered, return_distances=False, return_indices=True)
        following[index][covered] = np.moveaxis(np.asarray(nearest), 0, -1)[covered]
    return following.astype(np.int64)


def demonstrate(
    worlds: ParticleWorlds,
    *,
    rng: np.random.Generator,
    gains: Gains | None = None,
    samples: int = 16,
    noise: float = 0.5,
    horizon: int = 100,
) -> ContinuousDemonstrations:
    """The route controller's forces along rollouts that noise drives off the route."""
    disturbance = correlated_noise((len(worlds), samples, horizon, 2), noise, rng=rng)
    controller = RouteController(worlds.problems, gains)
    found = worlds.rollout(controller, horizon=horizon, samples=samples, noise=disturbance)
    counted = np.broadcast_to(found.valid[:, :, None], found.states.shape[:3])
    precisions = counted[..., None, None] * np.eye(2)
    return to_demonstrations(worlds.problems, found.states, found.actions, precisions)


def correlated_noise(
    shape: tuple[int, int, int, int], std: float, *, rng: np.random.Generator
) -> Float64[np.ndarray, "B N T U"]:
    """Normal noise that changes slowly with time: it leads further from the route than white noise does."""
    current, noise = np.zeros((*shape[:2], shape[3])), np.empty(shape)
    for time in range(shape[2]):
        current = 0.8 * current + 0.6 * std * rng.standard_normal(current.shape)
        noise[:, :, time] = current
    return noise


def to_demonstrations(
    problems: ControlProblems,
    states: Float64[np.ndarray, "B N T 4"],
    forces: Float64[np.ndarray, "B N T 2"],
    precisions: Float64[np.ndarray, "B N T 2 2"],
) -> ContinuousDemonstrations:
    """Rollouts as demonstrations, with all samples and times of a domain in one axis."""

    def flat(array: np.ndarray) -> Tensor:
        merged = array.reshape(len(array), -1, *array.shape[3:])
        return torch.from_numpy(np.ascontiguousarray(merged, dtype=np.float32))

    return ContinuousDemonstrations(observe(problems), flat(states), flat(forces), flat(precisions))

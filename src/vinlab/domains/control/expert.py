"""Controllers that know the map: one that tracks the shortest route, and one that pushes straight at the goal."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float64, Int64

from vinlab.domains.control.environment import ParticleWorlds
from vinlab.domains.control.geometry import FINE, HALF_SIDE, RADIUS, cell_centres, cells_of
from vinlab.domains.control.problem import ControlProblems, route_costs
from vinlab.types import MOVE_OFFSETS


@runtime_checkable
class Controller(Protocol):
    """Whatever pushes the particle by its state alone."""

    def __call__(self, states: Float64[np.ndarray, "B N 4"]) -> Float64[np.ndarray, "B N 2"]:
        """The pushes in N states of each square."""
        ...


@dataclass(frozen=True)
class Gains:
    """Of a controller that is drawn to a place and brakes."""

    stiffness: float = 6.0
    damping: float = 1.0
    lookahead: float = 0.3
    """How far ahead on the route the place lies."""
    clearance: float = 0.04
    """How far beside the particle the route keeps off obstacles."""


@dataclass(frozen=True)
class Rollouts:
    """What happened when a controller pushed."""

    states: Float64[np.ndarray, "B N T 4"]
    """Before each push."""
    forces: Float64[np.ndarray, "B N T 2"]
    """What the controller wanted, without the noise."""
    final: Float64[np.ndarray, "B N 4"]
    valid: Bool[np.ndarray, "B N"]
    """False where the simulation diverged; such a rollout stands still from there on."""

    def distances(self, goals: Float64[np.ndarray, "B 2"]) -> Float64[np.ndarray, "B N"]:
        """From the last position to the goal."""
        return np.linalg.norm(self.final[..., :2] - goals[:, None], axis=-1)


class StraightController:
    """Pushes straight at the known goal, whatever stands between."""

    def __init__(self, problems: ControlProblems, gains: Gains | None = None) -> None:
        self._goals = problems.goals
        self._gains = gains or Gains()

    def __call__(self, states: Float64[np.ndarray, "B N 4"]) -> Float64[np.ndarray, "B N 2"]:
        """The pushes in N states of each square."""
        return _push_towards(self._goals[:, None], states, self._gains)


class RouteController:
    """Tracks the shortest route on a fine map, from wherever it is."""

    def __init__(self, problems: ControlProblems, gains: Gains | None = None) -> None:
        self._goals = problems.goals
        self._gains = gains or Gains()
        costs = route_costs(problems, margin=RADIUS + self._gains.clearance)
        self._next = next_cells(costs)
        self._hops = max(1, round(self._gains.lookahead / (2 * HALF_SIDE / FINE)))

    def __call__(self, states: Float64[np.ndarray, "B N 4"]) -> Float64[np.ndarray, "B N 2"]:
        """The pushes in N states of each square."""
        return _push_towards(self._targets(states[..., :2]), states, self._gains)

    def _targets(self, positions: Float64[np.ndarray, "B N 2"]) -> Float64[np.ndarray, "B N 2"]:
        """The place on the route that lies a little ahead; near its end, the goal itself."""
        cells, problem = cells_of(positions, FINE), np.arange(len(positions))[:, None]
        for _ in range(self._hops):
            cells = self._next[problem, cells[..., 0], cells[..., 1]]
        at_goal = (cells == cells_of(self._goals, FINE)[:, None]).all(axis=-1)
        return np.where(at_goal[..., None], self._goals[:, None], cell_centres(FINE)[cells])


def next_cells(costs: Float64[np.ndarray, "B H W"]) -> Int64[np.ndarray, "B H W 2"]:
    """The cell that follows each on its shortest way to the goal; from a covered one, the nearest free one."""
    from scipy.ndimage import distance_transform_edt

    count, height, width = costs.shape
    padded = np.pad(costs, ((0, 0), (1, 1), (1, 1)), constant_values=np.inf)
    around = np.stack(
        [padded[:, 1 + row : 1 + row + height, 1 + col : 1 + col + width] for row, col in MOVE_OFFSETS]
    )
    lengths = np.sqrt((MOVE_OFFSETS**2).sum(axis=1))
    best = (around + lengths[:, None, None, None]).argmin(axis=0)
    here = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), axis=-1)
    following = np.where((costs == 0)[..., None], here, here + MOVE_OFFSETS[best])
    for index in range(count):
        covered = ~np.isfinite(costs[index])
        nearest = distance_transform_edt(covered, return_distances=False, return_indices=True)
        following[index][covered] = np.moveaxis(np.asarray(nearest), 0, -1)[covered]
    return following.astype(np.int64)


def roll_out(
    worlds: ParticleWorlds,
    controller: Controller,
    *,
    horizon: int,
    samples: int = 1,
    noise: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Rollouts:
    """Let a controller push from the start on, with noise on its pushes if asked; all squares at once."""
    states = np.repeat(worlds.initial_states[:, None], samples, axis=1)
    valid = np.ones(states.shape[:2], dtype=bool)
    disturbance = np.zeros((*states.shape[:2], 2))
    seen, wanted = [], []
    for _ in range(horizon):
        forces = controller(states)
        seen.append(states)
        wanted.append(forces)
        if noise and rng is not None:
            # A slowly changing disturbance leads further from the route than one that averages out.
            disturbance = 0.8 * disturbance + 0.6 * noise * rng.standard_normal(disturbance.shape)
        following, fine = worlds.step(states, forces + disturbance)
        valid &= fine
        states = np.where(valid[..., None], following, states)
    return Rollouts(np.stack(seen, axis=2), np.stack(wanted, axis=2), states, valid)


def _push_towards(places: np.ndarray, states: np.ndarray, gains: Gains) -> np.ndarray:
    forces = gains.stiffness * (places - states[..., :2]) - gains.damping * states[..., 2:]
    # Too strong a push keeps its direction.
    strength = np.abs(forces).max(axis=-1, keepdims=True)
    return forces / np.maximum(strength, 1.0)

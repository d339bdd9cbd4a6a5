"""The dynamics of the particle: MuJoCo with contacts, for many particles in many squares at once."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64

from vinlab.domains.control.geometry import HALF_SIDE, RADIUS
from vinlab.domains.control.problem import ControlProblems
from vinlab.types import ContinuousRollouts, missing_library

Controller = Callable[[int, Float64[np.ndarray, "B N 4"]], Float64[np.ndarray, "B N 2"]]
"""The forces at a time step in N states of each square."""


@dataclass(frozen=True)
class Physics:
    """The physics of particle and contacts, with the numbers of the public GPS code where it has them."""

    timestep: float = 0.01
    substeps: int = 5
    """Physics steps of one time step, during which the force is constant."""
    damping: float = 1.0
    density: float = 1000.0
    friction: float = 0.5
    stiffness: float = 3000.0
    """Of the springs in a contact."""
    contact_damping: float = 15.0
    """Of the same springs; a smaller one gives a more elastic bounce."""
    max_force: float = 1.0
    """Along each axis; larger forces are clipped."""

    @property
    def seconds(self) -> float:
        """Of one time step."""
        return self.timestep * self.substeps


def model_xml(boxes: Float64[np.ndarray, "O 4"], physics: Physics) -> str:
    """One square as MuJoCo's XML; x is the row, y the column."""
    solref = f"{-physics.stiffness} {-physics.contact_damping}"
    obstacles = "\n".join(_box_xml(box) for box in [*_edges(), *boxes])
    limits = f'ctrllimited="true" ctrlrange="{-physics.max_force} {physics.max_force}"'
    return f"""
    <mujoco>
      <option timestep="{physics.timestep}" gravity="0 0 0" integrator="implicitfast"/>
      <default>
        <geom friction="{physics.friction} 0.1 0.1" solref="{solref}" density="{physics.density}" condim="3"/>
      </default>
      <worldbody>
        {obstacles}
        <body name="particle">
          <joint name="row" type="slide" axis="1 0 0" damping="{physics.damping}"/>
          <joint name="col" type="slide" axis="0 1 0" damping="{physics.damping}"/>
          <geom name="particle" type="sphere" size="{RADIUS}" rgba="0.85 0.2 0.1 1"/>
        </body>
      </worldbody>
      <actuator>
        <motor joint="row" {limits}/>
        <motor joint="col" {limits}/>
      </actuator>
    </mujoco>"""


class ParticleWorlds:
    """A square per problem, each compiled once; a state is (row, col) and the velocity of each."""

    def __init__(self, problems: ControlProblems, physics: Physics | None = None) -> None:
        mujoco = require_mujoco()
        self.problems = problems
        self.physics = physics or Physics()
        self.steps_simulated = 0
        self._models = [
            mujoco.MjModel.from_xml_string(model_xml(boxes, self.physics)) for boxes in problems.boxes
        ]
        self._data = mujoco.MjData(self._models[0])

    def __len__(self) -> int:
        return len(self._models)

    @property
    def initial_states(self) -> Float64[np.ndarray, "B 4"]:
        """At the start, at rest."""
        return np.concatenate([self.problems.starts, np.zeros_like(self.problems.starts)], axis=1)

    def step(
        self, states: Float64[np.ndarray, "B N 4"], forces: Float64[np.ndarray, "B N 2"]
    ) -> tuple[Float64[np.ndarray, "B N 4"], Bool[np.ndarray, "B N"]]:
        """The states after N forces in each square, and whether each simulation stayed valid.

        A simulation that MuJoCo warns of, or whose particle leaves the square, keeps its state.
        """
        from mujoco import rollout

        count = states.shape[1]
        flat, applied = states.reshape(-1, 4), forces.reshape(-1, 2)
        usable = np.asarray(np.isfinite(flat).all(axis=1) & np.isfinite(applied).all(axis=1))
        initial = np.concatenate([np.zeros((len(flat), 1)), np.where(usable[:, None], flat, 0.0)], axis=1)
        applied = np.where(usable[:, None], applied, 0.0)
        applied = np.repeat(applied[:, None], self.physics.substeps, axis=1)
        models = [model for model in self._models for _ in range(count)]
        reached = np.asarray(rollout.rollout(models, self._data, initial, applied)[0])
        self.steps_simulated += len(flat) * self.physics.substeps
        valid = usable & self._is_valid(reached[:, -1])
        following = np.where(valid[:, None], reached[:, -1, 1:], flat)
        return following.reshape(states.shape), valid.reshape(states.shape[:2])

    def rollout(
        self,
        controller: Controller,
        *,
        horizon: int,
        samples: int = 1,
        noise: Float64[np.ndarray, "B N T 2"] | None = None,
    ) -> ContinuousRollouts:
        """Rollouts from the start, in all squares at once, with noise on the forces where it is given."""
        states = np.repeat(self.initial_states[:, None], samples, axis=1)
        valid = np.ones(states.shape[:2], dtype=bool)
        seen, chosen = [], []
        for time in range(horizon):
            forces = controller(time, states)
            seen.append(states)
            chosen.append(forces)
            following, fine = self.step(states, forces if noise is None else forces + noise[:, :, time])
            valid = valid & fine
            states = np.where(valid[..., None], following, states)
        return ContinuousRollouts(np.stack(seen, axis=2), np.stack(chosen, axis=2), states, valid)

    def distances(self, states: Float64[np.ndarray, "B N 4"]) -> Float64[np.ndarray, "B N"]:
        """From the positions to the goals."""
        return np.linalg.norm(states[..., :2] - self.problems.goals[:, None], axis=-1)

    def _is_valid(self, reached: Float64[np.ndarray, "S 5"]) -> Bool[np.ndarray, " S"]:
        # MuJoCo stops or resets the time of a simulation that it warns of.
        on_time = np.abs(reached[:, 0] - self.physics.seconds) < 1e-9
        inside = (np.abs(reached[:, 1:3]) < 2 * HALF_SIDE).all(axis=1)
        return on_time & inside & np.isfinite(reached).all(axis=1)


def require_mujoco() -> Any:
    """The library, or an error that says how to install it."""
    if importlib.util.find_spec("mujoco") is None:
        raise missing_library("Continuous control", "mujoco", extra="control")
    import mujoco

    return mujoco


def _edges() -> Float64[np.ndarray, "4 4"]:
    """The four sides of the square as boxes just outside it."""
    far, thick, long = HALF_SIDE + 0.1, 0.1, HALF_SIDE + 0.2
    below, right = (far, 0, thick, long), (0, far, long, thick)
    return np.array([below, (-far, *below[1:]), right, (0, -far, *right[2:])])


def _box_xml(box: np.ndarray) -> str:
    """A box; an absent one becomes a small geom without contacts, so that all models have the same shape."""
    row, col, height, width = (float(number) for number in box)
    if min(height, width) <= 0:
        return '<geom type="box" pos="0 0 -5" size="0.01 0.01 0.01" contype="0" conaffinity="0"/>'
    return f'<geom type="box" pos="{row} {col} 0" size="{height} {width} 0.1" rgba="0.5 0.5 0.5 1"/>'

"""The particle as a Gymnasium environment."""

from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from vinlab.domains.control.environment import ParticleWorlds, Physics
from vinlab.domains.control.geometry import FINE, cells_of, covered
from vinlab.domains.control.problem import IMAGE, ControlConfig, ControlProblems, observe, sample_problems
from vinlab.domains.gridworld.gymnasium_env import Info, Observation, ProblemEnvironment
from vinlab.domains.gridworld.rendering import RENDER_MODES, render_cells
from vinlab.types import GOAL_MARK

RENDERING = {"render_modes": list(RENDER_MODES), "render_fps": 25}


class ParticleControlEnvironment(ProblemEnvironment[np.ndarray]):
    """A new domain in each episode: move the particle from the start to the goal.

    The cost of a step is half the squared distance to the goal after it. The episode is truncated after ``horizon``
    steps, and terminates only if the simulation diverges.
    """

    metadata = RENDERING

    def __init__(
        self,
        config: ControlConfig | None = None,
        *,
        problems: ControlProblems | None = None,
        physics: Physics | None = None,
        horizon: int = 100,
        render_mode: str | None = None,
    ) -> None:
        """Domains are chosen at random from ``problems``, or sampled from the config."""
        super().__init__(problems, partial(sample_problems, config or ControlConfig()), render_mode)
        self._physics = physics or Physics()
        self._horizon = horizon
        limit = self._physics.max_force
        self.action_space = spaces.Box(-limit, limit, (2,), np.float64)
        self.observation_space = spaces.Dict(
            image=spaces.Box(0.0, GOAL_MARK, (2, IMAGE, IMAGE), np.float32),
            position=spaces.Box(-2.0, 2.0, (2,), np.float64),
            velocity=spaces.Box(-np.inf, np.inf, (2,), np.float64),
        )

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Observation, Info]:
        """The first observation of a new domain, and the distance to the goal."""
        return super().reset(seed=seed, options=options)[0], {"distance": self._distance()}

    def _begin(self) -> Observation:
        self._worlds = ParticleWorlds(self._problem, self._physics)
        self._image = observe(self._worlds.problems).numpy()[0]
        self._states = self._worlds.initial_states[:, None]
        return self._observation()

    def step(self, action: np.ndarray) -> tuple[Observation, float, bool, bool, Info]:
        """Observation, reward, terminated (the simulation diverged), truncated, and the distance to the goal."""
        forces = np.asarray(action, dtype=np.float64).reshape(1, 1, 2)
        self._states, valid = self._worlds.step(self._states, forces)
        self._steps += 1
        distance = self._distance()
        truncated = self._steps >= self._horizon
        return self._observation(), -0.5 * distance**2, not valid.all(), truncated, {"distance": distance}

    def render(self) -> Any:
        """The square on a fine grid, as an image or as text."""
        problem = self._worlds.problems
        ends = np.stack([self._states[0, 0, :2], problem.goals[0]])
        particle, goal = cells_of(ends, FINE)
        return render_cells(self.render_mode, covered(problem.boxes, FINE)[0], particle, goal)

    def _distance(self) -> float:
        return float(np.linalg.norm(self._states[0, 0, :2] - self._worlds.problems.goals[0]))

    def _observation(self) -> Observation:
        position, velocity = np.split(self._states[0, 0], 2)
        return {"image": self._image.copy(), "position": position.copy(), "velocity": velocity.copy()}

"""The particle as a Gymnasium environment."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from vinlab.domains.control.environment import ParticleWorlds, Physics
from vinlab.domains.control.problem import (
    GOAL_MARK,
    IMAGE,
    ControlConfig,
    ControlProblems,
    observe,
    sample_problems,
)
from vinlab.types import InputError

Observation = dict[str, Any]


class ParticleControlEnvironment(gymnasium.Env[Observation, np.ndarray]):
    """A new domain in each episode: push the particle from the start to the goal.

    A push costs half the squared distance to the goal that it leads to. The episode is cut off after ``horizon``
    pushes, and ends early only if the simulation diverges.
    """

    def __init__(
        self,
        config: ControlConfig | None = None,
        *,
        problems: ControlProblems | None = None,
        physics: Physics | None = None,
        horizon: int = 100,
    ) -> None:
        """Domains are those given, chosen at random, or newly sampled from the config."""
        if problems is not None and len(problems) == 0:
            raise InputError("problems must hold at least one domain, but none came.")
        self._config = config or ControlConfig()
        self._problems = problems
        self._physics = physics or Physics()
        self._horizon = horizon
        push = self._physics.strongest_push
        self.action_space = spaces.Box(-push, push, (2,), np.float64)
        self.observation_space = spaces.Dict(
            image=spaces.Box(0.0, GOAL_MARK, (2, IMAGE, IMAGE), np.float32),
            position=spaces.Box(-2.0, 2.0, (2,), np.float64),
            velocity=spaces.Box(-np.inf, np.inf, (2,), np.float64),
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """The first observation of a new domain."""
        super().reset(seed=seed)
        self._worlds = ParticleWorlds(self._next_problem(), self._physics)
        self._image = observe(self._worlds.problems).numpy()[0]
        self._states = self._worlds.initial_states[:, None]
        self._pushes_made = 0
        return self._observation(), {"distance": self._distance()}

    def step(self, action: np.ndarray) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Observation, reward, whether the simulation diverged, whether time is up, and the distance to the goal."""
        forces = np.asarray(action, dtype=np.float64).reshape(1, 1, 2)
        self._states, valid = self._worlds.step(self._states, forces)
        self._pushes_made += 1
        distance = self._distance()
        time_is_up = self._pushes_made >= self._horizon
        return self._observation(), -0.5 * distance**2, not valid.all(), time_is_up, {"distance": distance}

    def _next_problem(self) -> ControlProblems:
        if self._problems is None:
            return sample_problems(self._config, 1, rng=self.np_random)
        chosen = int(self.np_random.integers(len(self._problems)))
        return self._problems[chosen : chosen + 1]

    def _distance(self) -> float:
        return float(np.linalg.norm(self._states[0, 0, :2] - self._worlds.problems.goals[0]))

    def _observation(self) -> Observation:
        position, velocity = np.split(self._states[0, 0], 2)
        return {"image": self._image.copy(), "position": position.copy(), "velocity": velocity.copy()}

"""The grid-world as a Gymnasium environment."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces

from vinlab.domains.gridworld.environment import step
from vinlab.domains.gridworld.problem import GridworldConfig, observe, sample_problems
from vinlab.domains.gridworld.rendering import RENDER_MODES, render_cells, require_render_mode
from vinlab.types import GOAL_MARK, MOVE_COSTS, MOVE_NAMES, GridProblems, InputError

Observation = dict[str, Any]
Info = dict[str, Any]
Config = TypeVar("Config")
Action = TypeVar("Action")


RENDERING = {"render_modes": list(RENDER_MODES), "render_fps": 8}


def config_of(kind: type[Config], config: Config | None, options: dict[str, Any]) -> Config:
    """The maps and rules: a whole configuration, or one with some of its fields such as ``size``."""
    if config is not None and options:
        raise InputError(f"expected a config or single options, got a config and {', '.join(options)}.")
    known = [field.name for field in fields(kind)]  # pyright: ignore[reportArgumentType]
    unknown = [name for name in options if name not in known]
    if unknown:
        raise InputError(f"expected options of the maps ({', '.join(known)}), got {', '.join(unknown)}.")
    return config or kind(**options)


class ProblemEnvironment(gymnasium.Env[Observation, Action]):
    """An environment with a new problem in each episode: one of those given, chosen at random, or a sampled one."""

    metadata = RENDERING

    def __init__(self, given: Any, sample: Callable[..., Any], render_mode: str | None) -> None:
        if given is not None and len(given) == 0:
            raise InputError("problems: expected at least one problem, got none.")
        self.render_mode = require_render_mode(render_mode)
        self._given, self._sample = given, sample

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Observation, Info]:
        """The first observation of a new problem."""
        super().reset(seed=seed)
        self._problem = self.draw_problems(1, self.np_random)
        self._steps = 0
        return self._begin(), {}

    def draw_problems(self, count: int, rng: np.random.Generator) -> Any:
        """Some of the given problems, or sampled ones."""
        if self._given is None:
            return self._sample(count, rng=rng)
        return self._given[rng.integers(len(self._given), size=count)]

    @abstractmethod
    def _begin(self) -> Observation:
        """The first observation of the problem."""


class GridWorldEnvironment(ProblemEnvironment[np.int64]):
    """A new problem in each episode: find a path from the start to the goal.

    A move costs its length (1 or the square root of 2), even if an obstacle stops it; the one that reaches
    the goal earns 1 more. The episode terminates at the goal and is truncated after ``horizon`` moves.
    """

    def __init__(
        self,
        config: GridworldConfig | None = None,
        *,
        problems: GridProblems | None = None,
        horizon: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Problems are drawn from those given, or sampled from the config or from its fields such as ``size``."""
        self._config = config_of(GridworldConfig, config, options)
        super().__init__(problems, partial(sample_problems, self._config), render_mode)
        self.shape = self._config.shape if problems is None else problems.obstacles.shape[1:]
        self.horizon = 2 * sum(self.shape) if horizon is None else horizon
        self.action_space = spaces.Discrete(len(MOVE_NAMES))
        self.observation_space = spaces.Dict(
            image=spaces.Box(0.0, GOAL_MARK, (2, *self.shape), np.float32),
            position=spaces.MultiDiscrete(list(self.shape)),
        )

    def _begin(self) -> Observation:
        self._image = observe(self._problem.obstacles, self._problem.goals).numpy()[0]
        self._states = self._problem.starts
        return self._observation()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, Info]:
        """Observation, reward, terminated (at the goal), truncated (by the horizon), and an empty dictionary."""
        obstacles, corner_cutting = self._problem.obstacles, self._config.corner_cutting
        self._states = step(obstacles, self._states, np.array([action]), corner_cutting=corner_cutting)
        self._steps += 1
        reached = bool((self._states == self._problem.goals).all())
        reward = float(reached) - float(MOVE_COSTS[action])
        return self._observation(), reward, reached, not reached and self._steps >= self.horizon, {}

    def render(self) -> Any:
        """The map with the goal and the state, as an image or as text."""
        problem = self._problem
        return render_cells(self.render_mode, problem.obstacles[0], self._states[0], problem.goals[0])

    def _observation(self) -> Observation:
        return {"image": self._image.copy(), "position": self._states[0].astype(np.int64)}

"""The hole world as Gymnasium environments: a single one and a vectorised one."""

from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from vinlab.domains.gridworld.gymnasium_env import RENDERING, GridWorldEnvironment, Info, Observation
from vinlab.domains.gridworld.problem import GridworldConfig, observe
from vinlab.domains.gridworld.rendering import render_cells
from vinlab.domains.holeworld.environment import NUM_MOVES, step
from vinlab.domains.holeworld.problem import sample_problems
from vinlab.types import GridProblems, InputError


class HoleWorldEnvironment(GridWorldEnvironment):
    """A new problem in each episode: reach the goal (+1) without falling into a hole (-1); other moves cost 0.01.

    The episode terminates at the goal and in a hole, and is truncated after ``horizon`` moves.
    """

    def __init__(
        self,
        config: GridworldConfig | None = None,
        *,
        problems: GridProblems | None = None,
        difficulty: int | None = None,
        horizon: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Problems are drawn from those given, or sampled at one difficulty or at any."""
        super().__init__(config, problems=problems, horizon=horizon, render_mode=render_mode, **options)
        self._sample = partial(sample_problems, self._config, difficulty=difficulty)
        self.action_space = spaces.Discrete(NUM_MOVES)

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, Info]:
        """Observation, reward, terminated (at the goal or in a hole), truncated, and whether the goal is reached."""
        outcome = step(self._problem.obstacles, self._problem.goals, self._states, np.array([action]))
        self._states, self._steps = outcome.states, self._steps + 1
        over = bool(outcome.ended[0])
        cut = not over and self._steps >= self.horizon
        return (
            self._observation(),
            float(outcome.rewards[0]),
            over,
            cut,
            {"reached": bool(outcome.reached[0])},
        )


class HoleWorldVectorEnv(VectorEnv):
    """Many such environments stepped at once in NumPy; an ended one is reset at its next step."""

    def __init__(
        self,
        num_envs: int,
        config: GridworldConfig | None = None,
        *,
        problems: GridProblems | None = None,
        difficulty: int | None = None,
        horizon: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        one = HoleWorldEnvironment(
            config,
            problems=problems,
            difficulty=difficulty,
            horizon=horizon,
            render_mode=render_mode,
            **options,
        )
        self.num_envs, self.render_mode = num_envs, one.render_mode
        self.metadata = {**RENDERING, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space, self.single_action_space = one.observation_space, one.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._draw_problems, self._horizon = one.draw_problems, one.horizon
        self._obstacles = np.zeros((num_envs, *one.shape), np.uint8)
        self._images = np.zeros((num_envs, 2, *one.shape), np.float32)
        self._goals, self._states = np.zeros((num_envs, 2), np.int64), np.zeros((num_envs, 2), np.int64)
        self._steps = np.zeros(num_envs, np.int64)
        self._over = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: Info | None = None
    ) -> tuple[Observation, Info]:
        """The first observations of new problems."""
        if isinstance(seed, list):
            raise InputError("seed: expected one number for all environments, got a list.")
        super().reset(seed=seed)
        self._over[:] = False
        self._begin(np.ones(self.num_envs, bool))
        return self._observations(), {}

    def _begin(self, which: np.ndarray) -> None:
        """New problems for some episodes."""
        new = self._draw_problems(int(which.sum()), self.np_random)
        self._obstacles[which], self._goals[which], self._states[which] = new.obstacles, new.goals, new.starts
        self._images[which] = observe(new.obstacles, new.goals).numpy()
        self._steps[which] = 0

    def step(self, actions: np.ndarray) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Info]:
        """Observations, rewards, terminated, truncated, and which reached the goal."""
        resets = self._over
        outcome = step(self._obstacles, self._goals, self._states, np.asarray(actions))
        self._states, self._steps = outcome.states, self._steps + 1
        ended = outcome.ended & ~resets
        cut = ~outcome.ended & (self._steps >= self._horizon) & ~resets
        self._over = ended | cut
        if resets.any():
            self._begin(resets)
        rewards = np.where(resets, 0.0, outcome.rewards.astype(np.float64))
        return self._observations(), rewards, ended, cut, {"reached": outcome.reached & ~resets}

    def render(self) -> tuple[Any, ...]:
        """Each map with its goal and state."""
        episodes = zip(self._obstacles, self._states, self._goals, strict=True)
        return tuple(render_cells(self.render_mode, *episode) for episode in episodes)

    def _observations(self) -> Observation:
        return {"image": self._images.copy(), "position": self._states.astype(np.int64)}

"""The hole world as Gymnasium environments: a single one and a vectorised one."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from vinlab.domains.gridworld.gymnasium_env import RENDERING, Observation, config_of, observation_space
from vinlab.domains.gridworld.problem import GridworldConfig, observe
from vinlab.domains.gridworld.rendering import render_cells, require_render_mode
from vinlab.domains.holeworld.environment import NUM_MOVES, step
from vinlab.domains.holeworld.problem import sample_problems
from vinlab.types import GridProblems, InputError


class HoleWorldEnvironment(gymnasium.Env[Observation, np.int64]):
    """A new problem in each episode: reach the goal (+1) without falling into a hole (-1); other moves cost 0.01.

    The episode terminates at the goal and in a hole, and is truncated after ``horizon`` moves.
    """

    metadata = RENDERING

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
        config = config_of(GridworldConfig, config, options)
        self._episode = _Episodes(1, config, problems, difficulty, horizon)
        self.render_mode = require_render_mode(render_mode)
        self.observation_space = observation_space(*self._episode.shape)
        self.action_space = spaces.Discrete(NUM_MOVES)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """The first observation of a new problem."""
        super().reset(seed=seed)
        self._episode.reset(np.ones(1, bool), self.np_random)
        return self._observation(), {}

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Observation, reward, terminated (at the goal or in a hole), truncated, and whether the goal is reached."""
        rewards, reached, fallen, cut = self._episode.move(np.array([action]))
        over = bool(reached[0] or fallen[0])
        return self._observation(), float(rewards[0]), over, bool(cut[0]), {"reached": bool(reached[0])}

    def render(self) -> Any:
        """The map with the goal and the state, as an image or as text."""
        return self._episode.render(0, self.render_mode)

    def _observation(self) -> Observation:
        return {name: entry[0] for name, entry in self._episode.observation().items()}


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
        config = config_of(GridworldConfig, config, options)
        self._episodes = _Episodes(num_envs, config, problems, difficulty, horizon)
        self.num_envs = num_envs
        self.metadata = {**RENDERING, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.render_mode = require_render_mode(render_mode)
        self.single_observation_space = observation_space(*self._episodes.shape)
        self.single_action_space = spaces.Discrete(NUM_MOVES)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """The first observations of new problems."""
        if isinstance(seed, list):
            raise InputError("seed: expected one number for all environments, got a list.")
        super().reset(seed=seed)
        self._over[:] = False
        self._episodes.reset(np.ones(self.num_envs, bool), self.np_random)
        return self._episodes.observation(), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Observations, rewards, terminated, truncated, and which reached the goal."""
        resets = self._over
        rewards, reached, fallen, cut = self._episodes.move(np.asarray(actions))
        if resets.any():
            self._episodes.reset(resets, self.np_random)
        ended = (reached | fallen) & ~resets
        self._over = ended | (cut & ~resets)
        rewards = np.where(resets, 0.0, rewards)
        return self._episodes.observation(), rewards, ended, cut & ~resets, {"reached": reached & ~resets}

    def render(self) -> tuple[Any, ...]:
        """Each map with its goal and state."""
        return tuple(self._episodes.render(index, self.render_mode) for index in range(self.num_envs))


class _Episodes:
    """The problems and positions of some episodes, each with its own step count."""

    def __init__(
        self,
        count: int,
        config: GridworldConfig,
        problems: GridProblems | None,
        difficulty: int | None,
        horizon: int | None,
    ) -> None:
        if problems is not None and len(problems) == 0:
            raise InputError("problems: expected at least one problem, got none.")
        self.config = config
        self.given = problems
        self.difficulty = difficulty
        height, width = self.config.shape if problems is None else problems.obstacles.shape[1:]
        self.shape: tuple[int, int] = height, width
        self.horizon = 2 * (height + width) if horizon is None else horizon
        self.obstacles = np.zeros((count, height, width), np.uint8)
        self.goals, self.states = np.zeros((count, 2), np.int64), np.zeros((count, 2), np.int64)
        self.images = np.zeros((count, 2, height, width), np.float32)
        self.steps = np.zeros(count, np.int64)

    def reset(self, which: np.ndarray, rng: np.random.Generator) -> None:
        """Reset some episodes with new problems."""
        new = self._new_problems(int(which.sum()), rng)
        self.obstacles[which], self.goals[which], self.states[which] = new.obstacles, new.goals, new.starts
        self.images[which] = observe(new.obstacles, new.goals).numpy()
        self.steps[which] = 0

    def _new_problems(self, count: int, rng: np.random.Generator) -> GridProblems:
        if self.given is None:
            return sample_problems(self.config, count, rng=rng, difficulty=self.difficulty)
        return self.given[rng.integers(len(self.given), size=count)]

    def move(self, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The rewards, and which episodes reached the goal, fell into a hole or reached the horizon."""
        outcome = step(self.obstacles, self.goals, self.states, moves)
        self.states, self.steps = outcome.states, self.steps + 1
        cut = ~outcome.ended & (self.steps >= self.horizon)
        return outcome.rewards.astype(np.float64), outcome.reached, outcome.fallen, cut

    def observation(self) -> Observation:
        """The observation of each episode."""
        return {"image": self.images.copy(), "position": self.states.astype(np.int64)}

    def render(self, index: int, mode: str | None) -> Any:
        """One episode as an image or as text."""
        return render_cells(mode, self.obstacles[index], self.states[index], self.goals[index])

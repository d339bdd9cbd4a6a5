"""The world with holes as Gymnasium environments, for other people's learners: one at a time, or many at once."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from vinlab.domains.gridworld.problem import GridworldConfig, observe
from vinlab.domains.holeworld.problem import NUM_MOVES, sample_hole_problems, step_holeworld
from vinlab.types import GOAL_MARK, GridProblems, InputError

Observation = dict[str, Any]


def observation_space(height: int, width: int) -> gymnasium.Space:
    """The image of obstacles and goal, and the position on it."""
    return spaces.Dict(
        image=spaces.Box(0.0, GOAL_MARK, (2, height, width), np.float32),
        position=spaces.MultiDiscrete([height, width]),
    )


class HoleWorldEnvironment(gymnasium.Env[Observation, np.int64]):
    """A new problem in each episode: reach the goal (+1) without falling into a hole (-1); other moves cost 0.01.

    The episode ends at the goal and in a hole, and is cut off after ``horizon`` moves.
    """

    def __init__(
        self,
        config: GridworldConfig | None = None,
        *,
        problems: GridProblems | None = None,
        difficulty: int | None = None,
        horizon: int | None = None,
    ) -> None:
        """Problems are those given, chosen at random, or newly sampled at a difficulty, or at any."""
        self._one = _Episodes(1, config, problems, difficulty, horizon)
        self.observation_space = observation_space(*self._one.shape)
        self.action_space = spaces.Discrete(NUM_MOVES)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """The first observation of a new problem."""
        super().reset(seed=seed)
        self._one.begin(np.ones(1, bool), self.np_random)
        return self._observation(), {}

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Observation, reward, whether goal or hole ended it, whether time is up, and whether the goal is reached."""
        rewards, reached, fallen, cut = self._one.move(np.array([action]))
        over = bool(reached[0] or fallen[0])
        return self._observation(), float(rewards[0]), over, bool(cut[0]), {"reached": bool(reached[0])}

    def _observation(self) -> Observation:
        return {name: entry[0] for name, entry in self._one.observation().items()}


class HoleWorldVectorEnv(VectorEnv):
    """Many such environments stepped at once in NumPy; a finished one starts anew at its next step."""

    def __init__(
        self,
        num_envs: int,
        config: GridworldConfig | None = None,
        *,
        problems: GridProblems | None = None,
        difficulty: int | None = None,
        horizon: int | None = None,
    ) -> None:
        self._all = _Episodes(num_envs, config, problems, difficulty, horizon)
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = observation_space(*self._all.shape)
        self.single_action_space = spaces.Discrete(NUM_MOVES)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """The first observations of new problems."""
        if isinstance(seed, list):
            raise InputError("seed must be one number for all environments, but a list came.")
        super().reset(seed=seed)
        self._over[:] = False
        self._all.begin(np.ones(self.num_envs, bool), self.np_random)
        return self._all.observation(), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Observations, rewards, which are ended, which are cut off, and which reached the goal."""
        anew = self._over
        rewards, reached, fallen, cut = self._all.move(np.asarray(actions))
        if anew.any():
            self._all.begin(anew, self.np_random)
        ended = (reached | fallen) & ~anew
        self._over = ended | (cut & ~anew)
        rewards = np.where(anew, 0.0, rewards)
        return self._all.observation(), rewards, ended, cut & ~anew, {"reached": reached & ~anew}


class _Episodes:
    """The problems and positions of some episodes, each at its own time."""

    def __init__(
        self,
        count: int,
        config: GridworldConfig | None,
        problems: GridProblems | None,
        difficulty: int | None,
        horizon: int | None,
    ) -> None:
        if problems is not None and len(problems) == 0:
            raise InputError("problems must hold at least one problem, but none came.")
        self.config = config or GridworldConfig()
        self.given = problems
        self.difficulty = difficulty
        height, width = self.config.shape if problems is None else problems.obstacles.shape[1:]
        self.shape: tuple[int, int] = height, width
        self.horizon = 2 * (height + width) if horizon is None else horizon
        self.obstacles = np.zeros((count, height, width), np.uint8)
        self.goals, self.states = np.zeros((count, 2), np.int64), np.zeros((count, 2), np.int64)
        self.images = np.zeros((count, 2, height, width), np.float32)
        self.steps = np.zeros(count, np.int64)

    def begin(self, which: np.ndarray, rng: np.random.Generator) -> None:
        """Start some of them anew."""
        new = self._new_problems(int(which.sum()), rng)
        self.obstacles[which], self.goals[which], self.states[which] = new.obstacles, new.goals, new.starts
        self.images[which] = observe(new.obstacles, new.goals).numpy()
        self.steps[which] = 0

    def _new_problems(self, count: int, rng: np.random.Generator) -> GridProblems:
        if self.given is None:
            return sample_hole_problems(self.config, count, rng=rng, difficulty=self.difficulty)
        return self.given[rng.integers(len(self.given), size=count)]

    def move(self, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The rewards, who reached the goal, who fell, and whose time is up."""
        outcome = step_holeworld(self.obstacles, self.goals, self.states, moves)
        self.states, self.steps = outcome.states, self.steps + 1
        cut = ~outcome.ended & (self.steps >= self.horizon)
        return outcome.rewards.astype(np.float64), outcome.reached, outcome.fallen, cut

    def observation(self) -> Observation:
        """What each of them sees."""
        return {"image": self.images.copy(), "position": self.states.astype(np.int64)}

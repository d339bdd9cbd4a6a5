"""Driving on a map with a heading as a Gymnasium environment."""

from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from vinlab.domains.gridworld.gymnasium_env import Observation, ProblemEnvironment, config_of
from vinlab.domains.gridworld.rendering import PIXELS, render_cells
from vinlab.domains.motion.environment import at_goal, possible_moves, step
from vinlab.domains.motion.problem import MotionConfig, MotionProblems, observe, sample_problems
from vinlab.planning.moves import LayeredMoves, motion_named
from vinlab.types import GOAL_MARK, InputError

MARK = 4
"""Pixels of the side of the mark that shows the heading."""


class MotionEnvironment(ProblemEnvironment[np.int64]):
    """A new problem in each episode: drive from the start to the goal.

    An action costs its length, even if an obstacle stops it; the one that reaches the goal earns 1 more. The episode
    terminates at the goal and is truncated after ``horizon`` actions.
    """

    def __init__(
        self,
        config: MotionConfig | None = None,
        *,
        problems: MotionProblems | None = None,
        moves: LayeredMoves | None = None,
        horizon: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Problems are drawn from those given, or sampled from the config or from its fields such as ``size``.

        ``moves`` is a table of one's own.
        """
        if moves is not None and problems is None:
            raise InputError("moves: expected problems with a table of one's own, got none.")
        self._config = config_of(MotionConfig, config, options)
        super().__init__(problems, partial(sample_problems, self._config), render_mode)
        self._moves = motion_named(self._config.motion) if moves is None else moves
        rows, cols = (self._config.size,) * 2 if problems is None else problems.obstacles.shape[1:]
        self._horizon = 4 * (rows + cols) * self._moves.num_layers if horizon is None else horizon
        self.action_space = spaces.Discrete(self._moves.num_actions)
        self.observation_space = spaces.Dict(
            image=spaces.Box(0.0, GOAL_MARK, (1 + self._moves.num_layers, rows, cols), np.float32),
            state=spaces.MultiDiscrete([rows, cols, self._moves.num_layers]),
        )

    def _begin(self) -> Observation:
        obstacles = self._problem.obstacles
        self._image = observe(obstacles, self._problem.goals, self._moves.num_layers).numpy()[0]
        self._possible = possible_moves(obstacles, self._moves)
        self._states = self._problem.starts
        return self._observation()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Observation, reward, terminated (at the goal), truncated (by the horizon), and an empty dictionary."""
        layer = self._states[0, 2]
        if not self._moves.exists[layer, action]:
            raise InputError(f"expected an action that layer {layer} has, got {action}.")
        cost = float(self._moves.lengths[layer, action])
        self._states = step(self._possible, self._moves, self._states, np.array([action]))
        self._steps += 1
        reached = bool(at_goal(self._states, self._problem.goals)[0])
        truncated = not reached and self._steps >= self._horizon
        return self._observation(), float(reached) - cost, reached, truncated, {}

    def render(self) -> Any:
        """The map with the goal and the state, as an image with a mark where the robot heads, or as text."""
        problem, (row, col, layer) = self._problem, self._states[0].tolist()
        goal = problem.goals[0, :2]
        drawn = render_cells(self.render_mode, problem.obstacles[0], self._states[0, :2], goal)
        if isinstance(drawn, np.ndarray) and self._moves.directions is not None:
            ahead = self._moves.directions[layer] / np.linalg.norm(self._moves.directions[layer])
            middle = (np.array([row, col]) + 0.5) * PIXELS + 0.3 * PIXELS * ahead
            top, left = (int(place) - MARK // 2 for place in middle)
            drawn[top : top + MARK, left : left + MARK] = 0
        return drawn

    def _observation(self) -> Observation:
        return {"image": self._image.copy(), "state": self._states[0].astype(np.int64)}

"""The dynamics of the hole world: four moves, and obstacles that are holes which end the episode."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float32, Int, UInt8
from torch import Tensor

from vinlab.domains.gridworld.environment import is_free
from vinlab.domains.gridworld.problem import observe
from vinlab.types import MOVE_OFFSETS

NUM_MOVES = 4
"""North, south, east, west: the first four of all moves."""

GOAL_REWARD, HOLE_REWARD, STEP_REWARD = 1.0, -1.0, -0.01
"""The reward of a move that reaches the goal, of one into a hole, and of any other."""


@dataclass(frozen=True)
class Outcome:
    """The result of a move in each state."""

    states: Int[np.ndarray, "B *S 2"]
    """The states that follow; after a fall the state before it."""
    rewards: Float32[np.ndarray, "B *S"]
    reached: Bool[np.ndarray, "B *S"]
    fallen: Bool[np.ndarray, "B *S"]

    @property
    def ended(self) -> Bool[np.ndarray, "B *S"]:
        """Whether the episode terminates."""
        return self.reached | self.fallen


def step(
    obstacles: UInt8[np.ndarray, "B H W"],
    goals: Int[np.ndarray, "B 2"],
    states: Int[np.ndarray, "B *S 2"],
    moves: Int[np.ndarray, "B *S"],
) -> Outcome:
    """The result of each move; obstacles and all cells off the map are holes."""
    targets = states + MOVE_OFFSETS[moves].astype(states.dtype)
    fallen = ~is_free(obstacles, targets)
    reached = ~fallen & (targets == goals.reshape(-1, *[1] * (states.ndim - 2), 2)).all(axis=-1)
    rewards = np.where(fallen, HOLE_REWARD, np.where(reached, GOAL_REWARD, STEP_REWARD))
    states = np.where(fallen[..., None], states, targets)
    return Outcome(states, rewards.astype(np.float32), reached, fallen)


@dataclass
class HoleWorldBatch:
    """Maps with one goal and several episodes each, for a learner."""

    obstacles: UInt8[np.ndarray, "B H W"]
    goals: Int[np.ndarray, "B 2"]
    starts: Int[np.ndarray, "B S 2"]

    @property
    def observations(self) -> Float32[Tensor, "B 2 H W"]:
        """The observation of each map."""
        return observe(self.obstacles, self.goals)

    def step(
        self, states: Int[np.ndarray, "B S 2"], moves: Int[np.ndarray, "B S"]
    ) -> tuple[Int[np.ndarray, "B S 2"], Float32[np.ndarray, "B S"], Bool[np.ndarray, "B S"]]:
        """The states that follow, the rewards, and which episodes terminate."""
        outcome = step(self.obstacles, self.goals, states, moves)
        return outcome.states, outcome.rewards, outcome.ended

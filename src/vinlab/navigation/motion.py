"""Trained policies on states with layers: their rollouts from every state, and single routes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float64, Int

from vinlab.domains.motion.environment import at_goal, possible_moves, step
from vinlab.domains.motion.problem import MotionProblems, cost_to_go, goal_states, observe, require_free_maps
from vinlab.evaluation import metrics
from vinlab.evaluation.rollout import AllStartsRollout, device_of, rollout_from_all_cells
from vinlab.planning.moves import LayeredMoves
from vinlab.types import Iterations


@dataclass(frozen=True)
class MotionResults:
    """The rollouts of a policy from every state of some problems; states are counted layer by layer."""

    rollouts: AllStartsRollout
    shortest: Float64[np.ndarray, "B N"]
    """The length of the shortest path; infinite without one."""
    free: Bool[np.ndarray, "B N"]

    @property
    def percent_optimal(self) -> float:
        """See ``metrics.percent_optimal``."""
        return metrics.percent_optimal(self.rollouts.lengths, self.shortest, self.free)

    @property
    def percent_success(self) -> float:
        """See ``metrics.percent_success``."""
        return metrics.percent_success(self.rollouts.reached, self.free)


def results_of(
    actions: Int[np.ndarray, "B L H W"], problems: MotionProblems, moves: LayeredMoves
) -> MotionResults:
    """The rollouts of given actions, beside the shortest paths."""
    rollouts = rollout_actions(actions, problems, moves)
    batch = len(problems)
    shortest = cost_to_go(problems, moves).reshape(batch, -1)
    free = np.repeat(problems.obstacles.reshape(batch, 1, -1) == 0, moves.num_layers, axis=1)
    return MotionResults(rollouts, shortest.astype(np.float64), free.reshape(batch, -1))


@torch.no_grad()
def actions_everywhere(
    policy: Any, problems: MotionProblems, moves: LayeredMoves, *, iterations: Iterations = None
) -> Int[np.ndarray, "B L H W"]:
    """The likeliest action in every state."""
    require_free_maps(problems.obstacles)
    observations = observe(problems.obstacles, problems.goals, moves.num_layers)
    plan = policy.plan(observations.to(device_of(policy)), iterations=iterations)
    shape = (moves.num_layers, *problems.obstacles.shape[1:])
    states = np.tile(_states(shape), (len(problems), 1, 1))
    logits = policy.act(plan, torch.as_tensor(states, device=device_of(policy)))
    return logits.argmax(dim=-1).cpu().numpy().reshape(len(problems), *shape)


def rollout_actions(
    actions: Int[np.ndarray, "B L H W"],
    problems: MotionProblems,
    moves: LayeredMoves,
    *,
    corner_cutting: bool = True,
) -> AllStartsRollout:
    """The rollouts from all states, if each makes its action; an impossible one leads nowhere else."""
    batch, layers, rows, cols = actions.shape
    states = np.tile(_states((layers, rows, cols)), (batch, 1, 1))
    possible = possible_moves(problems.obstacles, moves, corner_cutting=corner_cutting)
    made = actions.reshape(batch, -1)
    following = step(possible, moves, states, made)
    targets = (following[..., 2] * rows + following[..., 0]) * cols + following[..., 1]
    lengths = moves.lengths[states[..., 2], made]
    # A goal of any layer is several states; all of them lead to the first at no cost.
    ends = goal_states(problems.goals, (layers, rows, cols)).reshape(batch, -1)
    first = ends.argmax(axis=1)
    targets = np.where(ends, first[:, None], targets)
    return rollout_from_all_cells(targets, np.where(ends, 0.0, lengths), first)


def follow_actions(
    actions: Int[np.ndarray, "L H W"],
    problem: MotionProblems,
    moves: LayeredMoves,
    *,
    corner_cutting: bool = True,
) -> tuple[Int[np.ndarray, "T 3"], Int[np.ndarray, " T2"], bool]:
    """The states from the start, the actions between them, and whether the goal is reached.

    It stops at the first repeated state: the policy is stationary.
    """
    possible = possible_moves(problem.obstacles, moves, corner_cutting=corner_cutting)
    states, made, seen = [problem.starts], [], {tuple(problem.starts[0].tolist())}
    while not at_goal(states[-1], problem.goals)[0]:
        row, col, layer = states[-1][0]
        action = actions[layer, row, col]
        following = step(possible, moves, states[-1], np.array([action]))
        key = tuple(following[0].tolist())
        if key in seen:
            break
        seen.add(key)
        states.append(following)
        made.append(int(action))
    reached = bool(at_goal(states[-1], problem.goals)[0])
    return np.concatenate(states), np.array(made, np.int64), reached


def _states(shape: tuple[int, ...]) -> Int[np.ndarray, "1 N 3"]:
    """All states as ``(row, col, layer)``, layer by layer."""
    layer, row, col = np.indices(shape).reshape(3, -1)
    return np.stack([row, col, layer], axis=-1)[None]

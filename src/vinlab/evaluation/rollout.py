"""Closed-loop rollouts of a policy in all problems at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float, Float64, Int
from torch import Tensor, nn

from vinlab.types import Batch, Iterations


@runtime_checkable
class PlanningPolicy(Protocol):
    """A policy that plans once per problem and then acts in its states."""

    def plan(self, observation: Tensor, *, iterations: Iterations = None) -> Any:
        """What all states of a problem share."""
        ...

    def act(self, plan: Any, states: Tensor) -> Tensor:
        """The logits ``[B S M]`` of the moves in states ``[B S 2]``."""
        ...


Step = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From states ``[B 2]`` and moves ``[B]`` to the next states ``[B 2]``."""


@dataclass(frozen=True)
class Rollouts:
    """The states that a policy visits."""

    states: Int[np.ndarray, "B T 2"]
    """From the start on; the last state is repeated once a rollout has ended."""
    lengths: Int[np.ndarray, " B"]
    """The number of states of each rollout, the start included."""
    reached: Bool[np.ndarray, " B"]


@torch.no_grad()
def roll_out(
    policy: PlanningPolicy,
    plan: Any,
    *,
    starts: Int[np.ndarray, "B 2"],
    goals: Int[np.ndarray, "B 2"],
    step: Step,
    horizons: Int[np.ndarray, " B"],
) -> Rollouts:
    """Take the likeliest move in every problem until the goal is reached or the horizon (in states) is full."""
    states, lengths = [starts], np.ones(len(starts), dtype=np.int64)
    reached = (starts == goals).all(axis=1)
    for _ in range(int(horizons.max(initial=1)) - 1):
        active = ~reached & (lengths < horizons)
        if not active.any():
            break
        moves = greedy_actions(policy, plan, states[-1][:, None])[:, 0]
        following = np.where(active[:, None], step(states[-1], moves), states[-1])
        states.append(following)
        lengths += active
        reached |= active & (following == goals).all(axis=1)
    return Rollouts(np.stack(states, axis=1), lengths, reached)


@torch.no_grad()
def greedy_actions(
    policy: PlanningPolicy,
    plan: Any,
    states: Int[np.ndarray, "B S 2"],
    *,
    allowed: Bool[np.ndarray, "B S M"] | None = None,
) -> Int[np.ndarray, "B S"]:
    """The likeliest move in each state, of all moves or of those that are allowed."""
    logits: Float[Tensor, "B S M"] = policy.act(plan, torch.as_tensor(states, device=device_of(policy)))
    if allowed is not None:
        # Some policies have four moves alone.
        known = torch.from_numpy(allowed[..., : logits.shape[-1]]).to(logits.device)
        logits = logits.masked_fill(~known, -torch.inf)
    return logits.argmax(dim=-1).cpu().numpy()


def sample_actions(logits: Float[np.ndarray, "B S M"], rng: np.random.Generator) -> Int[np.ndarray, "B S"]:
    """A move for each state, sampled from the policy's softmax by the Gumbel-max trick."""
    uniform = rng.random(logits.shape, dtype=np.float32)
    return (logits - np.log(-np.log(np.maximum(uniform, 1e-12)))).argmax(axis=-1)


def device_of(policy: Any) -> torch.device:
    """The device of the policy's weights; the CPU without any."""
    weights = policy.parameters() if isinstance(policy, nn.Module) else iter(())
    return next((weight.device for weight in weights), torch.device("cpu"))


@dataclass(frozen=True)
class AllStartsRollout(Batch):
    """The rollout from each cell of its map, cells counted row by row."""

    reached: Bool[np.ndarray, "B N"]
    """Whether the rollout from the cell reaches the goal."""
    lengths: Float64[np.ndarray, "B N"]
    """The length of its path; infinite where it does not reach the goal."""


def rollout_from_all_cells(
    following: Int[np.ndarray, "B N"], lengths: Float64[np.ndarray, "B N"], goals: Int[np.ndarray, " B"]
) -> AllStartsRollout:
    """The rollouts from all cells, if each cell leads to one ``following`` cell by a move of ``lengths``.

    Pointer jumping: each round joins every path to its continuation and so doubles the number of its moves.
    """
    problems = np.arange(len(goals))
    ends, travelled = following.copy(), lengths.copy()
    ends[problems, goals], travelled[problems, goals] = goals, 0.0
    for _ in range(int(following.shape[1]).bit_length()):
        travelled += np.take_along_axis(travelled, ends, axis=1)
        ends = np.take_along_axis(ends, ends, axis=1)
    reached = ends == goals[:, None]
    return AllStartsRollout(reached, np.where(reached, travelled, np.inf))

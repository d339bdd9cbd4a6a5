"""Learning to arrive: make it likely that a policy reaches the goal without a crash.

To imitate is to pick the move that is likeliest on a shortest way, whatever happens when that is wrong. Here the
policy is judged by what it is for. In a world that ends at the first crash, the chance of arriving from a cell is
``S(s) = discount * sum over moves of pi(a | s) * free(s') * S(s')``, with ``S(goal) = 1``, and it can be
differentiated. What is free is the crash signal of a simulator: it is needed to learn, and never an input of the
policy.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.learners.imitation import set_nll
from vinlab.learners.losses import DenseBatch
from vinlab.types import MOVE_OFFSETS, InputError


@dataclass(frozen=True)
class ReachConfig:
    """How chances are counted."""

    steps: int = 40
    """Ways of more moves do not count."""
    discount: float = 0.99
    """Per move, so that of two safe ways the shorter one is better."""
    imitation: float = 0.0
    """How much the expert's moves still count beside the chance of arriving."""

    def __post_init__(self) -> None:
        if self.steps < 1 or not 0 < self.discount <= 1 or self.imitation < 0:
            raise InputError(
                "steps must be at least 1, discount above 0 and at most 1, imitation at least 0, "
                f"but {self} came."
            )


def reach_probability(
    logits: Float[Tensor, "N M H W"],
    free: Bool[Tensor, "N H W"],
    goals: Int[Tensor, "N 2"],
    *,
    steps: int,
    discount: float = 1.0,
) -> Float[Tensor, "N H W"]:
    """From each cell the chance to be at the goal within so many moves, discounted by their number.

    The goal counts as free. Moves are those of a grid-world; one off the map or into a cell that is not free
    ends the way.
    """
    rows, cols = free.shape[1:]
    at_goal = torch.zeros_like(free)
    at_goal[torch.arange(len(goals)), goals[:, 0], goals[:, 1]] = True
    entered = functional.pad((free | at_goal).to(logits.dtype), (1,) * 4)
    offsets = [(1 + int(down), 1 + int(right)) for down, right in MOVE_OFFSETS[: logits.shape[1]]]
    safe = torch.stack([entered[:, y : y + rows, x : x + cols] for y, x in offsets], dim=1)
    chances = discount * logits.softmax(dim=1) * safe * ~at_goal[:, None]
    arrival = goal = at_goal.to(logits.dtype)
    for _ in range(steps):
        ahead = functional.pad(arrival, (1,) * 4)
        neighbours = torch.stack([ahead[:, y : y + rows, x : x + cols] for y, x in offsets], dim=1)
        arrival = goal + (chances * neighbours).sum(dim=1)
    return arrival


class ReachLoss(nn.Module):
    """The policy with its chance of failing, over all cells from which the goal can be reached."""

    def __init__(self, policy: nn.Module, config: ReachConfig = ReachConfig()) -> None:  # noqa: B008
        super().__init__()
        self.policy = policy
        self.config = config

    def forward(self, batch: DenseBatch) -> Float[Tensor, ""]:
        """The sum of the chances of failing from each cell."""
        logits, config = batch.logits(self.policy), self.config
        arrival = reach_probability(
            logits, batch.free, batch.goals, steps=config.steps, discount=config.discount
        )
        loss = ((1 - arrival) * batch.moves.any(dim=1)).sum()
        if config.imitation:
            unlike = set_nll(logits.flatten(2).transpose(1, 2), batch.moves.flatten(2).transpose(1, 2))
            loss = loss + config.imitation * unlike.sum()
        return loss

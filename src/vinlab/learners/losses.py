"""Losses of a policy that gives its moves in every cell of a map at once, and of sets of right moves.

``DenseLoss`` imitates an expert. ``ReachLoss`` maximises the probability to reach the goal: imitation picks the move
that is likeliest on a shortest path, whatever follows where that is wrong. In a world that ends at the first crash
the probability to reach the goal from a cell is ``S(s) = discount * sum over moves of pi(a | s) * free(s') * S(s')``
with ``S(goal) = 1``, which is differentiable. ``free`` is the crash signal of a simulator: training needs it, and it
is never an input of the policy.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from vinlab.types import (
    MOVE_OFFSETS,
    Demonstrations,
    DenseDemonstrations,
    InputError,
    LinkDemonstrations,
    TimedDemonstrations,
)


def set_nll(logits: Float[Tensor, "B S M"], moves: Bool[Tensor, "B S M"]) -> Float[Tensor, "B S"]:
    """Minus the logarithm of the probability that the policy makes one of the right moves.

    With a single right move this is the cross-entropy. A state without any right move gives 0.
    """
    allowed = moves | ~moves.any(dim=-1, keepdim=True)
    return logits.logsumexp(dim=-1) - logits.masked_fill(~allowed, -torch.inf).logsumexp(dim=-1)


class PolicyLoss(nn.Module):
    """A policy with its loss, in one module so that processes can average its gradient."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy = policy


class ScaledLoss(PolicyLoss):
    """The policy with its loss of imitation at several temperatures.

    At its own temperature the loss falls silent once what must never be done costs more than the longest detour of the
    training maps; divided by larger ones the logits still tell, so that cost rises far beyond it.
    """

    def __init__(self, policy: nn.Module, scales: tuple[float, ...] = (1.0, 1e-2, 1e-4, 1e-6)) -> None:
        super().__init__(policy)
        self.scales = scales

    def forward(self, batch: Demonstrations) -> Float[Tensor, ""]:
        """The sum over all states of the mean of the losses at the scales of the logits."""
        device = next(self.policy.parameters()).device
        batch = batch.map(lambda part: part.to(device))
        logits, _ = self.policy(batch.observations, batch.states)
        losses = [set_nll(logits * scale, batch.moves) for scale in self.scales]
        return (batch.weights * torch.stack(losses).mean(dim=0)).sum()


class DeepSupervisionLoss(PolicyLoss):
    """The policy with its loss of imitation at several depths of its plan (the highway loss of Wang et al., 2025).

    The plan is read after every few backups, in the states whose path is not longer than that; the last depth counts
    in all states. The policy has ``logits_by_depth``.
    """

    def __init__(self, policy: Any, *, every: int = 10) -> None:
        super().__init__(policy)
        self.every = every

    def forward(self, batch: TimedDemonstrations) -> Float[Tensor, ""]:
        """The sum over all states of the mean of the losses at the depths that count."""
        logits, depths = self.policy.logits_by_depth(batch.observations, batch.states, self.every)
        counts = (depths[:, None, None] >= batch.distances[None]).to(logits.dtype)
        counts[-1] = 1.0
        losses = torch.stack([set_nll(one, batch.moves) for one in logits])
        return (batch.weights * (counts * losses).sum(dim=0) / counts.sum(dim=0)).sum()


@runtime_checkable
class LossConfig(Protocol):
    """Settings of a loss, as a dataclass."""

    kind: ClassVar[str]

    def build(self, policy: Any) -> nn.Module:
        """A module that holds the policy and gives the summed loss of a batch."""
        ...


class DenseLoss(PolicyLoss):
    """The policy with its loss of imitation, over all cells with a target."""

    def forward(self, batch: DenseDemonstrations) -> Float[Tensor, ""]:
        """The sum of the losses of all cells in the batch."""
        return _summed_nll(self.policy.dense_logits(batch.observations, batch.goals), batch.moves)


def _summed_nll(logits: Tensor, moves: Tensor) -> Tensor:
    return set_nll(logits.flatten(2).transpose(1, 2), moves.flatten(2).transpose(1, 2)).sum()


@dataclass(frozen=True)
class DenseConfig:
    """Imitation in every cell; there is nothing to set."""

    kind: ClassVar[str] = "imitation"

    def build(self, policy: Any) -> DenseLoss:
        """The policy with its loss."""
        return DenseLoss(policy)


@dataclass(frozen=True)
class ReachConfig:
    """How the probability to reach the goal is computed."""

    kind: ClassVar[str] = "reach"
    steps: int = 40
    """Paths of more moves do not count."""
    discount: float = 0.99
    """Per move, so that of two safe paths the shorter one is better."""
    imitation: float = 0.0
    """The weight of the loss of imitation beside it."""

    def __post_init__(self) -> None:
        if self.steps < 1 or not 0 < self.discount <= 1 or self.imitation < 0:
            raise InputError(
                "expected steps of at least 1, a discount above 0 and at most 1, and imitation of at least 0, "
                f"got {self}."
            )

    def build(self, policy: Any) -> "ReachLoss":
        """The policy with its loss."""
        return ReachLoss(policy, self)


class ReachLoss(PolicyLoss):
    """The policy with its probability to fail, over all cells from which the goal can be reached."""

    def __init__(self, policy: Any, config: ReachConfig | None = None) -> None:
        super().__init__(policy)
        self.config = config or ReachConfig()

    def forward(self, batch: DenseDemonstrations) -> Float[Tensor, ""]:
        """The sum over all cells of the probability to fail from there."""
        config, goals = self.config, batch.goals.flatten(0, 1)
        logits = self.policy.dense_logits(batch.observations, batch.goals)
        reached = reach_probability(logits, batch.free, goals, steps=config.steps, discount=config.discount)
        loss = ((1 - reached) * batch.moves.any(dim=1)).sum()
        return loss + config.imitation * _summed_nll(logits, batch.moves) if config.imitation else loss


def reach_probability(
    logits: Float[Tensor, "N M H W"],
    free: Bool[Tensor, "N H W"],
    goals: Int[Tensor, "N 2"],
    *,
    steps: int,
    discount: float = 1.0,
) -> Float[Tensor, "N H W"]:
    """From each cell the probability to reach the goal within ``steps`` moves, discounted by their number.

    The goal counts as free. A move off the map or into a cell that is not free ends the episode.
    """
    rows, cols = free.shape[1:]
    at_goal = torch.zeros_like(free)
    at_goal[torch.arange(len(goals)), goals[:, 0], goals[:, 1]] = True
    entered = functional.pad((free | at_goal).to(logits.dtype), (1,) * 4)
    offsets = [(1 + int(down), 1 + int(right)) for down, right in MOVE_OFFSETS[: logits.shape[1]]]
    safe = torch.stack([entered[:, y : y + rows, x : x + cols] for y, x in offsets], dim=1)
    probabilities = discount * logits.softmax(dim=1) * safe * ~at_goal[:, None]
    reached = goal = at_goal.to(logits.dtype)
    for _ in range(steps):
        ahead = functional.pad(reached, (1,) * 4)
        neighbours = torch.stack([ahead[:, y : y + rows, x : x + cols] for y, x in offsets], dim=1)
        reached = goal + (probabilities * neighbours).sum(dim=1)
    return reached


class LinkLoss(PolicyLoss):
    """A policy with its loss on one site; it plans once per query, whatever the number of steps."""

    def __init__(self, policy: nn.Module, site: Any) -> None:
        super().__init__(policy)
        self.site = site

    def forward(self, batch: LinkDemonstrations) -> Float[Tensor, ""]:
        """The sum of the losses of all steps in the batch."""
        plan = self.policy.plan(self.site, batch.queries, words=batch.words)
        loss = batch.queries.new_zeros(())
        for choices, right in batch.steps:
            logits = self.policy.logits(self.site, plan, choices)
            loss = loss + set_nll(logits[None], right[None]).sum()
        return loss

"""Losses of demonstrated paths on maps of several sizes, for demonstrators who are optimal and for others.

``imitation`` maximises the likelihood of each move by itself: right for a demonstrator who always makes a best move.
``slips`` does the same for one who now and then makes a random move: such a move tells little, and costs little.
``max-entropy`` maximises the likelihood of whole paths, where a path is the likelier the less it costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.learners.imitation import summed_nll
from vinlab.learners.losses import PolicyLoss
from vinlab.planning.path_likelihood import log_partition
from vinlab.planning.shortest_path import ShortestPathPlan
from vinlab.types import MOVE_NAMES, Demonstrations, InputError

PathBatch = Sequence[Demonstrations]
"""Some paths: those on maps of one size together. The moves of a path are its states in their order."""


class PathLoss(PolicyLoss):
    """The policy with its loss on paths, which are grouped by the size of their maps."""

    def forward(self, batch: PathBatch) -> Float[Tensor, ""]:
        """The sum of the losses of all moves in the batch."""
        return torch.stack([self.loss_of(part) for part in batch]).sum()

    def loss_of(self, part: Demonstrations) -> Float[Tensor, ""]:
        """The sum over the paths on maps of one size."""
        return summed_nll(self.policy, part)


class SlipLoss(PathLoss):
    """Imitation of a demonstrator who with some probability makes a random move."""

    def __init__(self, policy: nn.Module, probability: float) -> None:
        super().__init__(policy)
        self.probability = probability

    def loss_of(self, part: Demonstrations) -> Float[Tensor, ""]:
        """The sum over the paths on maps of one size."""
        logits, _ = self.policy(part.observations, part.states)
        chosen = (logits.softmax(dim=-1) * part.moves).sum(dim=-1)
        at_random = self.probability / len(MOVE_NAMES)
        return -(part.weights * torch.log((1 - self.probability) * chosen + at_random)).sum()


class MaxEntropyLoss(PathLoss):
    """Minus the logarithm of the probability of whole paths; the policy must plan with costs of moves."""

    def loss_of(self, part: Demonstrations) -> Float[Tensor, ""]:
        """The sum over the paths on maps of one size."""
        plan: Any = self.policy.plan(part.observations)
        if not isinstance(plan, ShortestPathPlan):
            raise InputError(
                "expected a policy that plans to the fixed point for the loss max-entropy, got another."
            )
        problem = torch.arange(len(part.states))[:, None]
        rows, cols = part.states.unbind(dim=-1)
        costs = -(plan.reward[problem, :, rows, cols] * part.moves).sum(dim=-1)
        return (part.weights * costs).sum() + log_partition(plan, part.states[:, 0]).sum()


@dataclass(frozen=True)
class PathImitationConfig:
    """Imitation of each move; there is nothing to set."""

    kind: ClassVar[str] = "imitation"

    def build(self, policy: Any) -> PathLoss:
        """The policy with its loss."""
        return PathLoss(policy)


@dataclass(frozen=True)
class SlipConfig:
    """Imitation of a demonstrator who sometimes slips."""

    kind: ClassVar[str] = "slips"
    probability: float = 0.1
    """Of a random move."""

    def __post_init__(self) -> None:
        if not 0 < self.probability < 1:
            raise InputError(f"expected a probability above 0 and below 1, got {self.probability}.")

    def build(self, policy: Any) -> SlipLoss:
        """The policy with its loss."""
        return SlipLoss(policy, self.probability)


@dataclass(frozen=True)
class MaxEntropyConfig:
    """Likelihood of whole paths; there is nothing to set."""

    kind: ClassVar[str] = "max-entropy"

    def build(self, policy: Any) -> MaxEntropyLoss:
        """The policy with its loss."""
        return MaxEntropyLoss(policy)


PathLossConfig = PathImitationConfig | SlipConfig | MaxEntropyConfig

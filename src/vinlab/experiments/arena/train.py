"""Training in the arena."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from vinlab.experiments.arena.data import ArenaSets
from vinlab.experiments.arena.evaluate import validator
from vinlab.experiments.arena.settings import ArenaTraining, LossName
from vinlab.experiments.base import FitContext
from vinlab.learners.datasets import TaskSet
from vinlab.learners.imitation import ImitationLoss, imitate
from vinlab.learners.losses import DeepSupervisionLoss, PolicyLoss, ScaledLoss
from vinlab.learners.training_state import Best
from vinlab.planning.moves import motion_named


class SetsLoss(PolicyLoss):
    """A loss of one set of mazes, over several sets."""

    def __init__(self, policy: nn.Module, loss: Callable[[nn.Module], nn.Module]) -> None:
        super().__init__(policy)
        self.loss = loss(policy)

    def forward(self, batch: list[TaskSet]) -> Tensor:
        """The sum of the losses of all states in the batch."""
        return torch.stack([self.loss(tasks.demonstrations) for tasks in batch]).sum()


LOSSES: dict[LossName, Callable[[nn.Module], nn.Module]] = {
    "imitation": ImitationLoss,
    "scaled": ScaledLoss,
    "deep": DeepSupervisionLoss,
}


def fit(config: ArenaTraining, data: ArenaSets, network: Any, context: FitContext) -> Best:
    """Imitate the expert and keep the weights that do best on validation mazes."""
    return imitate(
        network,
        data.demonstrations,
        config.learning,
        loss=lambda policy: SetsLoss(policy, LOSSES[config.loss]),
        validate=validator(data, motion_named(config.data.motion)),
        **context.options,
    )

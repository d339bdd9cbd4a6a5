"""Training in the arena."""

from typing import Any

from torch import nn

from vinlab.experiments.arena.data import ArenaSets, make_sets
from vinlab.experiments.arena.evaluate import validator
from vinlab.experiments.arena.settings import ArenaTraining
from vinlab.experiments.base import FitContext, TrainingRequest
from vinlab.learners.datasets import MixtureLoss
from vinlab.learners.imitation import imitate
from vinlab.learners.losses import ScaledLoss
from vinlab.learners.training_state import Best
from vinlab.planning.moves import motion_named


class ScaledMixtureLoss(nn.Module):
    """``ScaledLoss`` over several sets of mazes."""

    def __init__(self, policy: nn.Module) -> None:
        super().__init__()
        self.policy = policy
        self.loss = ScaledLoss(policy)

    def forward(self, batch: list[Any]) -> Any:
        """The sum of the losses of all states in the batch."""
        return sum(self.loss(tasks.demonstrations) for tasks in batch)


def make_data(config: ArenaTraining, request: TrainingRequest) -> ArenaSets:
    """The sets of a run."""
    return make_sets(config.data, seed=request.seed)


def fit(config: ArenaTraining, data: ArenaSets, network: Any, context: FitContext) -> Best:
    """Imitate the expert and keep the weights that do best on validation mazes."""
    return imitate(
        network,
        data.demonstrations,
        config.learning,
        seed=context.seed,
        loss=ScaledMixtureLoss if config.scaled else MixtureLoss,
        validate=validator(data, motion_named(config.data.motion)),
        record=context.logger,
        progress=context.progress,
    )

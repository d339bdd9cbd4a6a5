"""Imitation with continuous actions: a regression on a teacher's actions in states that are drawn anew."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.learners.callbacks import NullLogger, Progress, RunLogger, Validator, no_progress
from vinlab.learners.imitation import ImitationConfig, ImitationTraining
from vinlab.learners.losses import PolicyLoss
from vinlab.learners.training_state import Best
from vinlab.types import ContinuousDemonstrations, InputError


@dataclass(frozen=True)
class RegressionConfig(ImitationConfig):
    """How to fit a policy to a teacher's actions."""

    batch_problems: int = 10
    states_per_problem: int = 128
    """Drawn anew for every update."""
    validate_every: int = 5
    """Epochs between two validations; the last epoch is always validated."""


Augment = Callable[[ContinuousDemonstrations, np.random.Generator], ContinuousDemonstrations]
"""Makes other demonstrations that are as valid as the given ones, such as their mirror image."""


class StateSampler:
    """Demonstrations as a dataset of imitation: a choice of problems gives random states of each, augmented."""

    def __init__(
        self, demonstrations: ContinuousDemonstrations, states_per_problem: int, augment: Augment
    ) -> None:
        self.demonstrations = demonstrations
        self.states_per_problem = states_per_problem
        self.augment = augment
        self.weights = torch.full((len(demonstrations),), float(states_per_problem))
        self._rng = np.random.default_rng()

    def __len__(self) -> int:
        return len(self.demonstrations)

    def __getitem__(self, chosen: Tensor) -> ContinuousDemonstrations:
        size = (len(chosen), self.states_per_problem)
        states = torch.as_tensor(self._rng.integers(self.demonstrations.states.shape[1], size=size))
        return self.augment(self.demonstrations.pick(chosen, states), self._rng)

    def start_epoch(self, seed: int, epoch: int) -> None:
        """Draw from the random stream of this epoch, behind the order of the problems."""
        self._rng = np.random.default_rng([seed, epoch])
        self._rng.permutation(len(self))


class RegressionLoss(PolicyLoss):
    """The policy with the sum of its squared errors, weighted by the precision in each direction."""

    def forward(self, batch: ContinuousDemonstrations) -> Float[Tensor, ""]:
        """The sum over all states of the batch."""
        device = next(self.policy.parameters()).device
        actions, _ = self.policy(batch.observations.to(device), batch.states.to(device))
        error = actions - batch.actions.to(device)
        return torch.einsum("bsi,bsij,bsj->bs", error, batch.precisions.to(device), error).sum()


class RegressionTraining(ImitationTraining):
    """Imitation on sampled states, validated every few epochs."""

    demonstrations: StateSampler
    config: RegressionConfig

    def run_epoch(self, progress: Progress) -> dict[str, float]:
        """Visit every problem once, with states that the seed and the epoch decide."""
        self.demonstrations.start_epoch(self.seed, self.epoch)
        return super().run_epoch(progress)

    def is_validation_due(self) -> bool:
        """After every few epochs, and after the last one."""
        done = self.epoch + 1
        return done == self.config.epochs or done % self.config.validate_every == 0


def regress(
    policy: nn.Module,
    demonstrations: ContinuousDemonstrations,
    config: RegressionConfig,
    *,
    seed: int,
    augment: Augment = lambda batch, rng: batch,
    validate: Validator | None = None,
    record: RunLogger | None = None,
    progress: Progress = no_progress,
) -> Best:
    """Fit the policy to the teacher's actions and leave it with the weights that do best in validation."""
    if not len(demonstrations):
        raise InputError("expected demonstrations of at least one problem, got none.")
    states, logger = StateSampler(demonstrations, config.states_per_problem, augment), record or NullLogger()
    training = RegressionTraining(policy, states, config, seed=seed, record=logger, loss=RegressionLoss)
    return training.run(validate, progress)

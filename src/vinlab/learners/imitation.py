"""Imitation learning: maximise the likelihood of the expert's moves."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from vinlab.learners import distributed
from vinlab.learners.callbacks import NullLogger, Progress, RunLogger, Validator, no_progress
from vinlab.learners.losses import PolicyLoss, set_nll
from vinlab.learners.optimizers import OptimiserName, Stage, make_optimiser, set_rate
from vinlab.learners.training_state import Best, EpochTraining
from vinlab.types import Demonstrations, InputError, Iterations


@dataclass(frozen=True)
class ImitationConfig:
    """Settings of imitation."""

    stages: tuple[Stage, ...]
    optimiser: OptimiserName = "adam"
    batch_problems: int = 32
    """Problems per update, over all processes; all labelled states of a problem are read from its one plan."""
    clip: float | None = 1.0
    """The largest norm of the gradient."""
    keep: Literal["best", "last"] = "best"
    """The weights that training ends with: the best by validation, or those of the last epoch."""

    @property
    def epochs(self) -> int:
        """The epochs of all stages."""
        return sum(stage.epochs for stage in self.stages)


def one_cycle(epochs: int, rate: float, *, batch: int) -> ImitationConfig:
    """One rise and fall of Adam's rate, with so many problems per update."""
    return ImitationConfig(stages=(Stage(epochs, rate, "one-cycle"),), batch_problems=batch)


def authors_rmsprop(epochs: int) -> ImitationConfig:
    """RMSProp in four stages of so many epochs, with the rates and the batches of the authors' code."""
    stages = tuple(Stage(epochs, rate) for rate in (0.01, 0.005, 0.002, 0.001))
    return ImitationConfig(stages=stages, optimiser="rmsprop", batch_problems=12, clip=None)


Order = Callable[[int], np.ndarray]
"""Which problems an epoch reads, one after the other."""


@runtime_checkable
class Dataset(Protocol):
    """Demonstrations indexed by problem; the loss defines how a batch of them is read."""

    @property
    def weights(self) -> Tensor:
        """The weight of each problem, or of each of its states."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, chosen: Any) -> Any: ...


class ImitationLoss(PolicyLoss):
    """``iterations`` is the K of training, where it differs from the policy's own."""

    def __init__(self, policy: nn.Module, *, iterations: Iterations = None) -> None:
        super().__init__(policy)
        self.options = {} if iterations is None else {"iterations": iterations}

    def forward(self, batch: Demonstrations) -> Float[Tensor, ""]:
        """The sum of the losses of all states in the batch."""
        return summed_nll(self.policy, batch, **self.options)


def summed_nll(policy: nn.Module, batch: Demonstrations, **options: Any) -> Float[Tensor, ""]:
    """The sum of a policy's losses over all states in a batch; ``options`` are those of its plan."""
    device = next(policy.parameters()).device
    batch = batch.map(lambda part: part.to(device))
    logits, _ = policy(batch.observations, batch.states, **options)
    return (batch.weights * set_nll(logits, batch.moves)).sum()


def imitate(
    policy: nn.Module,
    demonstrations: Dataset,
    config: ImitationConfig,
    *,
    seed: int,
    loss: Callable[[nn.Module], nn.Module] = ImitationLoss,
    order: Order | None = None,
    validate: Validator | None = None,
    record: RunLogger | None = None,
    progress: Progress = no_progress,
) -> Best:
    """Fit the policy to the expert's moves and leave it with the weights that the config keeps.

    ``loss`` wraps the policy in a module that returns the summed loss of a batch. ``order`` gives the problems of an
    epoch; without it all of them are shuffled. The order depends on the seed and the epoch alone, so a resumed run
    gives the same weights.
    """
    if not len(demonstrations):
        raise InputError("demonstrations: expected at least one problem, got none.")
    logger = record or NullLogger()
    training = ImitationTraining(
        policy, demonstrations, config, seed=seed, record=logger, loss=loss, order=order
    )
    return training.run(validate, progress)


class ImitationTraining(EpochTraining):
    """The state of one training by imitation."""

    def __init__(
        self,
        policy: nn.Module,
        demonstrations: Dataset,
        config: ImitationConfig,
        *,
        seed: int,
        record: RunLogger,
        loss: Callable[[nn.Module], nn.Module] = ImitationLoss,
        order: Order | None = None,
    ) -> None:
        super().__init__(policy, make_optimiser(config.optimiser, policy.parameters()), record)
        self.loss = loss(policy)
        if distributed.world_size() > 1:
            self.loss = DistributedDataParallel(self.loss)
        self.demonstrations = demonstrations
        self.config = config
        self.seed = seed
        self.order = order or self.shuffled

    def stage(self) -> tuple[Stage, int]:
        """The stage of this epoch, and its epochs so far."""
        passed = self.epoch
        for stage in self.config.stages:
            if passed < stage.epochs:
                return stage, passed
            passed -= stage.epochs
        raise AssertionError("no stage is left")

    def run(self, validate: Validator | None, progress: Progress) -> Best:
        """Train, from the last checkpoint if there is one, and leave the policy with its best weights."""
        self.resume()
        while self.epoch < self.config.epochs:
            self.finish_epoch(self.run_epoch(progress), validate)
        return self.restore_best()

    def run_epoch(self, progress: Progress) -> dict[str, float]:
        """Train on every problem once."""
        stage, passed = self.stage()
        if passed == 0:
            self.optimiser = make_optimiser(self.config.optimiser, self.policy.parameters())
        self.policy.train()
        started, worked = time.perf_counter(), time.process_time()
        loss, weight, rate = 0.0, 0.0, 0.0
        # The last update may have fewer problems.
        batches = torch.as_tensor(self.order(self.epoch)).split(self.config.batch_problems)
        for update, chosen in enumerate(batches):
            rate = stage.rate_at((passed + update / len(batches)) / stage.epochs)
            set_rate(self.optimiser, rate)
            batch_loss, batch_weight = self.update(chosen)
            loss, weight = loss + batch_loss, weight + batch_weight
            done = self.epoch * len(batches) + update + 1
            progress(done, self.config.epochs * len(batches), f"loss {loss / max(weight, 1):.4f}")
        return {
            "loss": loss / max(weight, 1),
            "rate": rate,
            "states_per_second": weight / (time.perf_counter() - started),
            "cpu_seconds": time.process_time() - worked,
        }

    def shuffled(self, epoch: int) -> np.ndarray:
        """All problems, in another order in every epoch."""
        return np.random.default_rng([self.seed, epoch]).permutation(len(self.demonstrations))

    def keep_if_best(self, score: float) -> None:
        """Keep the current weights if they are the best, or whatever their score where the last ones are kept."""
        if self.config.keep == "last":
            self.best.score = -float("inf")
        super().keep_if_best(score)

    def update(self, chosen: Tensor) -> tuple[float, float]:
        """One step on some problems, split among the processes; returns their total loss and weight."""
        weight = float(self.demonstrations.weights[chosen].sum())
        share = self.demonstrations[chosen[distributed.rank() :: distributed.world_size()]]
        loss = self.loss(share)
        self.optimiser.zero_grad(set_to_none=True)
        # Processes average their gradients, so each scales its sum by their number.
        (loss * (distributed.world_size() / max(weight, 1.0))).backward()
        if self.config.clip is not None:
            nn.utils.clip_grad_norm_(self.policy.parameters(), self.config.clip)
        self.require_finite(loss)
        self.optimiser.step()
        return distributed.total(loss.item()), weight

"""Learning from an expert: make its moves likely in the states it was seen in."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from vinlab.learners import distributed
from vinlab.learners.callbacks import NullLogger, Progress, RunLogger, Validator, no_progress
from vinlab.learners.losses import set_nll
from vinlab.learners.optimizers import OptimiserName, Stage, make_optimiser, set_rate
from vinlab.learners.training_state import Best, EpochTraining
from vinlab.types import Demonstrations, InputError, Iterations


@dataclass(frozen=True)
class ImitationConfig:
    """How to learn from demonstrations."""

    stages: tuple[Stage, ...]
    optimiser: OptimiserName = "adam"
    batch_problems: int = 32
    """Problems per update, over all processes; every labelled state of a problem is read from its one plan."""
    clip: float | None = 1.0
    """The largest norm of a gradient."""

    @property
    def epochs(self) -> int:
        """Of all stages together."""
        return sum(stage.epochs for stage in self.stages)


@runtime_checkable
class Dataset(Protocol):
    """What an expert showed, problem by problem; a loss knows how to read what a choice of problems gives."""

    @property
    def weights(self) -> Tensor:
        """How much each problem, or each of its states, counts."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, chosen: Any) -> Any: ...


class ImitationLoss(nn.Module):
    """The policy with its loss, in one module so that several processes can share its gradient.

    Where ``iterations`` are given, the policy plans so many backups deep while it learns.
    """

    def __init__(self, policy: nn.Module, *, iterations: Iterations = None) -> None:
        super().__init__()
        self.policy = policy
        self.options = {} if iterations is None else {"iterations": iterations}

    def forward(self, batch: Demonstrations) -> Float[Tensor, ""]:
        """The sum of the losses of all states in the batch."""
        batch = to_device(batch, next(self.policy.parameters()).device)
        logits, _ = self.policy(batch.observations, batch.states, **self.options)
        return (batch.weights * set_nll(logits, batch.moves)).sum()


def imitate(
    policy: nn.Module,
    demonstrations: Dataset,
    config: ImitationConfig,
    *,
    seed: int,
    loss: Callable[[nn.Module], nn.Module] = ImitationLoss,
    validate: Validator | None = None,
    record: RunLogger | None = None,
    progress: Progress = no_progress,
) -> Best:
    """Fit the policy to the expert's moves and leave it with its best weights.

    ``loss`` makes of the policy a module that gives the summed loss of a batch of lessons.
    Epoch e visits the problems in an order that the seed and e alone decide, so a run that is taken up again
    from a checkpoint goes the way it would have gone.
    """
    if not len(demonstrations):
        raise InputError("demonstrations must hold at least one problem, but they are empty.")
    training = Training(policy, demonstrations, config, seed=seed, record=record or NullLogger(), loss=loss)
    training.resume()
    while training.epoch < config.epochs:
        metrics = training.run_epoch(progress)
        training.finish_epoch(metrics, validate)
    return training.restore_best()


class Training(EpochTraining):
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
    ) -> None:
        super().__init__(policy, make_optimiser(config.optimiser, policy.parameters()), record)
        self.loss = loss(policy)
        if distributed.world_size() > 1:
            self.loss = DistributedDataParallel(self.loss)
        self.demonstrations = demonstrations
        self.config = config
        self.seed = seed

    @property
    def updates_per_epoch(self) -> int:
        """The last update of an epoch may have fewer problems; none is left out."""
        return -(-len(self.demonstrations) // self.config.batch_problems)

    def stage(self) -> tuple[Stage, int]:
        """The stage of this epoch, and how many of its epochs have passed."""
        passed = self.epoch
        for stage in self.config.stages:
            if passed < stage.epochs:
                return stage, passed
            passed -= stage.epochs
        raise AssertionError("no stage is left")

    def run_epoch(self, progress: Progress) -> dict[str, float]:
        """Visit every problem once."""
        stage, passed = self.stage()
        if passed == 0:
            self.optimiser = make_optimiser(self.config.optimiser, self.policy.parameters())
        self.policy.train()
        started, worked = time.perf_counter(), time.process_time()
        loss, weight, rate = 0.0, 0.0, 0.0
        for update, chosen in enumerate(self._batches()):
            rate = stage.rate_at((passed + update / self.updates_per_epoch) / stage.epochs)
            set_rate(self.optimiser, rate)
            batch_loss, batch_weight = self.update(chosen)
            loss, weight = loss + batch_loss, weight + batch_weight
            done = self.epoch * self.updates_per_epoch + update + 1
            progress(done, self.config.epochs * self.updates_per_epoch, f"loss {loss / max(weight, 1):.4f}")
        return {
            "loss": loss / max(weight, 1),
            "rate": rate,
            "states_per_second": weight / (time.perf_counter() - started),
            "cpu_seconds": time.process_time() - worked,
        }

    def _batches(self) -> list[Tensor]:
        order = np.random.default_rng([self.seed, self.epoch]).permutation(len(self.demonstrations))
        return list(torch.as_tensor(order).split(self.config.batch_problems))

    def update(self, chosen: Tensor) -> tuple[float, float]:
        """One step on some problems, shared out among the processes; the loss and weight of all of them."""
        weight = float(self.demonstrations.weights[chosen].sum())
        share = self.demonstrations[chosen[distributed.rank() :: distributed.world_size()]]
        loss = self.loss(share)
        self.optimiser.zero_grad(set_to_none=True)
        # Processes average their gradients, so each scales its sum by how many there are.
        (loss * (distributed.world_size() / max(weight, 1.0))).backward()
        if self.config.clip is not None:
            nn.utils.clip_grad_norm_(self.policy.parameters(), self.config.clip)
        self.require_finite(loss)
        self.optimiser.step()
        return distributed.total(loss.item()), weight

    def finish_epoch(self, metrics: Mapping[str, float], validate: Validator | None) -> None:
        """Look at the validation problems, keep the best weights, note the metrics, make a checkpoint."""
        found = self.validate_and_keep(validate) if validate is not None else None
        self.keep_if_best(found.score if found else 0.0)
        self.epoch += 1
        self.record.log({"epoch": self.epoch, **metrics, **(found.metrics if found else {})})
        self.save()


def to_device(batch: Demonstrations, device: torch.device) -> Demonstrations:
    """The same demonstrations where the policy is."""
    return Demonstrations(
        batch.observations.to(device),
        batch.states.to(device),
        batch.moves.to(device),
        batch.weights.to(device),
    )

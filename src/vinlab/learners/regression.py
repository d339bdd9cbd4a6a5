"""One policy for all domains from what their teachers do: a supervised fit of continuous controls."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.learners.callbacks import NullLogger, Progress, RunLogger, Validator, no_progress
from vinlab.learners.optimizers import Stage, make_optimiser, set_rate
from vinlab.learners.training_state import Best, EpochTraining
from vinlab.types import InputError


@dataclass(frozen=True)
class ControlDemonstrations:
    """What teachers do: for each domain some states, and the control in each with how much it matters."""

    observations: Float[Tensor, "B C H W"]
    states: Float[Tensor, "B S X"]
    controls: Float[Tensor, "B S U"]
    precisions: Float[Tensor, "B S U U"]
    """The weight of an error in each direction; zero where a state does not count."""

    def __len__(self) -> int:
        return len(self.observations)

    def pick(self, domains: Tensor, states: Tensor) -> "ControlDemonstrations":
        """Some states of some domains."""
        chosen = domains[:, None], states
        return ControlDemonstrations(
            self.observations[domains], self.states[chosen], self.controls[chosen], self.precisions[chosen]
        )

    def to(self, device: torch.device) -> "ControlDemonstrations":
        """The same demonstrations where the policy is."""
        return ControlDemonstrations(
            self.observations.to(device),
            self.states.to(device),
            self.controls.to(device),
            self.precisions.to(device),
        )


@dataclass(frozen=True)
class ControlFitConfig:
    """How to fit a policy to its teachers."""

    stage: Stage = field(default_factory=lambda: Stage(80, 5e-3, "one-cycle"))
    batch_domains: int = 10
    states_per_domain: int = 128
    """Of each domain in a batch, drawn anew for every update."""
    clip: float = 1.0
    """The largest norm of a gradient."""
    weight_decay: float = 0.0
    validate_every: int = 5
    """Epochs between looks at the validation domains."""


Augment = Callable[[ControlDemonstrations, np.random.Generator], ControlDemonstrations]
"""Another lesson that is as true as the one given, such as its mirror image."""


def identity(shown: ControlDemonstrations, rng: np.random.Generator) -> ControlDemonstrations:
    """The lesson as it is."""
    return shown


def weighted_error(controls: Float[Tensor, "B S U"], batch: ControlDemonstrations) -> Float[Tensor, ""]:
    """The mean of the squared errors, weighted by the teachers' precision in each direction."""
    error = controls - batch.controls
    return torch.einsum("bsi,bsij,bsj->bs", error, batch.precisions, error).mean()


def fit_controls(
    policy: nn.Module,
    demonstrations: ControlDemonstrations,
    config: ControlFitConfig,
    *,
    seed: int,
    augment: Augment = identity,
    validate: Validator | None = None,
    record: RunLogger | None = None,
    progress: Progress = no_progress,
) -> Best:
    """Fit the policy to the teachers' controls and leave it with the weights that do best in validation."""
    if not len(demonstrations):
        raise InputError("demonstrations must hold at least one domain, but they are empty.")
    fit = ControlFit(
        policy, demonstrations, config, seed=seed, augment=augment, record=record or NullLogger()
    )
    fit.resume()
    while fit.epoch < config.stage.epochs:
        metrics = fit.run_epoch()
        progress(fit.epoch, config.stage.epochs, f"fit: error {metrics['loss']:.4f}")
        fit.finish_epoch(metrics, validate)
    return fit.restore_best()


class ControlFit(EpochTraining):
    """The state of one fit."""

    def __init__(
        self,
        policy: nn.Module,
        demonstrations: ControlDemonstrations,
        config: ControlFitConfig,
        *,
        seed: int,
        augment: Augment = identity,
        record: RunLogger,
    ) -> None:
        super().__init__(policy, make_optimiser("adam", policy.parameters()), record)
        self.demonstrations = demonstrations
        self.config = config
        self.seed = seed
        self.augment = augment
        for group in self.optimiser.param_groups:
            group["weight_decay"] = config.weight_decay

    def run_epoch(self) -> dict[str, Any]:
        """Visit every domain once, in an order and with states that the seed and the epoch decide."""
        self.policy.train()
        started, losses, rate = time.perf_counter(), [], 0.0
        rng = np.random.default_rng([self.seed, self.epoch])
        batches = torch.as_tensor(rng.permutation(len(self.demonstrations))).split(self.config.batch_domains)
        for update, domains in enumerate(batches):
            rate = self.config.stage.rate_at((self.epoch + update / len(batches)) / self.config.stage.epochs)
            set_rate(self.optimiser, rate)
            losses.append(self.update(domains, rng))
        self.epoch += 1
        states = len(self.demonstrations) * self.config.states_per_domain
        pace = states / (time.perf_counter() - started)
        return {"loss": float(np.mean(losses)), "rate": rate, "states_per_second": pace}

    def update(self, domains: Tensor, rng: np.random.Generator) -> float:
        """One step on random states of some domains; the loss before it."""
        size = (len(domains), self.config.states_per_domain)
        states = torch.as_tensor(rng.integers(self.demonstrations.states.shape[1], size=size))
        batch = self.augment(self.demonstrations.pick(domains, states), rng).to(
            next(self.policy.parameters()).device
        )
        controls, _ = self.policy(batch.observations, batch.states)
        loss = weighted_error(controls, batch)
        self.require_finite(loss)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.policy.parameters(), self.config.clip)
        self.optimiser.step()
        return loss.item()

    def finish_epoch(self, metrics: Mapping[str, Any], validate: Validator | None) -> None:
        """Now and then look at the validation domains and keep the best weights; note all, make a checkpoint."""
        last = self.epoch == self.config.stage.epochs
        due = last or self.epoch % self.config.validate_every == 0
        found = self.validate_and_keep(validate) if validate is not None and due else None
        if found or (validate is None and last):
            self.keep_if_best(found.score if found else 0.0)
        self.record.log({"epoch": self.epoch, **metrics, **(found.metrics if found else {})})
        if found or last:
            self.save()

"""One policy for all domains from what their teachers do: a supervised fit of continuous controls."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.learners.contract import NoRecord, Progress, Record, Validation, Validator, unwatched
from vinlab.learners.optimisers import Stage, make_optimiser, optimiser_tensors, restore_optimiser, set_rate
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


Vary = Callable[[ControlDemonstrations, np.random.Generator], ControlDemonstrations]
"""Another lesson that is as true as the one given, such as its mirror image."""


def unvaried(shown: ControlDemonstrations, rng: np.random.Generator) -> ControlDemonstrations:
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
    vary: Vary = unvaried,
    validate: Validator | None = None,
    record: Record | None = None,
    progress: Progress = unwatched,
) -> "ControlFit":
    """Fit the policy to the teachers' controls and leave it with the weights that do best in validation."""
    if not len(demonstrations):
        raise InputError("demonstrations must hold at least one domain, but they are empty.")
    fit = ControlFit(policy, demonstrations, config, seed=seed, vary=vary, record=record or NoRecord())
    fit.resume()
    while fit.epoch < config.stage.epochs:
        metrics = fit.run_epoch()
        progress(fit.epoch, config.stage.epochs, f"fit: error {metrics['loss']:.4f}")
        fit.finish_epoch(metrics, validate)
    if fit.best_weights:
        policy.load_state_dict(fit.best_weights)
    return fit


class ControlFit:
    """The state of one fit: weights, optimiser, epoch, best so far."""

    def __init__(
        self,
        policy: nn.Module,
        demonstrations: ControlDemonstrations,
        config: ControlFitConfig,
        *,
        seed: int,
        vary: Vary = unvaried,
        record: Record,
    ) -> None:
        self.policy = policy
        self.demonstrations = demonstrations
        self.config = config
        self.seed = seed
        self.vary = vary
        self.record = record
        self.epoch = 0
        self.best_score = -float("inf")
        self.best_epoch = 0
        self.best_weights: dict[str, Tensor] = {}
        self.optimiser = make_optimiser("adam", policy.parameters())
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
        batch = self.vary(self.demonstrations.pick(domains, states), rng).to(
            next(self.policy.parameters()).device
        )
        controls, _ = self.policy(batch.observations, batch.states)
        loss = weighted_error(controls, batch)
        if not torch.isfinite(loss):
            raise InputError(
                f"the loss became {loss.item()} in epoch {self.epoch + 1}; a lower rate keeps it finite."
            )
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.policy.parameters(), self.config.clip)
        self.optimiser.step()
        return loss.item()

    def finish_epoch(self, metrics: Mapping[str, Any], validate: Validator | None) -> None:
        """Now and then look at the validation domains and keep the best weights; note all, make a checkpoint."""
        found: Validation | None = None
        last = self.epoch == self.config.stage.epochs
        if validate is not None and (self.epoch % self.config.validate_every == 0 or last):
            self.policy.eval()
            found = validate(self.policy)
        if (found and found.score >= self.best_score) or (validate is None and last):
            self.best_score, self.best_epoch = found.score if found else 0.0, self.epoch
            self.best_weights = {name: tensor.clone() for name, tensor in self.policy.state_dict().items()}
        self.record.log({"epoch": self.epoch, **metrics, **(found.metrics if found else {})})
        if found or last:
            self.record.save_checkpoint(self._tensors(), self._state())

    def _tensors(self) -> dict[str, Tensor]:
        groups = {
            "weights": self.policy.state_dict(),
            "best": self.best_weights,
            "optimiser": optimiser_tensors(self.optimiser),
        }
        return {
            f"{group}/{name}": entry for group, entries in groups.items() for name, entry in entries.items()
        }

    def _state(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "best_score": self.best_score, "best_epoch": self.best_epoch}

    def resume(self) -> None:
        """Take up the last checkpoint, if there is one."""
        found = self.record.load_checkpoint()
        if found is None:
            return
        tensors, state = found
        groups: dict[str, dict[str, Tensor]] = {"weights": {}, "best": {}, "optimiser": {}}
        for key, tensor in tensors.items():
            group, name = key.split("/", 1)
            groups[group][name] = tensor
        self.policy.load_state_dict(groups["weights"])
        restore_optimiser(self.optimiser, groups["optimiser"])
        self.epoch, self.best_epoch = state["epoch"], state["best_epoch"]
        self.best_score, self.best_weights = state["best_score"], groups["best"]

"""The state of a training that a checkpoint holds, so that a killed run resumes bit for bit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from vinlab.learners.callbacks import RunLogger, Validation, Validator
from vinlab.learners.optimizers import optimiser_tensors, restore_optimiser
from vinlab.types import InputError

MOST_EPOCHS = 2**53


@dataclass
class Best:
    """The best weights so far by validation score, and their epoch."""

    score: float = -float("inf")
    epoch: int = -1
    weights: dict[str, Tensor] = field(default_factory=dict)


class EpochTraining:
    """A policy, its optimiser, the epoch and the best weights so far, all of them in the checkpoint.

    A subclass with further modules or state extends ``modules``, ``state`` and ``restore_state``.
    """

    unit: ClassVar[str] = "epoch"
    """The name of the metric that counts the epochs."""

    def __init__(self, policy: nn.Module, optimiser: torch.optim.Optimizer, record: RunLogger) -> None:
        self.policy = policy
        self.optimiser = optimiser
        self.record = record
        self.epoch = 0
        self.best = Best()

    def validate_and_keep(self, validate: Validator) -> Validation:
        """Validate the policy and keep its weights if they are the best so far."""
        self.policy.eval()
        found = validate(self.policy)
        self.keep_if_best(found.score)
        return found

    def keep_if_best(self, score: float) -> None:
        """Keep the current weights unless earlier ones scored more; of equals the later ones are kept."""
        if score >= self.best.score:
            weights = {name: tensor.detach().clone() for name, tensor in self.policy.state_dict().items()}
            self.best = Best(score, self.epoch, weights)

    def restore_best(self) -> Best:
        """Load the best weights into the policy."""
        if self.best.weights:
            self.policy.load_state_dict(self.best.weights)
        return self.best

    def is_validation_due(self) -> bool:
        """Whether the policy is validated after this epoch."""
        return True

    def finish_epoch(self, metrics: Mapping[str, Any], validate: Validator | None) -> None:
        """Validate where due, keep the best weights, log the metrics, save a checkpoint."""
        found = None
        if validate is None:
            self.keep_if_best(0.0)
        elif self.is_validation_due():
            found = self.validate_and_keep(validate)
        self.epoch += 1
        self.record.log({self.unit: self.epoch, **metrics, **(found.metrics if found else {})})
        self.save()

    def modules(self) -> dict[str, nn.Module]:
        """The modules whose weights the checkpoint holds, by the name of their group."""
        return {"weights": self.policy}

    def state(self) -> dict[str, Any]:
        """What the checkpoint holds besides tensors."""
        return {"epoch": self.epoch, "best_score": self.best.score, "best_epoch": self.best.epoch}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Set what ``state`` returned."""
        self.epoch = require_count(state["epoch"], 0)
        if not isinstance(state["best_score"], int | float):
            raise ValueError("expected a number as the best score, got something else")
        self.best.score, self.best.epoch = state["best_score"], require_count(state["best_epoch"], -1)

    def save(self) -> None:
        """Save a checkpoint."""
        groups = {name: module.state_dict() for name, module in self.modules().items()}
        groups |= {"best": self.best.weights, "optimiser": optimiser_tensors(self.optimiser)}
        tensors = {f"{group}/{name}": entry for group, part in groups.items() for name, entry in part.items()}
        self.record.save_checkpoint(tensors, self.state())

    def resume(self) -> None:
        """Load the last checkpoint, if there is one."""
        found = self.record.load_checkpoint()
        if found is None:
            return
        try:
            self._restore(*found)
        except (KeyError, ValueError, TypeError, RuntimeError, AttributeError, IndexError) as error:
            reason = (str(error).splitlines() or [""])[0][:120].rstrip(".")
            raise InputError(
                f"The checkpoint does not belong to this training ({type(error).__name__}: {reason}): use --overwrite."
            ) from error

    def _restore(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        groups: dict[str, dict[str, Tensor]] = {name: {} for name in (*self.modules(), "best", "optimiser")}
        for key, tensor in tensors.items():
            group, name = key.split("/", 1)
            groups[group][name] = tensor
        for name, module in self.modules().items():
            _require_like(groups[name], module.state_dict())
            module.load_state_dict(groups[name])
        restore_optimiser(self.optimiser, groups["optimiser"])
        _require_like(groups["best"], self.policy.state_dict())
        self.best = Best(weights=groups["best"])
        self.restore_state(state)

    def require_finite(self, loss: Tensor) -> None:
        """Stop before a loss that is not finite reaches the weights."""
        if not torch.isfinite(loss):
            raise InputError(
                f"the loss became {loss.item()} in epoch {self.epoch + 1}: expected a finite one; "
                "use a lower rate or a tighter clip."
            )


def require_count(value: Any, least: int) -> int:
    """A whole number of a checkpoint; anything else is a ValueError, for ``resume`` to name."""
    if type(value) is not int or value < least or value > MOST_EPOCHS:
        raise ValueError(f"expected a whole number of at least {least}, got {str(value)[:20]}")
    return value


def _require_like(found: Mapping[str, Tensor], own: Mapping[str, Tensor]) -> None:
    """Weights of a checkpoint are none (yet), or have the names, shapes and types of the module's."""
    if found and (
        found.keys() != own.keys()
        or any(found[name].shape != own[name].shape or found[name].dtype != own[name].dtype for name in own)
    ):
        raise ValueError("expected the weights of this policy, got others")

"""Training epoch by epoch: what every such training keeps, so that a killed one goes on as if nothing had been."""

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from vinlab.learners.callbacks import RunLogger, Validation, Validator
from vinlab.learners.optimizers import optimiser_tensors, restore_optimiser
from vinlab.types import InputError


@dataclass
class Best:
    """The best weights so far by validation, and when they were reached."""

    score: float = -float("inf")
    epoch: int = -1
    weights: dict[str, Tensor] = field(default_factory=dict)


class EpochTraining:
    """A policy, its optimiser, the epoch and the best weights so far; all of them stand in a checkpoint."""

    def __init__(self, policy: nn.Module, optimiser: torch.optim.Optimizer, record: RunLogger) -> None:
        self.policy = policy
        self.optimiser = optimiser
        self.record = record
        self.epoch = 0
        self.best = Best()

    def validate_and_keep(self, validate: Validator) -> Validation:
        """What a look at the validation problems finds."""
        self.policy.eval()
        return validate(self.policy)

    def keep_if_best(self, score: float) -> None:
        """The weights of now are the best so far unless others scored more; of equals the later ones are kept."""
        if score >= self.best.score:
            weights = {name: tensor.detach().clone() for name, tensor in self.policy.state_dict().items()}
            self.best = Best(score, self.epoch, weights)

    def restore_best(self) -> Best:
        """Give the policy its best weights, and them to the caller."""
        if self.best.weights:
            self.policy.load_state_dict(self.best.weights)
        return self.best

    def save(self) -> None:
        """Make a checkpoint."""
        groups = {
            "weights": self.policy.state_dict(),
            "best": self.best.weights,
            "optimiser": optimiser_tensors(self.optimiser),
        }
        tensors = {
            f"{group}/{name}": one for group, entries in groups.items() for name, one in entries.items()
        }
        state = {"epoch": self.epoch, "best_score": self.best.score, "best_epoch": self.best.epoch}
        self.record.save_checkpoint(tensors, state)

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
        self.epoch = state["epoch"]
        self.best = Best(state["best_score"], state["best_epoch"], groups["best"])

    def require_finite(self, loss: Tensor) -> None:
        """Stop before a loss that is no number spoils the weights."""
        if not torch.isfinite(loss):
            raise InputError(
                f"the loss became {loss.item()} in epoch {self.epoch + 1}; "
                "a lower rate or a tighter clip keeps it finite."
            )

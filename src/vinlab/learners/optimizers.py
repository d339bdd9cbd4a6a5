"""Optimisers, learning-rate schedules, and the state of an optimiser as named tensors."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from vinlab.types import InputError


@dataclass(frozen=True)
class Stage:
    """Some epochs with one learning-rate schedule; the optimiser starts with a fresh state."""

    epochs: int
    rate: float
    """The constant rate, or the highest one of a cycle or a fall."""
    schedule: Literal["constant", "one-cycle", "cosine"] = "constant"

    def rate_at(self, progress: float) -> float:
        """The rate after this share of the stage."""
        if self.schedule == "constant":
            return self.rate
        if self.schedule == "cosine":
            return _slide(self.rate, self.rate / 1000, progress)
        if progress < WARM_UP:
            return _slide(self.rate / 25, self.rate, progress / WARM_UP)
        return _slide(self.rate, self.rate / 1000, (progress - WARM_UP) / (1 - WARM_UP))


WARM_UP = 0.25
"""The share of a cycle in which the rate rises."""


def _slide(start: float, end: float, progress: float) -> float:
    return end + (start - end) * (1 + math.cos(math.pi * progress)) / 2


class TheanoRmsProp(torch.optim.Optimizer):
    """RMSProp as in the authors' code: epsilon inside the root (torch has it outside)."""

    def __init__(
        self, parameters: Iterable[nn.Parameter], *, lr: float, rho: float = 0.9, epsilon: float = 1e-6
    ) -> None:
        super().__init__(parameters, {"lr": lr, "rho": rho, "epsilon": epsilon})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Update every parameter that has a gradient."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["square"] = torch.zeros_like(parameter)
                square = state["square"]
                square.mul_(group["rho"]).addcmul_(parameter.grad, parameter.grad, value=1 - group["rho"])
                parameter.addcdiv_(parameter.grad, (square + group["epsilon"]).sqrt_(), value=-group["lr"])


OptimiserName = Literal["rmsprop", "adam", "adamw"]

DECAY = 0.05
"""Weight decay of AdamW, to limit overfitting."""


def make_optimiser(name: OptimiserName, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
    """A fresh optimiser; its rate is set before every step."""
    if name == "rmsprop":
        return TheanoRmsProp(parameters, lr=0.0)
    if name == "adam":
        return torch.optim.Adam(parameters, lr=0.0)
    if name == "adamw":
        return torch.optim.AdamW(parameters, lr=0.0, weight_decay=DECAY)
    raise InputError(f"optimiser: expected 'rmsprop', 'adam' or 'adamw', got '{name}'.")


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Set the rate of the next step."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimiser's state as named tensors, for a checkpoint."""
    memory: Mapping[int, Mapping[str, Any]] = optimiser.state_dict()["state"]
    return {
        f"{index}.{name}": torch.as_tensor(entry).clone()
        for index, entries in memory.items()
        for name, entry in entries.items()
    }


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Restore the state that ``optimiser_tensors`` returned."""
    memory: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        index, name = key.split(".", 1)
        memory.setdefault(int(index), {})[name] = tensor
    _require_fitting(optimiser, memory)
    optimiser.load_state_dict({"state": memory, "param_groups": optimiser.state_dict()["param_groups"]})


def _require_fitting(optimiser: torch.optim.Optimizer, memory: Mapping[int, Mapping[str, Tensor]]) -> None:
    """The state of every parameter has the same entries, which are single numbers or of the parameter's shape."""
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    names = {frozenset(entries) for entries in memory.values()}
    shapes = all(
        tensor.dim() == 0
        or (tensor.shape, tensor.dtype) == (parameters[index].shape, parameters[index].dtype)
        for index, entries in memory.items()
        for tensor in entries.values()
    )
    if len(names) > 1 or not shapes:
        raise ValueError("expected the optimiser's state of this policy, got another")

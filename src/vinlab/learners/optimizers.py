"""How a gradient becomes a step: the optimisers, their rates, and their state as plain tensors."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from vinlab.types import InputError


@dataclass(frozen=True)
class Stage:
    """A stretch of training with one rate or one rise and fall of it; the optimiser starts it with no memory."""

    epochs: int
    rate: float
    """The rate of the whole stage, or the highest one of a cycle."""
    schedule: Literal["constant", "one-cycle"] = "constant"

    def rate_at(self, progress: float) -> float:
        """The rate when this share of the stage has passed."""
        if self.schedule == "constant":
            return self.rate
        if progress < WARM_UP:
            return _slide(self.rate / 25, self.rate, progress / WARM_UP)
        return _slide(self.rate, self.rate / 1000, (progress - WARM_UP) / (1 - WARM_UP))


WARM_UP = 0.25
"""The share of a cycle in which the rate rises."""


def _slide(start: float, end: float, progress: float) -> float:
    return end + (start - end) * (1 + math.cos(math.pi * progress)) / 2


class TheanoRmsProp(torch.optim.Optimizer):
    """RMSProp as the authors' code has it: epsilon inside the root, where torch's stands outside."""

    def __init__(
        self, parameters: Iterable[nn.Parameter], *, lr: float, rho: float = 0.9, epsilon: float = 1e-6
    ) -> None:
        super().__init__(parameters, {"lr": lr, "rho": rho, "epsilon": epsilon})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Move every parameter that has a gradient."""
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
"""By which AdamW shrinks weights in each step, times the rate: for data that a network could learn by heart."""


def make_optimiser(name: OptimiserName, parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
    """A fresh optimiser; its rate is set before every step."""
    if name == "rmsprop":
        return TheanoRmsProp(parameters, lr=0.0)
    if name == "adam":
        return torch.optim.Adam(parameters, lr=0.0)
    if name == "adamw":
        return torch.optim.AdamW(parameters, lr=0.0, weight_decay=DECAY)
    raise InputError(f"optimiser must be 'rmsprop', 'adam' or 'adamw', but '{name}' came.")


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """The rate of the next step."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimiser's memory as named tensors, for a checkpoint."""
    memory: Mapping[int, Mapping[str, Any]] = optimiser.state_dict()["state"]
    return {
        f"{index}.{name}": torch.as_tensor(entry).clone()
        for index, entries in memory.items()
        for name, entry in entries.items()
    }


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Give the optimiser back the memory that ``optimiser_tensors`` took from it."""
    memory: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        index, name = key.split(".", 1)
        memory.setdefault(int(index), {})[name] = tensor
    optimiser.load_state_dict({"state": memory, "param_groups": optimiser.state_dict()["param_groups"]})

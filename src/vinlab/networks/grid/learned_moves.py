"""Which moves a VIN has learned to plan with, read from its kernels and a plan."""

import numpy as np
import torch
from jaxtyping import Bool, Float

from vinlab.networks.vin import ValueIterationNetwork
from vinlab.planning import SharedKernels
from vinlab.types import MOVE_NAMES, MOVE_OFFSETS, Plan

MINIMUM_SHARE = 0.01
"""An action that wins in a smaller share of the cells does not count: no value flows through it."""


def kernels_of(network: ValueIterationNetwork) -> SharedKernels | None:
    """The kernels of all backups, of the finest level where there are several; None where each has its own."""
    found = network.transition(torch.empty(0))
    found = found[-1] if isinstance(found, list) else found
    return found if isinstance(found, SharedKernels) else None


def direction(kernel: Float[np.ndarray, "F F"]) -> str:
    """The move to the neighbour that a kernel weighs most."""
    offset = np.array(np.unravel_index(kernel.argmax(), kernel.shape)) - np.array(kernel.shape) // 2
    match = (offset == MOVE_OFFSETS).all(axis=1)
    return MOVE_NAMES[match.argmax()] if match.any() else "stay"


def moves_of_plan(plan: Plan, kernels: SharedKernels, cells: Bool[np.ndarray, "B H W"]) -> list[str]:
    """The moves of the actions that win the maximum in some of the cells."""
    winners = plan.q.detach().argmax(dim=1).cpu().numpy()[cells]
    shares = np.bincount(winners, minlength=plan.q.shape[1]) / max(len(winners), 1)
    values = kernels.value.detach().cpu().numpy()[:, 0]
    won = {direction(kernel) for kernel, share in zip(values, shares, strict=True) if share > MINIMUM_SHARE}
    return [move for move in MOVE_NAMES if move in won]

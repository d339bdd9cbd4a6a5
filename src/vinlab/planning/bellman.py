"""One Bellman backup on a grid as pure functions: the readable reference for every faster path.

A backup is a convolution and a maximum (equation 2 of the paper and Section 3.1):
``q[a] = reward kernels * reward + value kernels * value``, then ``value = max over a of q[a]``.
Convolutions are torch's (no flip) with zeros outside the map, so a kernel's entry ``[row, col]`` weighs the
cell at ``(row - F // 2, col - F // 2)`` from the one that is backed up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
import torch.nn.functional as functional
from jaxtyping import Float
from torch import Tensor

from vinlab.types import InputError


@runtime_checkable
class GridTransition(Protocol):
    """How the planner believes the world moves: turns reward and value into their shares of q, backup by backup."""

    def reward_term(self, reward: Tensor, step: int) -> Tensor:
        """What the reward ``[B R H W]`` adds to q ``[B A H W]`` in convolution ``step``."""
        ...

    def value_term(self, value: Tensor, step: int) -> Tensor:
        """What the value ``[B 1 H W]`` adds to q ``[B A H W]`` in convolution ``step``."""
        ...


@dataclass(frozen=True)
class SharedKernels:
    """One set of kernels for the whole map and for all backups (the paper's VIN)."""

    reward: Float[Tensor, "A R F F"]
    value: Float[Tensor, "A 1 F F"]

    def reward_term(self, reward: Float[Tensor, "B R H W"], step: int) -> Float[Tensor, "B A H W"]:
        """The same for every step."""
        return convolve(reward, self.reward)

    def value_term(self, value: Float[Tensor, "B 1 H W"], step: int) -> Float[Tensor, "B A H W"]:
        """The same for every step."""
        return convolve(value, self.value)


@dataclass(frozen=True)
class UntiedKernels:
    """A set of kernels of its own for each of the K + 1 convolutions (the paper's "untied weights")."""

    reward: Float[Tensor, "L A R F F"]
    value: Float[Tensor, "L A 1 F F"]

    def reward_term(self, reward: Float[Tensor, "B R H W"], step: int) -> Float[Tensor, "B A H W"]:
        """From the kernels of this step."""
        return convolve(reward, self.reward[step])

    def value_term(self, value: Float[Tensor, "B 1 H W"], step: int) -> Float[Tensor, "B A H W"]:
        """From the kernels of this step."""
        return convolve(value, self.value[step])


@dataclass(frozen=True)
class LocalKernels:
    """Kernels that differ from cell to cell and from problem to problem, shared by all backups."""

    reward: Float[Tensor, "B A R F F H W"]
    value: Float[Tensor, "B A 1 F F H W"]

    def reward_term(self, reward: Float[Tensor, "B R H W"], step: int) -> Float[Tensor, "B A H W"]:
        """The same for every step."""
        return convolve_locally(reward, self.reward)

    def value_term(self, value: Float[Tensor, "B 1 H W"], step: int) -> Float[Tensor, "B A H W"]:
        """The same for every step."""
        return convolve_locally(value, self.value)


def convolve(image: Float[Tensor, "B R H W"], kernel: Float[Tensor, "A R F F"]) -> Float[Tensor, "B A H W"]:
    """Weigh each cell's neighbourhood with one kernel per action; the map keeps its size."""
    return functional.conv2d(image, kernel, padding=kernel.shape[-1] // 2)


def convolve_locally(
    image: Float[Tensor, "B R H W"], kernel: Float[Tensor, "B A R F F H W"]
) -> Float[Tensor, "B A H W"]:
    """Weigh each cell's neighbourhood with kernels of the cell's own."""
    batch, _, channels, width, _, rows, cols = kernel.shape
    patches = functional.unfold(image, width, padding=width // 2)
    patches = patches.view(batch, channels, width, width, rows, cols)
    return torch.einsum("bcijhw,bacijhw->bahw", patches, kernel)


def maximise(q: Float[Tensor, "B A H W"]) -> Float[Tensor, "B 1 H W"]:
    """The worth of the best action; its gradient goes to that action alone."""
    return q.max(dim=1, keepdim=True).values


def value_iteration(
    reward: Float[Tensor, "B R H W"],
    transition: GridTransition,
    iterations: int,
    *,
    initial_value: Float[Tensor, "B 1 H W"] | None = None,
) -> tuple[Float[Tensor, "B A H W"], Float[Tensor, "B 1 H W"]]:
    """The q and value of K maximisations and the read that follows them, from a value of zero or a first guess."""
    require_iterations(iterations)
    require_initial_value(initial_value, reward)
    shares = _reward_shares(reward, transition)
    value = maximise(
        shares(0) if initial_value is None else shares(0) + transition.value_term(initial_value, 0)
    )
    for step in range(1, iterations):
        value = maximise(shares(step) + transition.value_term(value, step))
    return shares(iterations) + transition.value_term(value, iterations), value


def require_iterations(iterations: int) -> None:
    """At least one maximisation is needed for there to be a value."""
    if iterations < 1:
        raise InputError(f"iterations must be at least 1, but {iterations} came.")


def require_initial_value(initial_value: Tensor | None, reward: Tensor) -> None:
    """A first guess has a value for every cell of every problem."""
    wanted = (len(reward), 1, *reward.shape[2:])
    if initial_value is not None and tuple(initial_value.shape) != wanted:
        raise InputError(f"the guess must have the shape {wanted}, but {tuple(initial_value.shape)} came.")


def _reward_shares(reward: Tensor, transition: GridTransition) -> Callable[[int], Tensor]:
    """The reward's share per step, computed once where all steps share it."""
    if isinstance(transition, UntiedKernels):
        return lambda step: transition.reward_term(reward, step)
    share = transition.reward_term(reward, 0)
    return lambda step: share

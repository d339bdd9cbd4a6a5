"""Bellman backups on a grid as pure functions: the reference for the compiled kernels.

A backup is a convolution and a maximum (equation 2 of the paper and Section 3.1):
``q[a] = reward kernels * reward + value kernels * value``, then ``value = max over a of q[a]``.
Convolutions are torch's (no flip): a kernel's entry ``[row, col]`` is the weight of the cell at the offset
``(row - F // 2, col - F // 2)`` from the one that is backed up. ``border.py`` says what is beyond the edge of the map.
"""

import operator
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
import torch.nn.functional as functional
from jaxtyping import Float
from torch import Tensor

from vinlab.planning.border import Outside, local_staying_weights, staying_weights
from vinlab.types import InputError


@runtime_checkable
class GridTransition(Protocol):
    """The planner's model of the dynamics: it maps reward and value to their terms of q, step by step."""

    def reward_term(self, reward: Tensor, step: int) -> Tensor:
        """The term of the reward ``[B R H W]`` in q ``[B A H W]``, in convolution ``step``."""
        ...

    def value_term(self, value: Tensor, step: int) -> Tensor:
        """The term of the value ``[B 1 H W]`` in q ``[B A H W]``, in convolution ``step``."""
        ...


@dataclass(frozen=True)
class SharedKernels:
    """One set of kernels for the whole map and for all backups (the paper's VIN)."""

    reward: Float[Tensor, "A R F F"]
    value: Float[Tensor, "A 1 F F"]
    outside: Outside = "zero"

    def reward_term(self, reward: Float[Tensor, "B R H W"], step: int) -> Float[Tensor, "B A H W"]:
        """The same for every step."""
        return convolve(reward, self.reward, self.outside)

    def value_term(self, value: Float[Tensor, "B 1 H W"], step: int) -> Float[Tensor, "B A H W"]:
        """The same for every step."""
        return convolve(value, self.value, self.outside)


@dataclass(frozen=True)
class UntiedKernels:
    """One set of kernels for each of the K + 1 convolutions (the paper's "untied weights")."""

    reward: Float[Tensor, "L A R F F"]
    value: Float[Tensor, "L A 1 F F"]
    outside: Outside = "zero"

    def reward_term(self, reward: Float[Tensor, "B R H W"], step: int) -> Float[Tensor, "B A H W"]:
        """From the kernels of this step."""
        return convolve(reward, self.reward[step], self.outside)

    def value_term(self, value: Float[Tensor, "B 1 H W"], step: int) -> Float[Tensor, "B A H W"]:
        """From the kernels of this step."""
        return convolve(value, self.value[step], self.outside)


@dataclass(frozen=True)
class LocalKernels:
    """Kernels that depend on the cell and the problem, shared by all backups."""

    reward: Float[Tensor, "B A R F F H W"]
    value: Float[Tensor, "B A 1 F F H W"]
    outside: Outside = "zero"

    def reward_term(self, reward: Float[Tensor, "B R H W"], step: int) -> Float[Tensor, "B A H W"]:
        """The same for every step."""
        return convolve_locally(reward, self.reward, self.outside)

    def value_term(self, value: Float[Tensor, "B 1 H W"], step: int) -> Float[Tensor, "B A H W"]:
        """The same for every step."""
        return convolve_locally(value, self.value, self.outside)


def convolve(
    image: Float[Tensor, "B R H W"], kernel: Float[Tensor, "A R F F"], outside: Outside = "zero"
) -> Float[Tensor, "B A H W"]:
    """The weighted sum of each cell's neighbourhood, with one kernel per action; the map keeps its size."""
    inside = functional.conv2d(image, kernel, padding=int(kernel.shape[-1]) // 2)  # PyTorch 2.6 traces sizes
    if outside == "zero":
        return inside
    return inside + torch.einsum("brhw,arhw->bahw", image, staying_weights(kernel, *image.shape[2:]))


def convolve_locally(
    image: Float[Tensor, "B R H W"], kernel: Float[Tensor, "B A R F F H W"], outside: Outside = "zero"
) -> Float[Tensor, "B A H W"]:
    """The weighted sum of each cell's neighbourhood, with kernels of that cell."""
    batch, _, channels, width, _, rows, cols = kernel.shape
    patches = functional.unfold(image, width, padding=width // 2)
    patches = patches.view(batch, channels, width, width, rows, cols)
    inside = torch.einsum("bcijhw,bacijhw->bahw", patches, kernel)
    if outside == "zero":
        return inside
    return inside + torch.einsum("brhw,barhw->bahw", image, local_staying_weights(kernel))


def maximise(q: Float[Tensor, "B A H W"]) -> Float[Tensor, "B 1 H W"]:
    """The value of the best action; its gradient goes to that action alone."""
    return q.max(dim=1, keepdim=True).values


def value_iteration(
    reward: Float[Tensor, "B R H W"],
    transition: GridTransition,
    iterations: int,
    *,
    initial_value: Float[Tensor, "B 1 H W"] | None = None,
) -> tuple[Float[Tensor, "B A H W"], Float[Tensor, "B 1 H W"]]:
    """The value after K maximisations and the q that follows, from a value of zero or from ``initial_value``."""
    require_iterations(iterations)
    require_initial_value(initial_value, reward)
    terms = reward_terms(reward, transition)
    values = iterate_values(terms, transition, iterations, initial_value=initial_value)
    value = deque(values, maxlen=1).pop()
    return terms(iterations) + transition.value_term(value, iterations), value


def iterate_values(
    terms: Callable[[int], Tensor],
    transition: GridTransition,
    iterations: int,
    *,
    initial_value: Float[Tensor, "B 1 H W"] | None = None,
) -> Iterator[Float[Tensor, "B 1 H W"]]:
    """The value after each of the K maximisations, from the reward's terms by step."""
    q = terms(0) if initial_value is None else terms(0) + transition.value_term(initial_value, 0)
    value = maximise(q)
    yield value
    for step in range(1, iterations):
        value = maximise(terms(step) + transition.value_term(value, step))
        yield value


def require_iterations(iterations: Any) -> None:
    """A plan needs a whole number of maximisations, at least one."""
    try:
        whole = operator.index(iterations)
    except TypeError:
        whole = None
    if whole is None or isinstance(iterations, bool):
        raise InputError(f"iterations: expected a whole number, got {iterations!r}.")
    if whole < 1:
        raise InputError(f"iterations: expected at least 1, got {iterations}.")


def require_initial_value(initial_value: Tensor | None, reward: Tensor) -> None:
    """An initial value has one entry for every cell of every problem."""
    expected = (len(reward), 1, *reward.shape[2:])
    if initial_value is not None and tuple(initial_value.shape) != expected:
        raise InputError(f"initial_value: expected the shape {expected}, got {tuple(initial_value.shape)}.")


def reward_terms(reward: Tensor, transition: GridTransition) -> Callable[[int], Tensor]:
    """The reward's term by step, computed once where all steps share it."""
    if isinstance(transition, UntiedKernels):
        return lambda step: transition.reward_term(reward, step)
    shared = transition.reward_term(reward, 0)
    return lambda step: shared

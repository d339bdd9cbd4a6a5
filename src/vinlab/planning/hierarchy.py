"""Value iteration at several resolutions: each level uses the value of the next coarser one."""

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as functional
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.planning.bellman import GridTransition
from vinlab.planning.border import Outside
from vinlab.planning.grid import GridPlanner
from vinlab.types import InputError, Iterations, Plan

Combine = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor | None]]
"""How a level uses the coarser one: from its reward, the coarse value and the factor between their sizes to the reward
it plans with and its initial value (None: zero)."""


def coarse_as_reward(reward: Tensor, coarse: Tensor, factor: int) -> tuple[Tensor, Tensor | None]:
    """The coarse value as one more reward channel, constant on each coarse cell (as in the paper)."""
    return torch.cat([reward, upsample_nearest(coarse, reward.shape[-2:], factor)], dim=1), None


def coarse_as_initial_value(reward: Tensor, coarse: Tensor, factor: int) -> tuple[Tensor, Tensor | None]:
    """The coarse value as the initial value: beyond K steps the plan relies on it.

    A coarse step counts as ``factor`` fine ones. The value is linear between the centres of coarse cells: if it were
    constant on them, neighbouring cells would have equal values and a greedy policy could go back and forth.
    """
    return reward, factor * upsample_linear(coarse, reward.shape[-2:], factor)


class HierarchicalPlanner(nn.Module):
    """Grid planners from coarse to fine (the paper's hierarchical VI module).

    ``combine`` gives the value of each level to the next finer one. Each level is ``factor`` times as coarse as the
    next. ``outside`` is what lies beyond the edge of the map on every level, as in ``GridPlanner``.
    """

    def __init__(
        self,
        *,
        iterations: Sequence[int],
        factor: int = 2,
        combine: Combine = coarse_as_reward,
        outside: Outside | None = None,
    ) -> None:
        super().__init__()
        if factor < 1:
            raise InputError(f"factor: expected at least 1, got {factor}.")
        if not iterations:
            raise InputError("iterations: expected K of at least one level, from coarse to fine, got none.")
        self.factor = factor
        self.combine = combine
        self.levels = nn.ModuleList(GridPlanner(iterations=count, outside=outside) for count in iterations)

    def with_outside(self, outside: Outside) -> "HierarchicalPlanner":
        """The same planner with another rule for what lies beyond the edge of the map."""
        return HierarchicalPlanner(
            iterations=self.iterations, factor=self.factor, combine=self.combine, outside=outside
        )

    @property
    def outside(self) -> Outside | None:
        """What lies beyond the edge of the map."""
        return self.levels[0].outside  # pyright: ignore[reportReturnType]

    @property
    def iterations(self) -> tuple[int, ...]:
        """K of each level, from coarse to fine."""
        return tuple(level.iterations for level in self.levels)  # pyright: ignore[reportReturnType]

    def forward(
        self,
        reward: Sequence[Tensor],
        transition: Sequence[GridTransition],
        *,
        iterations: Iterations = None,
    ) -> Plan:
        """The finest plan, which holds the coarser ones; rewards and transitions are given from coarse to fine.

        A single number of iterations applies to every level.
        """
        if isinstance(iterations, int):
            iterations = (iterations,) * len(self.levels)
        iterations = self.iterations if iterations is None else tuple(iterations)
        for name, given in (("rewards", reward), ("transitions", transition), ("iterations", iterations)):
            if len(given) != len(self.levels):
                raise InputError(
                    f"{name}: expected one for each of {len(self.levels)} levels, got {len(given)}."
                )
        plan = None
        for planner, signal, kernels, count in zip(self.levels, reward, transition, iterations, strict=True):
            initial_value = None
            if plan is not None:
                signal, initial_value = self.combine(signal, plan.value, self.factor)
            finer: Plan = planner(signal, kernels, iterations=count, initial_value=initial_value)
            plan = Plan(reward=finer.reward, q=finer.q, value=finer.value, coarser=plan)
        assert plan is not None
        return plan


def upsample_nearest(
    value: Float[Tensor, "B 1 h w"], size: Sequence[int], factor: int
) -> Float[Tensor, "B 1 H W"]:
    """The coarse value on a finer map: each cell has the value of its coarse cell."""
    _require_coarse(value, size, factor)
    rows, cols = (torch.arange(fine, device=value.device) // factor for fine in size)
    return value[:, :, rows][:, :, :, cols]


def upsample_linear(
    value: Float[Tensor, "B 1 h w"], size: Sequence[int], factor: int
) -> Float[Tensor, "B 1 H W"]:
    """The coarse value on a finer map, linear between the centres of coarse cells."""
    _require_coarse(value, size, factor)
    larger = functional.interpolate(value, scale_factor=factor, mode="bilinear", align_corners=False)
    return larger[:, :, : size[0], : size[1]]


def _require_coarse(value: Tensor, size: Sequence[int], factor: int) -> None:
    expected = tuple(-(-fine // factor) for fine in size)
    if tuple(value.shape[-2:]) != expected:
        raise InputError(
            f"expected a coarse value of {expected} cells for a map of {tuple(size)} cells and factor {factor}, "
            f"got {tuple(value.shape[-2:])} cells."
        )


def downsample_max(image: Float[Tensor, "B C H W"], factor: int) -> Float[Tensor, "B C h w"]:
    """The map at a coarser resolution: the largest entry of each block; blocks at the edge may be smaller."""
    return image if factor == 1 else functional.max_pool2d(image, factor, ceil_mode=True)

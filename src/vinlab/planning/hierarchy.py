"""Value iteration at several resolutions: a coarse plan first, which tells the finer one where to look."""

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as functional
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.planning.bellman import GridTransition
from vinlab.planning.grid import GridPlanner
from vinlab.types import InputError, Iterations, Plan

HandOver = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor | None]]
"""What a finer level makes of its reward, the value of the coarser level, and the factor between their sizes: the
reward it plans with, and the value it begins with (none: zero)."""


def coarse_as_reward(reward: Tensor, coarse: Tensor, factor: int) -> tuple[Tensor, Tensor | None]:
    """The coarse value is one more channel of the reward, the same on all cells of a coarse one (the paper's way)."""
    return torch.cat([reward, upsample_nearest(coarse, reward.shape[-2:], factor)], dim=1), None


def coarse_as_initial_value(reward: Tensor, coarse: Tensor, factor: int) -> tuple[Tensor, Tensor | None]:
    """The coarse value is where value iteration begins: what lies further than K steps is worth what it says.

    A coarse step counts as ``factor`` fine ones. Between the centres of coarse cells the value slopes: on flat steps
    one cell would be worth as much as the next, and a policy that follows the best one could go to and fro.
    """
    return reward, factor * upsample_linear(coarse, reward.shape[-2:], factor)


class HierarchicalPlanner(nn.Module):
    """Grid planners from coarse to fine (the paper's hierarchical VI module).

    The value of each level is brought to the size of the next and handed over to it. Each level is ``factor``
    times as coarse as the next.
    """

    def __init__(
        self, *, iterations: Sequence[int], factor: int = 2, combine: HandOver = coarse_as_reward
    ) -> None:
        super().__init__()
        if factor < 1:
            raise InputError(f"factor must be at least 1, but {factor} came.")
        if not iterations:
            raise InputError("iterations must name at least one level, from coarse to fine, but none came.")
        self.factor = factor
        self.combine = combine
        self.levels = nn.ModuleList(GridPlanner(iterations=count) for count in iterations)

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
        """The finest plan, with the coarser ones behind it; rewards and transitions come from coarse to fine.

        A single number of iterations is that of every level.
        """
        if isinstance(iterations, int):
            iterations = (iterations,) * len(self.levels)
        iterations = self.iterations if iterations is None else tuple(iterations)
        for name, given in (("rewards", reward), ("transitions", transition), ("iterations", iterations)):
            if len(given) != len(self.levels):
                raise InputError(f"the planner has {len(self.levels)} levels, but {len(given)} {name} came.")
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
    """The coarse value on the cells of a finer map: each cell takes that of the coarse cell it lies in."""
    _require_coarse(value, size, factor)
    rows, cols = (torch.arange(fine, device=value.device) // factor for fine in size)
    return value[:, :, rows][:, :, :, cols]


def upsample_linear(
    value: Float[Tensor, "B 1 h w"], size: Sequence[int], factor: int
) -> Float[Tensor, "B 1 H W"]:
    """The coarse value on the cells of a finer map, linear between the centres of coarse cells."""
    _require_coarse(value, size, factor)
    larger = functional.interpolate(value, scale_factor=factor, mode="bilinear", align_corners=False)
    return larger[:, :, : size[0], : size[1]]


def _require_coarse(value: Tensor, size: Sequence[int], factor: int) -> None:
    wanted = tuple(-(-fine // factor) for fine in size)
    if tuple(value.shape[-2:]) != wanted:
        raise InputError(
            f"a map of {tuple(size)} cells made {factor} times as coarse has {wanted} cells, "
            f"but {tuple(value.shape[-2:])} came."
        )


def downsample_max(image: Float[Tensor, "B C H W"], factor: int) -> Float[Tensor, "B C h w"]:
    """The map at a coarser resolution: the largest entry of each block, also of those that stick out."""
    return image if factor == 1 else functional.max_pool2d(image, factor, ceil_mode=True)

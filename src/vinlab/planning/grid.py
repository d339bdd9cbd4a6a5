"""Value iteration on a grid as a layer."""

from dataclasses import replace
from typing import Any, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.planning.bellman import (
    GridTransition,
    LocalKernels,
    SharedKernels,
    UntiedKernels,
    iterate_values,
    require_initial_value,
    require_iterations,
    reward_terms,
    value_iteration,
)
from vinlab.planning.border import Outside, require_outside
from vinlab.planning.tensors import HALF, at_least_float32, require_same_type, without_autocast
from vinlab.types import InputError, Plan


class GridPlanner(nn.Module):
    """Value iteration on a grid, K backups deep (Section 3.1 of the paper).

    ``outside`` is what lies beyond the edge of the map, as ``border.py`` says: ``"zero"`` as in the paper, or
    ``"blocked"``. None leaves it to the transition: blocked for transitions with costs (``SoftmaxTransition``).
    """

    def __init__(self, *, iterations: int, outside: Outside | None = None) -> None:
        super().__init__()
        require_iterations(iterations)
        if outside is not None:
            require_outside(outside)
        self.iterations = iterations
        self.outside: Outside | None = outside

    def forward(
        self,
        reward: Float[Tensor, "B R H W"],
        transition: GridTransition,
        *,
        iterations: int | None = None,
        initial_value: Float[Tensor, "B 1 H W"] | None = None,
    ) -> Plan:
        """Plan for every cell at once, on any H and W.

        ``iterations`` replaces the planner's own K for this call, as larger maps need more backups. Value
        iteration starts from a value of zero, or from ``initial_value``.
        """
        iterations = self.iterations if iterations is None else iterations
        transition = with_outside(transition, self.outside)
        with without_autocast(reward):
            reward, initial_value, transition = _in_full_precision(reward, initial_value, transition)
            require_fitting(reward, transition, iterations)
            require_initial_value(initial_value, reward)
            q, value = _backed_up(reward, transition, iterations, initial_value)
        return Plan(reward=reward, q=q, value=value)

    def with_outside(self, outside: Outside) -> "GridPlanner":
        """The same planner with another rule for what lies beyond the edge of the map."""
        return GridPlanner(iterations=self.iterations, outside=outside)

    def extra_repr(self) -> str:
        """The settings that ``print`` shows."""
        outside = "" if self.outside is None else f", outside={self.outside!r}"
        return f"iterations={self.iterations}{outside}"


def _backed_up(
    reward: Tensor, transition: GridTransition, iterations: int, initial_value: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The q and value, by compiled kernels where these apply."""
    from vinlab.planning.fused import fused_value_iteration, is_fusible

    plan: Any = value_iteration
    if is_fusible(reward, transition):
        plan = fused_value_iteration
    elif isinstance(transition, LocalKernels):
        from vinlab.planning.fused.local_function import fused_local_value_iteration, is_locally_fusible

        if is_locally_fusible(reward, transition, initial_value):
            plan = fused_local_value_iteration
    return plan(reward, transition, iterations, initial_value=initial_value)


Kernels = SharedKernels | UntiedKernels | LocalKernels


Transition = TypeVar("Transition", bound=GridTransition)


def with_outside(transition: Transition, outside: Outside | None) -> Transition:
    """The transition with another rule for what lies beyond the edge; None leaves its own."""
    if outside is None or outside == getattr(transition, "outside", None):
        return transition
    if not isinstance(transition, Kernels):
        raise InputError(
            f"outside: expected None, as {type(transition).__name__} has its own rule for the edge, got {outside!r}."
        )
    return replace(transition, outside=outside)


def _in_full_precision(
    reward: Tensor, initial_value: Tensor | None, transition: GridTransition
) -> tuple[Tensor, Tensor | None, GridTransition]:
    """What autocast has made half precision in float32, unless all is."""
    if not isinstance(transition, Kernels) or {reward.dtype, transition.value.dtype} <= set(HALF):
        return reward, initial_value, transition
    kernels = {name: at_least_float32(getattr(transition, name)) for name in ("reward", "value")}
    start = None if initial_value is None else at_least_float32(initial_value)
    return at_least_float32(reward), start, replace(transition, **kernels)


def require_fitting(reward: Tensor, transition: GridTransition, iterations: int) -> None:
    """Refuse a reward, kernels and a number of backups that do not fit together."""
    require_iterations(iterations)
    if not isinstance(transition, Kernels):
        return
    axes = {SharedKernels: 4, UntiedKernels: 5, LocalKernels: 7}[type(transition)]
    if reward.ndim != 4 or {transition.reward.ndim, transition.value.ndim} != {axes}:
        raise InputError(
            f"expected a reward with 4 axes and {type(transition).__name__} with {axes}, got {reward.ndim}, "
            f"{transition.reward.ndim} and {transition.value.ndim}."
        )
    require_same_type(reward=reward, reward_kernels=transition.reward, value_kernels=transition.value)
    for kernels, channels in ((transition.reward, reward.shape[1]), (transition.value, 1)):
        _require_kernels(kernels, channels, isinstance(transition, LocalKernels))
    channel_axis = 2 if isinstance(transition, LocalKernels) else -3
    for_reward, for_value = (
        [side for axis, side in enumerate(part.shape) if axis != channel_axis % part.ndim]
        for part in (transition.reward, transition.value)
    )
    if for_reward != for_value:
        raise InputError(
            f"expected reward and value kernels of the same actions and width, got the shapes "
            f"{tuple(transition.reward.shape)} and {tuple(transition.value.shape)}."
        )
    if isinstance(transition, UntiedKernels) and len(transition.reward) != iterations + 1:
        raise InputError(
            f"expected {iterations + 1} sets of untied kernels for {iterations} iterations, "
            f"got {len(transition.reward)}."
        )
    if isinstance(transition, LocalKernels) and transition.reward.shape[-2:] != reward.shape[-2:]:
        raise InputError(
            f"expected kernels for the {tuple(reward.shape[-2:])} cells of the reward, "
            f"got kernels for {tuple(transition.reward.shape[-2:])} cells."
        )


def _require_kernels(kernels: Tensor, channels: int, local: bool) -> None:
    shape = kernels.shape[:-2] if local else kernels.shape
    if shape[-1] % 2 == 0:
        raise InputError(f"expected kernels of odd width, got width {shape[-1]}.")
    if shape[-1] != shape[-2]:
        raise InputError(f"expected square kernels, got {shape[-2]} x {shape[-1]}.")
    if shape[-3] != channels:
        raise InputError(f"expected kernels for {channels} channels, got kernels for {shape[-3]}.")


def values_by_iteration(
    reward: Float[Tensor, "B R H W"], transition: GridTransition, iterations: int
) -> Float[Tensor, "K B 1 H W"]:
    """The value after each of the K maximisations, to show how it spreads from the goal."""
    require_fitting(reward, transition, iterations)
    return torch.stack(list(iterate_values(reward_terms(reward, transition), transition, iterations)))

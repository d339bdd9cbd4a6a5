"""Value iteration on a grid as a layer."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.planning.bellman import (
    GridTransition,
    LocalKernels,
    SharedKernels,
    UntiedKernels,
    iterate_values,
    require_iterations,
    reward_terms,
    value_iteration,
)
from vinlab.planning.fused import fused_value_iteration, is_fusible
from vinlab.types import InputError, Plan


class GridPlanner(nn.Module):
    """Value iteration on a grid, K backups deep (Section 3.1 of the paper)."""

    def __init__(self, *, iterations: int) -> None:
        super().__init__()
        self.iterations = iterations

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
        require_fitting(reward, transition, iterations)
        if isinstance(transition, SharedKernels | UntiedKernels) and is_fusible(reward, transition):
            q, value = fused_value_iteration(reward, transition, iterations, initial_value=initial_value)
        elif isinstance(transition, LocalKernels):
            from vinlab.planning.fused.local_function import local_value_iteration

            q, value = local_value_iteration(reward, transition, iterations, initial_value=initial_value)
        else:
            q, value = value_iteration(reward, transition, iterations, initial_value=initial_value)
        return Plan(reward=reward, q=q, value=value)

    def extra_repr(self) -> str:
        """The settings that ``print`` shows."""
        return f"iterations={self.iterations}"


def require_fitting(reward: Tensor, transition: GridTransition, iterations: int) -> None:
    """Refuse a reward, kernels and a number of backups that do not fit together."""
    require_iterations(iterations)
    if not isinstance(transition, SharedKernels | UntiedKernels | LocalKernels):
        return
    for kernels, channels in ((transition.reward, reward.shape[1]), (transition.value, 1)):
        _require_kernels(kernels, channels, isinstance(transition, LocalKernels))
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
    if shape[-3] != channels:
        raise InputError(f"expected kernels for {channels} channels, got kernels for {shape[-3]}.")


def values_by_iteration(
    reward: Float[Tensor, "B R H W"], transition: GridTransition, iterations: int
) -> Float[Tensor, "K B 1 H W"]:
    """The value after each of the K maximisations, to show how it spreads from the goal."""
    require_fitting(reward, transition, iterations)
    return torch.stack(list(iterate_values(reward_terms(reward, transition), transition, iterations)))

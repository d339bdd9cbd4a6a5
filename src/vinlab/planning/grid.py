"""Value iteration on a grid as a layer."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.planning.bellman import (
    GridTransition,
    LocalKernels,
    SharedKernels,
    UntiedKernels,
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
        """Plan for every cell at once; works on any H and W.

        ``iterations`` replaces the planner's own K for this call, as larger maps want more backups. Value
        iteration begins with a value of zero, or with a ``initial_value``.
        """
        iterations = self.iterations if iterations is None else iterations
        require_fitting(reward, transition, iterations)
        if isinstance(transition, SharedKernels | UntiedKernels) and is_fusible(reward, transition):
            q, value = fused_value_iteration(reward, transition, iterations, initial_value=initial_value)
        else:
            q, value = value_iteration(reward, transition, iterations, initial_value=initial_value)
        return Plan(reward=reward, q=q, value=value)

    def extra_repr(self) -> str:
        """The settings that ``print`` shows."""
        return f"iterations={self.iterations}"


def require_fitting(reward: Tensor, transition: GridTransition, iterations: int) -> None:
    """Reward, kernels and number of backups fit together, or a sentence says which does not."""
    if iterations < 1:
        raise InputError(f"iterations must be at least 1, but {iterations} came.")
    if not isinstance(transition, SharedKernels | UntiedKernels | LocalKernels):
        return
    for kernels, channels in ((transition.reward, reward.shape[1]), (transition.value, 1)):
        _require_kernels(kernels, channels, isinstance(transition, LocalKernels))
    if isinstance(transition, UntiedKernels) and len(transition.reward) != iterations + 1:
        raise InputError(
            f"{iterations} iterations of untied kernels need {iterations + 1} sets of them, "
            f"but {len(transition.reward)} came."
        )
    if isinstance(transition, LocalKernels) and transition.reward.shape[-2:] != reward.shape[-2:]:
        raise InputError(
            f"kernels for {tuple(transition.reward.shape[-2:])} cells came with a reward of "
            f"{tuple(reward.shape[-2:])} cells; the two must be equal."
        )


def _require_kernels(kernels: Tensor, channels: int, local: bool) -> None:
    shape = kernels.shape[:-2] if local else kernels.shape
    if shape[-1] % 2 == 0:
        raise InputError(f"the width of a kernel must be odd, but {shape[-1]} came.")
    if shape[-3] != channels:
        raise InputError(f"kernels for {shape[-3]} channels came, but there are {channels}.")


def values_by_iteration(
    reward: Float[Tensor, "B R H W"], transition: GridTransition, iterations: int
) -> Float[Tensor, "K B 1 H W"]:
    """The value after each of the K maximisations, to watch it spread from the goal."""
    require_fitting(reward, transition, iterations)
    values, value = [], reward.new_zeros(len(reward), 1, *reward.shape[2:])
    for step in range(iterations):
        q = transition.reward_term(reward, step) + transition.value_term(value, step)
        value = q.max(dim=1, keepdim=True).values
        values.append(value)
    return torch.stack(values)

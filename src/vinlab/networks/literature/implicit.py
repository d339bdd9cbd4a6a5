"""Implicit differentiation: Zhao et al., Scaling up and Stabilizing Differentiable Planning with Implicit
Differentiation, ICLR 2023.

Forward iterates the backups to their fixed point without keeping them; the gradient of the fixed point solves
``g = dL/dv + (dv'/dv)^T g`` by iterating that equation. Memory does not depend on the number of backups.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from vinlab.networks.literature.dense import PlainVin, PlainVinConfig
from vinlab.planning.bellman import SharedKernels, maximise


def implicit_value_iteration(
    reward: Float[Tensor, "B R H W"], kernels: SharedKernels, iterations: int
) -> tuple[Float[Tensor, "B A H W"], Float[Tensor, "B 1 H W"]]:
    """The q and value at the fixed point of the backups, with its implicit gradient.

    ``iterations`` bounds the backups forward and the steps of the backward equation; both end when nothing changes.
    """
    terms = kernels.reward_term(reward, 0)
    with torch.no_grad():
        value = torch.zeros_like(terms[:, :1])
        for _ in range(iterations):
            following = maximise(terms + kernels.value_term(value, 0))
            if torch.equal(following, value):
                break
            value = following
    if torch.is_grad_enabled() and (terms.requires_grad or kernels.value.requires_grad):
        value = _attach(terms, kernels, value, iterations)
    return terms + kernels.value_term(value, 0), value


def _attach(terms: Tensor, kernels: SharedKernels, value: Tensor, iterations: int) -> Tensor:
    """The fixed point as a function of reward and kernels: one backup, whose incoming gradient is solved for."""
    fixed = value.detach().requires_grad_()
    backed_up = maximise(
        terms.detach() + SharedKernels(kernels.reward.detach(), kernels.value.detach()).value_term(fixed, 0)
    )

    def solve(gradient: Tensor) -> Tensor:
        solution = gradient
        for _ in range(iterations):
            (sent,) = torch.autograd.grad(backed_up, fixed, solution, retain_graph=True)
            following = gradient + sent
            if torch.equal(following, solution):
                break
            solution = following
        return solution

    attached = maximise(terms + kernels.value_term(value.detach(), 0))
    attached.register_hook(solve)
    return attached


class ImplicitVin(PlainVin):
    """The paper's reward and kernels, planned to the fixed point with an implicit gradient; q are the logits."""

    def logits(
        self, observation: Float[Tensor, "B C H W"], iterations: int | None
    ) -> Float[Tensor, "B M H W"]:
        """The q of every action at the fixed point."""
        kernels = self.transition(observation)
        return implicit_value_iteration(self.reward(observation), kernels, iterations or 1)[0]


@dataclass(frozen=True)
class ImplicitVinConfig(PlainVinConfig):
    """A VIN with implicit differentiation."""

    kind: ClassVar[str] = "implicit-vin"
    policy: ClassVar = ImplicitVin
    iterations: int = 100
    """The most backups; fewer where the value settles."""

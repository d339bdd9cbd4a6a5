"""One step of a policy inside a trust region (Schulman et al. 2015): the mathematics of TRPO.

The policy is seen as a function from parameters to logits at some states. Its objective is the expected advantage
under new probabilities; its distance from the old policy is the mean Kullback-Leibler divergence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.learners.trpo.visited_states import VisitStatistics


@dataclass(frozen=True)
class TrustRegionConfig:
    """How far and how carefully to step."""

    divergence: float = 0.01
    """The largest mean divergence of the new policy from the old one."""
    conjugate_steps: int = 10
    damping: float = 1e-3
    """Added to the Fisher matrix's diagonal."""
    backtrack_ratio: float = 0.8
    """By how much a step that fails is shortened."""
    backtracks: int = 15
    """After so many failures the parameters stay as they were."""
    fisher_share: float = 1.0
    """The share of the problems on which Fisher products are computed."""


Read = Callable[[slice], Tensor]
"""The logits ``[B N M]`` of a policy in the visited states of a slice of the problems."""


@dataclass(frozen=True)
class StepResult:
    """What came of an attempt to improve a policy."""

    accepted: bool
    reason: str
    """Why the parameters were left as they were; empty where the step was made."""
    divergence: float
    improvement: float
    """By how much the objective rose, per step of the world."""
    backtracks: int
    entropy: float
    """Of the old policy, per step of the world."""


EVERYTHING = slice(None)


def trust_region_step(
    logits: Float[Tensor, "B N M"],
    read: Read,
    visits: VisitStatistics,
    parameters: Sequence[nn.Parameter],
    config: TrustRegionConfig,
) -> StepResult:
    """Move the parameters along the natural gradient as far as the trust region and the objective allow.

    ``logits`` are what ``read`` gives for all problems as things stand. Whatever is not finite, and a search in which
    no step both improves and stays inside, leaves the parameters as they were and is reported.
    """
    old = logits.detach().log_softmax(dim=-1)
    entropy = float((visits.counts * -(old.exp() * old).sum(dim=-1)).sum() / visits.counts.sum())
    gradient = flat_gradient(objective(logits, old, visits), parameters)
    if not torch.isfinite(gradient).all():
        return _refused("the gradient is not finite", entropy)
    if not gradient.any():
        return _refused("the gradient is zero", entropy)
    chosen = slice(0, max(1, round(config.fisher_share * len(visits))))
    product = FisherProduct(read(chosen), visits.counts[chosen], parameters, damping=config.damping)
    direction = solve(product, gradient, config.conjugate_steps)
    curvature = float(direction @ product(direction))
    if not (torch.isfinite(direction).all() and 0 < curvature < float("inf")):
        return _refused("the direction is not finite", entropy)
    full_step = (2 * config.divergence / curvature) ** 0.5 * direction
    return search(read, visits, old, parameters, full_step, config, entropy)


def _refused(reason: str, entropy: float, backtracks: int = 0) -> StepResult:
    return StepResult(False, reason, divergence=0.0, improvement=0.0, backtracks=backtracks, entropy=entropy)


@torch.no_grad()
def search(
    read: Read,
    visits: VisitStatistics,
    old: Float[Tensor, "B N M"],
    parameters: Sequence[nn.Parameter],
    full_step: Float[Tensor, " P"],
    config: TrustRegionConfig,
    entropy: float,
) -> StepResult:
    """Make the longest step that improves the objective and keeps the bound, or none."""
    before = nn.utils.parameters_to_vector(parameters)
    baseline = float(objective(old, old, visits))
    for attempt in range(config.backtracks):
        set_parameters(parameters, before + config.backtrack_ratio**attempt * full_step)
        logits = read(EVERYTHING)
        improvement = float(objective(logits, old, visits)) - baseline
        distance = float(divergence(logits, old, visits.counts))
        if improvement > 0 and distance <= config.divergence:
            return StepResult(True, "", distance, improvement, attempt + 1, entropy)
    set_parameters(parameters, before)
    return _refused("no step both improves and stays inside the trust region", entropy, config.backtracks)


def objective(
    logits: Float[Tensor, "B N M"], old: Float[Tensor, "B N M"], visits: VisitStatistics
) -> Float[Tensor, ""]:
    """The mean advantage of the steps under the new probabilities; ``old`` are logarithms of the old ones."""
    ratio = (logits.log_softmax(dim=-1) - old).exp()
    return (visits.advantages * ratio).sum() / visits.counts.sum()


def divergence(
    logits: Float[Tensor, "B N M"], old: Float[Tensor, "B N M"], counts: Float[Tensor, "B N"]
) -> Float[Tensor, ""]:
    """The mean divergence of the new probabilities from the old ones, over all steps."""
    by_state = (old.exp() * (old - logits.log_softmax(dim=-1))).sum(dim=-1)
    return (counts * by_state).sum() / counts.sum()


class FisherProduct:
    """The Fisher matrix of the policy at the logits, plus damping, times a vector.

    The matrix is J' D J with J the Jacobian of the logits and D their own Fisher matrix, a known one. J' times a
    vector is a gradient. That gradient is linear in the vector, so J times a vector is the gradient of that: both
    go along one graph that is made once, and a planner inside need not plan again.
    """

    def __init__(
        self,
        logits: Float[Tensor, "B N M"],
        counts: Float[Tensor, "B N"],
        parameters: Sequence[nn.Parameter],
        *,
        damping: float = 0.0,
    ) -> None:
        self.logits = logits
        self.probabilities = logits.detach().softmax(dim=-1)
        self.weights = (counts / counts.sum())[..., None]
        self.parameters = parameters
        self.damping = damping
        self.cotangent = torch.zeros_like(logits, requires_grad=True)
        self.pulled = flat_gradient(logits, parameters, self.cotangent, create_graph=True)

    def __call__(self, vector: Float[Tensor, " P"]) -> Float[Tensor, " P"]:
        """The product with one vector."""
        (pushed,) = torch.autograd.grad(self.pulled, self.cotangent, vector, retain_graph=True)
        mean = (self.probabilities * pushed).sum(dim=-1, keepdim=True)
        curved = self.weights * self.probabilities * (pushed - mean)
        return flat_gradient(self.logits, self.parameters, curved) + self.damping * vector


def solve(
    product: Callable[[Tensor], Tensor],
    target: Float[Tensor, " P"],
    steps: int,
    *,
    tolerance: float = 1e-10,
) -> Float[Tensor, " P"]:
    """What the product takes to the target, by conjugate gradients; nearly so where the steps do not suffice."""
    solution, residual = torch.zeros_like(target), target.clone()
    direction, size = residual.clone(), residual @ residual
    for _ in range(steps):
        if size < tolerance:
            break
        curved = product(direction)
        length = size / (direction @ curved)
        solution = solution + length * direction
        residual = residual - length * curved
        following = residual @ residual
        direction = residual + (following / size) * direction
        size = following
    return solution


def flat_gradient(
    outputs: Tensor,
    parameters: Sequence[nn.Parameter],
    cotangent: Tensor | None = None,
    *,
    create_graph: bool = False,
) -> Float[Tensor, " P"]:
    """The gradient of the outputs, all parameters in one row; zero for those that do not matter."""
    found = torch.autograd.grad(
        outputs,
        list(parameters),
        cotangent,
        retain_graph=True,
        create_graph=create_graph,
        allow_unused=True,
        materialize_grads=True,
    )
    return torch.cat([one.reshape(-1) for one in found])


@torch.no_grad()
def set_parameters(parameters: Sequence[nn.Parameter], row: Float[Tensor, " P"]) -> None:
    """Give the parameters the numbers of one row."""
    sizes = [parameter.numel() for parameter in parameters]
    for parameter, part in zip(parameters, row.split(sizes), strict=True):
        parameter.copy_(part.view_as(parameter))

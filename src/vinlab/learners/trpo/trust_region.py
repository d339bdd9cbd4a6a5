"""One TRPO step (Schulman et al. 2015): natural gradient and line search.

The policy is a function from parameters to the logits in some states. The objective is the surrogate advantage; the
distance from the old policy is the mean Kullback-Leibler divergence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from vinlab.learners.trpo.visited_states import VisitStatistics


@dataclass(frozen=True)
class TrustRegionConfig:
    """Settings of a TRPO step."""

    divergence: float = 0.01
    """The bound on the mean KL divergence between old and new policy."""
    conjugate_steps: int = 10
    damping: float = 1e-3
    """Added to the diagonal of the Fisher matrix."""
    backtrack_ratio: float = 0.8
    """The factor by which the line search shortens a step."""
    backtracks: int = 15
    """The largest number of steps that the line search tries."""
    fisher_share: float = 1.0
    """The share of the problems in Fisher-vector products."""
    fisher_stride: int = 1
    """Of their states every how many-th counts: where states share no plan, fewer of more problems tell more."""
    entropy_bonus: float = 0.0
    """The weight of the policy's mean entropy in the objective."""


Read = Callable[[slice, slice], Tensor]
"""The logits ``[B N M]`` of a policy in a slice of the visited states of a slice of the problems."""


@dataclass(frozen=True)
class StepResult:
    """The result of a TRPO step."""

    accepted: bool
    reason: str
    """Why the step was rejected; empty where it was accepted."""
    divergence: float
    improvement: float
    """The rise of the objective, per environment step."""
    backtracks: int
    entropy: float
    """The mean entropy of the old policy, per environment step."""


EVERYTHING = slice(None)


def trust_region_step(
    logits: Float[Tensor, "B N M"],
    read: Read,
    visits: VisitStatistics,
    parameters: Sequence[nn.Parameter],
    config: TrustRegionConfig,
) -> StepResult:
    """Step along the natural gradient as far as the trust region and the objective allow.

    ``logits`` are those of ``read`` for all problems at the current parameters. A gradient or direction that is not
    finite and a line search without success leave the parameters unchanged, with the reason in the result.
    """
    old = logits.detach().log_softmax(dim=-1)
    entropy = float(mean_entropy(old, visits.counts))
    gradient = flat_gradient(objective(logits, old, visits, config.entropy_bonus), parameters)
    if not torch.isfinite(gradient).all():
        return _rejected("the gradient is not finite", entropy)
    if not gradient.any():
        return _rejected("the gradient is zero", entropy)
    problems = slice(0, max(1, round(config.fisher_share * len(visits))))
    states = slice(0, None, config.fisher_stride)
    counts = visits.counts[problems, states]
    product = FisherProduct(read(problems, states), counts, parameters, damping=config.damping)
    direction = conjugate_gradient(product, gradient, config.conjugate_steps)
    curvature = float(direction @ product(direction))
    if not (torch.isfinite(direction).all() and 0 < curvature < float("inf")):
        return _rejected("the direction is not finite", entropy)
    full_step = (2 * config.divergence / curvature) ** 0.5 * direction
    return line_search(read, visits, old, parameters, full_step, config, entropy)


def _rejected(reason: str, entropy: float, backtracks: int = 0) -> StepResult:
    return StepResult(False, reason, divergence=0.0, improvement=0.0, backtracks=backtracks, entropy=entropy)


@torch.no_grad()
def line_search(
    read: Read,
    visits: VisitStatistics,
    old: Float[Tensor, "B N M"],
    parameters: Sequence[nn.Parameter],
    full_step: Float[Tensor, " P"],
    config: TrustRegionConfig,
    entropy: float,
) -> StepResult:
    """The line search: the longest step that improves the objective and keeps the bound, or none."""
    before = nn.utils.parameters_to_vector(parameters)
    baseline = float(objective(old, old, visits, config.entropy_bonus))
    for attempt in range(config.backtracks):
        set_parameters(parameters, before + config.backtrack_ratio**attempt * full_step)
        logits = read(EVERYTHING, EVERYTHING)
        improvement = float(objective(logits, old, visits, config.entropy_bonus)) - baseline
        distance = float(divergence(logits, old, visits.counts))
        if improvement > 0 and distance <= config.divergence:
            return StepResult(True, "", distance, improvement, attempt + 1, entropy)
    set_parameters(parameters, before)
    return _rejected("no step both improves and stays inside the trust region", entropy, config.backtracks)


def objective(
    logits: Float[Tensor, "B N M"],
    old: Float[Tensor, "B N M"],
    visits: VisitStatistics,
    entropy_bonus: float = 0.0,
) -> Float[Tensor, ""]:
    """The surrogate: the mean advantage weighted by the probability ratio, and a bonus for entropy.

    ``old`` are log-probabilities.
    """
    new = logits.log_softmax(dim=-1)
    surrogate = (visits.advantages * (new - old).exp()).sum() / visits.counts.sum()
    return surrogate + entropy_bonus * mean_entropy(new, visits.counts) if entropy_bonus else surrogate


def mean_entropy(
    log_probabilities: Float[Tensor, "B N M"], counts: Float[Tensor, "B N"]
) -> Float[Tensor, ""]:
    """The mean entropy of a policy over all steps, in nats."""
    by_state = -(log_probabilities.exp() * log_probabilities).sum(dim=-1)
    return (counts * by_state).sum() / counts.sum()


def divergence(
    logits: Float[Tensor, "B N M"], old: Float[Tensor, "B N M"], counts: Float[Tensor, "B N"]
) -> Float[Tensor, ""]:
    """The mean KL divergence of the new policy from the old one, over all steps."""
    by_state = (old.exp() * (old - logits.log_softmax(dim=-1))).sum(dim=-1)
    return (counts * by_state).sum() / counts.sum()


class FisherProduct:
    """Fisher-vector products of the policy at the logits, with damping.

    The Fisher matrix is J' D J, with J the Jacobian of the logits and D the known Fisher matrix of a softmax. J' u is
    a gradient and linear in u, so J v is the gradient of that gradient: both use one graph that is built once, and a
    planner inside the policy does not plan again.
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


def conjugate_gradient(
    product: Callable[[Tensor], Tensor],
    target: Float[Tensor, " P"],
    steps: int,
    *,
    tolerance: float = 1e-10,
) -> Float[Tensor, " P"]:
    """Conjugate gradients: the approximate solution x of ``product(x) = target``."""
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
    """The gradient with respect to all parameters as one vector; zero for unused ones."""
    found = torch.autograd.grad(
        outputs,
        list(parameters),
        cotangent,
        retain_graph=True,
        create_graph=create_graph,
        allow_unused=True,
        materialize_grads=True,
    )
    return torch.cat([part.reshape(-1) for part in found])


@torch.no_grad()
def set_parameters(parameters: Sequence[nn.Parameter], vector: Float[Tensor, " P"]) -> None:
    """Set the parameters from one vector."""
    sizes = [parameter.numel() for parameter in parameters]
    for parameter, part in zip(parameters, vector.split(sizes), strict=True):
        parameter.copy_(part.view_as(parameter))

"""Value iteration to its fixed point where actions lead to several cells, as a layer."""

from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor, nn

from vinlab.planning.bellman import GridTransition, SharedKernels
from vinlab.planning.border import Outside
from vinlab.planning.costs import CostMap, refuse_iterations
from vinlab.planning.fused.search_function import is_searchable
from vinlab.planning.fused.uncertain_function import Accuracy, settle_by_sweeps
from vinlab.planning.grid import require_fitting
from vinlab.planning.policy_iteration import UncertainProblem
from vinlab.planning.settled import fixed_point_anywhere, require_uncertain
from vinlab.planning.tensors import are_plain, at_least_float32, without_autocast
from vinlab.types import InputError, Iterations, Plan


@dataclass(frozen=True)
class TerminalReward:
    """A reward below zero everywhere, and the cells in which a path may end."""

    reward: Float[Tensor, "B R H W"]
    terminals: Bool[Tensor, "B H W"]
    """The goals, at least one for each problem."""


class FixedPointPlanner(nn.Module):
    """Value iteration on a grid with learned, uncertain transitions, as many sweeps deep as it takes to settle.

    As in ``GridPlanner``, ``q[a] = reward kernels * reward + value kernels * value`` and ``value = max over a of q``;
    but the value of terminal cells is 0, an action whose most probable cell is off the map is impossible, and what else
    would lead off the map stays where it is. The value kernels must be probabilities (``SoftmaxTransition``) and the
    reward negative, so that there is a fixed point; free kernels are refused.

    Sweeps begin with the value that a search finds if every action leads to its most probable cell. The gradient is
    that of the fixed point: it solves the transposed equations of the greedy policy, of equal actions the first. Both
    end when a sweep changes no value (no gradient) by more than ``tolerance``, as a share of it (of the largest); after
    ``max_sweeps`` a warning says how far from settled it is. Cells without a path and impossible actions are worth
    ``UNREACHABLE`` and have no gradient.
    """

    iterations: None = None
    """There is no number of backups to choose."""
    outside: Outside = "blocked"
    """What lies beyond the edge of the map; there is no other rule."""

    def __init__(self, *, tolerance: float = 1e-7, max_sweeps: int = 1000) -> None:
        super().__init__()
        if not tolerance > 0 or max_sweeps < 1:
            raise InputError(
                f"expected a tolerance above zero and at least one sweep, got {tolerance} and {max_sweeps}."
            )
        self.accuracy = Accuracy(tolerance, max_sweeps)

    def forward(
        self, problem: TerminalReward, transition: GridTransition, *, iterations: Iterations = None
    ) -> Plan:
        """Plan for every cell at once; works on any H and W."""
        refuse_iterations(iterations)
        with without_autocast(problem.reward):
            reward = at_least_float32(problem.reward)
            kernels = require_shared(transition, reward)
            share = kernels.reward_term(reward, 0)
            q, value = self._settle(UncertainProblem(share, kernels.value, problem.terminals))
        return Plan(reward=reward, q=q, value=value)

    def _settle(self, problem: UncertainProblem) -> tuple[Tensor, Tensor]:
        """By compiled sweeps where they serve, by the reference elsewhere."""
        if is_searchable(CostMap(problem.share, problem.terminals)) and are_plain(problem.probabilities):
            require_uncertain(problem)
            return settle_by_sweeps(problem, self.accuracy)
        return fixed_point_anywhere(problem)

    def extra_repr(self) -> str:
        """The settings that ``print`` shows."""
        return f"tolerance={self.accuracy.tolerance:g}, max_sweeps={self.accuracy.most}"


def require_shared(transition: GridTransition, reward: Tensor) -> SharedKernels:
    """The kernels, if all cells and backups share them and they fit the reward; beyond the edge all is blocked."""
    if not isinstance(transition, SharedKernels):
        raise InputError(
            f"expected kernels that all cells and backups share, got {type(transition).__name__}; "
            "plan with a number of backups (GridPlanner) instead."
        )
    kernels = SharedKernels(
        at_least_float32(transition.reward), at_least_float32(transition.value), "blocked"
    )
    require_fitting(reward, kernels, 1)
    return kernels

"""A grid planner that leaves out some actions while it is trained.

The maximum of a backup sends its gradient to the winning action alone. From random weights some actions win
everywhere, often the four straight moves; the others never win, and the plan never corrects them. Where the winners
are left out from time to time, others have to take their place and learn to be moves as well.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from vinlab.planning.bellman import GridTransition, SharedKernels
from vinlab.planning.border import Outside
from vinlab.planning.grid import GridPlanner
from vinlab.types import InputError, Plan


class ActionDropoutPlanner(GridPlanner):
    """Value iteration that in training plans without some of the actions; q is computed for all of them.

    At first ``dropped`` actions are left out of a plan on average. Their number falls to zero within ``updates`` plans
    of training; from then on, and always in evaluation, it is a ``GridPlanner``.
    """

    updates_done: Int[Tensor, ""]

    def __init__(
        self, *, iterations: int, dropped: float, updates: int, outside: Outside | None = None
    ) -> None:
        super().__init__(iterations=iterations, outside=outside)
        if dropped < 0 or updates < 0:
            raise InputError(f"dropped, updates: expected at least 0, got {dropped} and {updates}.")
        self.dropped = dropped
        self.updates = updates
        self.register_buffer("updates_done", torch.zeros((), dtype=torch.int64))

    def forward(
        self,
        reward: Float[Tensor, "B R H W"],
        transition: GridTransition,
        *,
        iterations: int | None = None,
        initial_value: Float[Tensor, "B 1 H W"] | None = None,
    ) -> Plan:
        """Plan for every cell at once; in training perhaps without some of the actions."""
        done = int(self.updates_done)
        if not self.training or done >= self.updates:
            return super().forward(reward, transition, iterations=iterations, initial_value=initial_value)
        if not isinstance(transition, SharedKernels):
            raise InputError(f"transition: expected SharedKernels, got {type(transition).__name__}.")
        self.updates_done += 1
        kept = self.kept_actions(done, len(transition.value))
        some = SharedKernels(transition.reward[kept], transition.value[kept], transition.outside)
        plan = super().forward(reward, some, iterations=iterations, initial_value=initial_value)
        q = transition.reward_term(plan.reward, 0) + transition.value_term(plan.value, 0)
        return Plan(reward=plan.reward, q=q, value=plan.value)

    def kept_actions(self, update: int, actions: int) -> Int[Tensor, " kept"]:
        """The actions that take part in the plan of an update: the same ones whenever a run is resumed."""
        generator = torch.Generator().manual_seed(update)
        mean = self.dropped * (1 - update / self.updates)
        dropped = int(mean + torch.rand((), generator=generator))
        return torch.randperm(actions, generator=generator)[min(dropped, actions - 1) :].sort().values

"""What every network of the tables can do, so that learners and rollouts need not know which one it is."""

from abc import ABC, abstractmethod
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor, nn

from vinlab.types import Iterations


class Policy(nn.Module, ABC):
    """A policy that looks at a problem once and is then asked for moves in as many of its states as one likes."""

    @property
    def iterations(self) -> int | tuple[int, ...] | None:
        """How many backups a plan takes, on each level from coarse to fine; None where nothing is planned."""
        return None

    @abstractmethod
    def plan(self, observation: Float[Tensor, "B C H W"], *, iterations: Iterations = None) -> Any:
        """What all states of a problem share."""

    @abstractmethod
    def act(self, plan: Any, states: Int[Tensor, "B S 2"]) -> Float[Tensor, "B S M"]:
        """The logits of the moves in some states of each problem."""

    def forward(
        self,
        observation: Float[Tensor, "B C H W"],
        states: Int[Tensor, "B S 2"],
        *,
        iterations: Iterations = None,
    ) -> tuple[Float[Tensor, "B S M"], Any]:
        """The logits of the moves, and the plan they were read from."""
        plan = self.plan(observation, iterations=iterations)
        return self.act(plan, states), plan
